#include "routeobject/path_search.hpp"

#include <optional>
#include <utility>

#include "core/check.hpp"
#include "routeobject/constrained_path.hpp"
#include "routeobject/route_table.hpp"

namespace xbind {
namespace {

Cause cause_of(PathFault fault) {
  switch (fault) {
    case PathFault::kUnknownEnd: return Cause::kUnknownEndpoint;
    case PathFault::kNoBandwidth: return Cause::kNoBandwidth;
    case PathFault::kDisconnected: return Cause::kNoRoute;
    case PathFault::kContradiction:
    case PathFault::kTooManyElements: return Cause::kInvalidRequest;
    // Queries from here bound neither delay nor links and require nothing.
    case PathFault::kUnknownElement:
    case PathFault::kTooManyLinks:
    case PathFault::kTooSlow:
    case PathFault::kNoneMeetsAll:
    case PathFault::kTooHard: break;
  }
  XB_CHECK(false, to_string(fault));
  return Cause::kNoRoute;
}

}  // namespace

struct PathSearch::Engine {
  // The pointer owns nothing: the topology outlives the search.
  explicit Engine(const Topology& topology)
      : graph(std::shared_ptr<const Topology>(std::shared_ptr<const Topology>{}, &topology)) {
    if (graph.switches() > kRouteTableSwitchesMax) return;
    auto all_pairs = RouteTable::compute(graph, PathMetric::kHops, 0);
    XB_CHECK(all_pairs.has_value(), graph.switches());
    table = *std::move(all_pairs);
  }

  RouteGraph graph;
  std::optional<RouteTable> table;
};

PathSearch::PathSearch(const Topology& topology)
    : engine_(std::make_unique<const Engine>(topology)) {}

PathSearch::~PathSearch() = default;

tl::expected<Path, RouteRefusal> PathSearch::find(std::string_view from, std::string_view to,
                                                  std::uint64_t cells_per_s,
                                                  std::span<const PathElement> avoid) const {
  PathAnswer found = [&]() -> PathAnswer {
    if (avoid.empty() && engine_->table) {
      return engine_->table->find({std::string{from}, std::string{to}, cells_per_s});
    }
    PathQuery query;
    query.from = from;
    query.to = to;
    query.cells_per_s = cells_per_s;
    query.avoid.assign(avoid.begin(), avoid.end());
    return find_path(engine_->graph, query);
  }();
  if (found) return std::move(found->path);
  PathRefusal& refusal = found.error();
  return tl::make_unexpected(RouteRefusal{
      cause_of(refusal.fault), std::move(refusal.text), cells_per_s,
      refusal.fault == PathFault::kNoBandwidth ? refusal.free : 0, std::move(refusal.element)});
}

}  // namespace xbind
