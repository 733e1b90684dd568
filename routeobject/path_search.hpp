// Finds the way of a call: the fewest links from endpoint to endpoint on which every link has the
// rate asked for. Of several such ways it takes the one whose first link stands first in the
// topology, then whose second does, and so on: the same question always has the same answer.
//
// Knows rates of links, not what calls have taken of them: SwitchServers decide admission. A way
// may lead through other endpoints, they are switches too.
//
// A query may name elements to stay away from: whole switches, and links by the port at either of
// their ends. An avoided link is used in neither direction, for what goes along a path may also go
// back along it. What the topology does not know excludes nothing: the asker's knowledge may be
// older than the topology. An avoided end, or one whose access port is avoided, has no way at all.
//
// Asks constrained_path.hpp. The graph is built once, in the constructor, and up to
// kRouteTableSwitchesMax switches the table of all pairs with it (route_table.hpp: 754 switches take
// 11 MB): a query that avoids nothing is read from there while the best path is wide enough, others
// are searched for (754 switches: well below a millisecond). Immutable: any number of threads may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/cause.hpp"
#include "core/path.hpp"
#include "core/result.hpp"
#include "routeobject/topology.hpp"

namespace xbind {

struct RouteRefusal {
  // kUnknownEndpoint: no switch of that name, or it is no endpoint; kInvalidRequest: both ends are
  // the same; kNoRoute: nothing that may be used joins them; kNoBandwidth: something does, at a
  // lower rate.
  Cause cause = Cause::kNoRoute;
  std::string text;         // one sentence that names the ends, and what was in the way of them
  std::uint64_t asked = 0;  // cells/s
  std::uint64_t free = 0;   // kNoBandwidth: what the widest way left has; else 0
  std::string element;      // what stands in the way: the unknown name, or "host-a -> host-b"

  friend bool operator==(const RouteRefusal&, const RouteRefusal&) = default;
};

class PathSearch {
 public:
  // `topology` must outlive this and stay as it is.
  explicit PathSearch(const Topology& topology);
  ~PathSearch();
  PathSearch(const PathSearch&) = delete;
  PathSearch& operator=(const PathSearch&) = delete;

  // `cells_per_s` 0 asks for any way at all. kInvalidRequest also for more than kPathAvoidMax elements
  // (path_query.hpp).
  tl::expected<Path, RouteRefusal> find(std::string_view from, std::string_view to,
                                        std::uint64_t cells_per_s,
                                        std::span<const PathElement> avoid = {}) const;

 private:
  struct Engine;

  std::unique_ptr<const Engine> engine_;
};

}  // namespace xbind
