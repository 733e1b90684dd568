// The search by indices: the exact best path through a RouteGraph under bounds.
//
// If no bound excludes the best path: Dijkstra from the destination, then forward along the first
// arc that keeps the distance. Otherwise: label setting in the order of cost plus the least cost to
// go; a label is a partial path from the source. A label is dropped if another label of the same
// switch precedes it and is no worse in any bounded quantity (dominance). Required elements make
// the result a walk, which may visit a switch twice. Switches that the best walk repeats may then
// be visited only once, until the best walk is a path (decremental state space relaxation, G.
// Righini and M. Salani, Networks 51(3), 2008). Switches on no loopless path at all are excluded in
// advance.
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
  SwitchIndex to = 0;  // differs from `from`
  std::uint64_t cells_per_s = 0;
  PathMetric metric = PathMetric::kHops;
  std::uint64_t delay_us_max = kNoDelayBound;
  std::uint32_t links_max = kNoLinkBound;
  std::vector<std::uint8_t> blocked_switch{};  // by switch, by link: not 0 excludes it
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
  std::size_t labels = 0;  // the cost of the search, in partial paths
};

SearchResult search_path(const RouteGraph& graph, const SearchSpec& spec);

// The highest rate that some path between the ends has on all its links, whatever the spec's rate
// and bounds; 0: there is no path.
std::uint64_t widest_rate(const RouteGraph& graph, const SearchSpec& spec);

// Marks the switches on some loopless path between the ends, with every usable arc taken in both
// directions; a search can exclude all others. Linear in switches and arcs.
std::vector<std::uint8_t> on_loopless_ways(const RouteGraph& graph, const SearchSpec& spec);

}  // namespace xbind
