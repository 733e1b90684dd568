// The distance of every switch to one destination; shared by searches and tables.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

#include "routeobject/route_graph.hpp"

namespace xbind {

// Cost first, then links, so that every arc makes a path strictly longer, even if it costs nothing.
struct PathLength {
  std::uint64_t cost = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t links = std::numeric_limits<std::uint32_t>::max();

  bool reached() const { return links != std::numeric_limits<std::uint32_t>::max(); }
  PathLength longer(std::uint64_t arc_cost) const { return {cost + arc_cost, links + 1}; }
  friend auto operator<=>(const PathLength&, const PathLength&) = default;
};

// Dijkstra against the arcs from `to`. `usable(arc)` and `cost(arc)` take the arc in the path's
// direction; `cost` is called only for usable arcs.
template <class Usable, class Cost>
std::vector<PathLength> distances_to(const RouteGraph& graph, SwitchIndex to, const Usable& usable,
                                     const Cost& cost) {
  struct Entry {
    PathLength length;
    SwitchIndex at;
  };
  const auto later = [](const Entry& a, const Entry& b) { return a.length > b.length; };
  std::vector<Entry> heap{{{0, 0}, to}};
  std::vector<PathLength> distance(graph.switches());
  distance[to] = {0, 0};
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const Entry nearest = heap.back();
    heap.pop_back();
    if (nearest.length > distance[nearest.at]) continue;
    for (ArcIndex back = graph.first_arc(nearest.at); back < graph.first_arc(nearest.at + 1);
         ++back) {
      const ArcIndex arc = graph.twin(back);
      if (!usable(arc)) continue;
      const PathLength length = nearest.length.longer(cost(arc));
      PathLength& known = distance[graph.to(back)];
      if (length >= known) continue;
      known = length;
      heap.push_back({length, graph.to(back)});
      std::push_heap(heap.begin(), heap.end(), later);
    }
  }
  return distance;
}

// The first arc of the best path from `at`, or kNoArc. Among equally good arcs it is the first in
// link order.
template <class Usable, class Cost>
ArcIndex best_arc(const RouteGraph& graph, SwitchIndex at, const std::vector<PathLength>& distance,
                  const Usable& usable, const Cost& cost) {
  if (!distance[at].reached()) return kNoArc;
  for (ArcIndex arc = graph.first_arc(at); arc < graph.first_arc(at + 1); ++arc) {
    const PathLength rest = distance[graph.to(arc)];
    if (usable(arc) && rest.reached() && rest.longer(cost(arc)) == distance[at]) return arc;
  }
  return kNoArc;
}

}  // namespace xbind
