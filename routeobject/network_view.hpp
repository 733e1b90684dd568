// One version of the network as queries see it, and how one query is answered from it.
//
// Two graphs of one shape: in `lines` every link has what its ports may promise, in `room` what of that is
// free as last reported. In both a link that is down, unknown or drained is out of bounds. Whom
// only an unknown switch leaves without a path is told its name, as "switch unreachable".
//
// A path on which there is room for the rate goes before any without. When none has room, but the lines of
// one may carry the rate, that one is answered: reports come when a threshold is passed, so that what is
// free is known roughly and late, and the SwitchServer has the last word. "No bandwidth" is therefore
// what no line on any way could carry (decision 0019).
//
// Never changes; any number of threads may ask one.
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
  // Of `lines`, by hops at any rate; null above kRouteTableSwitchesMax switches.
  std::shared_ptr<const RouteTable> table;
  std::shared_ptr<const RouteGraph> lines;
  std::shared_ptr<const RouteGraph> room;
  // `lines` with what is unknown in bounds; null when nothing is unknown.
  std::shared_ptr<const RouteGraph> doubted;
};

struct FoundRoute {
  Path path;                   // free_cells_per_s: the least that a line of it may promise
  std::uint64_t delay_us = 0;  // of its links together

  friend bool operator==(const FoundRoute&, const FoundRoute&) = default;
};

struct RouteRefusal {
  // kUnknownEndpoint; kInvalidRequest: it contradicts itself, or requires what is not there; kNoRoute:
  // nothing that may be used joins the ends; kNoBandwidth; kPathBound: element "links", "delay_us" or
  // "all bounds together"; kTooHard; kLinkDown: an end's own access line, the element, is down;
  // kSwitchUnreachable: an end's switch, or the only one that would join them, is unknown.
  Cause cause = Cause::kNoRoute;
  std::string text;         // one sentence that names the ends, and what was in the way of them
  std::uint64_t asked = 0;  // the number that was too much, if one was
  std::uint64_t free =
      0;  // kNoBandwidth: what the widest way left has; kPathBound: the best there is
  // What stands in the way: the unknown name, "host-a -> host-b", or, with kNoRoute, "drained x, b
  // port 2": what is drained on the path that there would be without any drain.
  std::string element;

  friend bool operator==(const RouteRefusal&, const RouteRefusal&) = default;
};

using RouteAnswer = tl::expected<FoundRoute, RouteRefusal>;

// How much searching a batch may still cost: partial paths (kPathLabelsMax) of all its queries together.
struct SearchBudget {
  std::size_t labels = 0;
};

// Queries that ask for hops and a rate alone are read from the table; others are searched for, and what
// that costs goes off `budget`; a query that would need more is kTooHard.
RouteAnswer find_route(const NetworkView& view, const PathQuery& query, SearchBudget& budget);

// Up to `count` paths: those with room, the best first, then those without. The refusal when there is
// none, and when the first one is too hard to find; `count` is 1 to kAlternatesMax (kInvalidRequest).
// Each of the searches may hold kPathLabelsMax / count partial paths.
tl::expected<std::vector<FoundRoute>, RouteRefusal> find_alternate_routes(const NetworkView& view,
                                                                          const PathQuery& query,
                                                                          std::size_t count);

}  // namespace xbind
