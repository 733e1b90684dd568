// One version of the network for queries, and how a query is answered from it.
//
// Two graphs of the same shape: in `lines` every link has the rate that its ports may promise, in
// `room` the part of it that was last reported free. Both exclude links that are down, unknown or
// drained. If only an unknown switch prevents a path, the refusal names it, as "switch
// unreachable".
//
// A path with room for the rate precedes any without. If none has room, a path is returned whose
// lines could carry the rate: reports are sent when a threshold is passed, so the free rates are
// approximate and late, and the SwitchServer has the final decision. "No bandwidth" therefore means
// that the lines of no path could carry the rate (decision 0019).
//
// Immutable; any number of threads may query one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "core/cause.hpp"
#include "core/path.hpp"
#include "routeobject/path_query.hpp"
#include "routeobject/route_table.hpp"
#include "routeobject/router.hpp"

namespace xbind {

struct NetworkView {
  std::shared_ptr<const NetworkCondition> condition;
  // Computed from `lines`, by hops at any rate; null above kRouteTableSwitchesMax switches.
  std::shared_ptr<const RouteTable> table;
  std::shared_ptr<const RouteGraph> lines;
  std::shared_ptr<const RouteGraph> room;
  // `lines` with the unknown links included; null when nothing is unknown.
  std::shared_ptr<const RouteGraph> with_unknown;
};

struct FoundRoute {
  Path path;                   // free_cells_per_s: the least that one of its lines may promise
  std::uint64_t delay_us = 0;  // sum over its links

  friend bool operator==(const FoundRoute&, const FoundRoute&) = default;
};

struct RouteRefusal {
  // kUnknownEndpoint. kInvalidRequest: contradicts itself, or requires an unknown element.
  // kNoRoute: no usable path joins the ends. kNoBandwidth. kPathBound: element "links", "delay_us"
  // or "all bounds together". kTooHard. kLinkDown: an end's own access line, the element, is down.
  // kSwitchUnreachable: an end's switch, or the only one that would join them, is unknown.
  Cause cause = Cause::kNoRoute;
  std::string text;         // one sentence with the ends and the obstacle
  std::uint64_t asked = 0;  // the number that was too high, if any
  std::uint64_t free =
      0;  // kNoBandwidth: the rate of the widest path; kPathBound: the best value there is
  // The obstacle: the unknown name, "host-a -> host-b", or, with kNoRoute, "drained x, b port 2":
  // the drained elements on the path that would exist without drains.
  std::string element;

  friend bool operator==(const RouteRefusal&, const RouteRefusal&) = default;
};

using RouteAnswer = tl::expected<FoundRoute, RouteRefusal>;

// The search effort that a batch has left: partial paths (kPathLabelsMax) for all its queries
// together.
struct SearchBudget {
  std::size_t labels = 0;
};

// Answers queries by hops with a rate alone from the table. Others are searched for, which uses up
// `budget`; a query that would need more is refused kTooHard.
RouteAnswer find_route(const NetworkView& view, const PathQuery& query, SearchBudget& budget);

// Returns up to `count` paths: those with room first, the best first, then those without. Refuses
// if there is none, and if the first search is too hard. `count` must be 1 to kAlternatesMax
// (kInvalidRequest). Each search may hold kPathLabelsMax / count partial paths.
tl::expected<std::vector<FoundRoute>, RouteRefusal> find_alternate_routes(const NetworkView& view,
                                                                          const PathQuery& query,
                                                                          std::size_t count);

}  // namespace xbind
