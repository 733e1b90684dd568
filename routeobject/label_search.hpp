// The search itself, by numbers: the best path through a RouteGraph under bounds, exactly.
//
// Without bounds in its way: Dijkstra from the destination, then forward along the first arc that
// keeps the distance. With them: label setting in the order of cost plus the least cost to go, a
// label being a way from the source. A label is dropped for another one of the same switch that
// comes before it and is no worse in any bounded quantity (dominance). Required elements make it a
// walk, which may come by a switch twice; switches that the best walk repeats may from then on be
// passed once only, until the best walk is a path (decremental state space relaxation, G. Righini
// and M. Salani, Networks 51(3), 2008). Switches on no loopless way at all are left out before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "routeobject/load_cost.hpp"
#include "routeobject/route_graph.hpp"

namespace xbind {

inline constexpr std::uint64_t kNoDelayBound = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint32_t kNoLinkBound = std::numeric_limits<std::uint32_t>::max();

struct SearchSpec {
  SwitchIndex from = 0;
  SwitchIndex to = 0;  // another one
  std::uint64_t cells_per_s = 0;
  PathMetric metric = PathMetric::kHops;
  std::uint64_t delay_us_max = kNoDelayBound;
  std::uint32_t links_max = kNoLinkBound;
  std::vector<std::uint8_t> blocked_switch{};  // by switch, by link: not 0 is out of bounds
  std::vector<std::uint8_t> blocked_link{};
  std::vector<ArcIndex> blocked_start{};    // arcs of `from` that must not begin the path
  std::vector<SwitchIndex> via_switches{};  // together at most kPathRequiredMax
  std::vector<std::uint32_t> via_links{};
  std::size_t labels_max = 0;

  bool usable(const RouteGraph& graph, ArcIndex arc) const {
    return graph.usable(arc, cells_per_s) && blocked_link[graph.link(arc)] == 0 &&
           blocked_switch[graph.to(arc)] == 0;
  }
};

enum class SearchEnd : std::uint8_t { kFound, kNone, kTooHard };

struct SearchResult {
  SearchEnd end = SearchEnd::kNone;
  std::vector<ArcIndex> arcs{};  // kFound: from source to destination
  std::uint64_t cost = 0;
  std::size_t labels = 0;  // what it has cost, in partial paths
};

SearchResult search_path(const RouteGraph& graph, const SearchSpec& spec);

// The highest rate that some way between the ends has on all its links, whatever the spec's rate and
// bounds; 0: there is no way.
std::uint64_t widest_rate(const RouteGraph& graph, const SearchSpec& spec);

// Marks the switches that lie on some loopless way from end to end, with every usable arc taken in
// both directions: others can be left out. Linear in switches and arcs.
std::vector<std::uint8_t> on_loopless_ways(const RouteGraph& graph, const SearchSpec& spec);

}  // namespace xbind
