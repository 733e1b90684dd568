#include "routeobject/alternates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "routeobject/resolved_query.hpp"

namespace xbind {
namespace {

struct Way {
  std::uint64_t cost = 0;
  std::vector<ArcIndex> arcs;
  std::vector<std::uint32_t> links;  // of the arcs; they decide the order
  std::size_t deviates_at = 0;       // the first arc that differs from its parent

  friend bool operator<(const Way& a, const Way& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.links.size() != b.links.size()) return a.links.size() < b.links.size();
    return a.links < b.links;
  }
};

Way way_of(const RouteGraph& graph, const SearchSpec& spec, std::vector<ArcIndex> arcs,
           std::size_t deviates_at) {
  Way way;
  for (const ArcIndex arc : arcs) {
    way.cost += arc_cost(graph, arc, spec.metric, spec.cells_per_s);
    way.links.push_back(graph.link(arc));
  }
  way.arcs = std::move(arcs);
  way.deviates_at = deviates_at;
  return way;
}

class Yen {
 public:
  Yen(const RouteGraph& graph, const SearchSpec& spec) : graph_(graph), spec_(spec) {}

  SearchEnd run(std::size_t count) {
    SearchResult best = search_path(graph_, spec_);
    if (best.end != SearchEnd::kFound) return best.end;
    found.push_back(way_of(graph_, spec_, std::move(best.arcs), 0));
    while (found.size() < count) {
      if (!deviate(found.back())) return SearchEnd::kTooHard;
      if (candidates_.empty()) break;
      found.push_back(std::move(candidates_.extract(candidates_.begin()).value()));
    }
    return SearchEnd::kFound;
  }

  std::vector<Way> found;

 private:
  // Adds the best deviation from `parent` at each of its switches. Returns false if a search was
  // too hard.
  bool deviate(const Way& parent) {
    SearchSpec spec = spec_;
    for (std::size_t at = 0; at < parent.arcs.size(); ++at) {
      if (at > 0 && !pass(spec, parent.arcs[at - 1])) return true;
      if (at < parent.deviates_at) continue;
      spec.blocked_start = taken_after(parent, at);
      SearchResult rest = search_path(graph_, spec);
      if (rest.end == SearchEnd::kTooHard) return false;
      if (rest.end == SearchEnd::kNone) continue;
      std::vector<ArcIndex> arcs(parent.arcs.begin(),
                                 parent.arcs.begin() + static_cast<std::ptrdiff_t>(at));
      arcs.insert(arcs.end(), rest.arcs.begin(), rest.arcs.end());
      candidates_.insert(way_of(graph_, spec_, std::move(arcs), at));
    }
    return true;
  }

  // Moves the start of `spec` along an arc. Returns false if no arc can follow.
  bool pass(SearchSpec& spec, ArcIndex arc) const {
    spec.blocked_switch[spec.from] = 1;
    spec.from = graph_.to(arc);
    if (spec.delay_us_max != kNoDelayBound) spec.delay_us_max -= graph_.delay_us(arc);
    if (spec.links_max != kNoLinkBound && --spec.links_max == 0) return false;
    std::erase(spec.via_switches, spec.from);
    std::erase(spec.via_links, graph_.link(arc));
    return true;
  }

  // The next arcs of those found paths that share the first `at` arcs with `parent`.
  std::vector<ArcIndex> taken_after(const Way& parent, std::size_t at) const {
    std::vector<ArcIndex> taken;
    for (const Way& way : found) {
      if (way.arcs.size() > at &&
          std::equal(way.arcs.begin(), way.arcs.begin() + static_cast<std::ptrdiff_t>(at),
                     parent.arcs.begin())) {
        taken.push_back(way.arcs[at]);
      }
    }
    return taken;
  }

  const RouteGraph& graph_;
  const SearchSpec& spec_;
  std::set<Way> candidates_;
};

}  // namespace

tl::expected<std::vector<FoundPath>, PathRefusal> find_alternates(const RouteGraph& graph,
                                                                  const PathQuery& query,
                                                                  std::size_t count) {
  const auto resolved = resolve(graph, query);
  if (!resolved) return tl::make_unexpected(resolved.error());
  if (count == 0 || count > kAlternatesMax) {
    return tl::make_unexpected(
        PathRefusal{count == 0 ? PathFault::kContradiction : PathFault::kTooManyElements,
                    fmt::format("{} alternates from '{}' to '{}' are not in 1 to {}", count,
                                query.from, query.to, kAlternatesMax),
                    count, kAlternatesMax, resolved->ends});
  }
  Yen yen(graph, resolved->spec);
  switch (yen.run(count)) {
    case SearchEnd::kNone: return tl::make_unexpected(why_none(graph, query, *resolved));
    case SearchEnd::kTooHard: return tl::make_unexpected(too_hard(query, *resolved));
    case SearchEnd::kFound: break;
  }
  std::vector<FoundPath> alternates;
  for (Way& way : yen.found) {
    alternates.push_back(found_path(graph, query.metric, query.cells_per_s, std::move(way.arcs)));
  }
  return alternates;
}

}  // namespace xbind
