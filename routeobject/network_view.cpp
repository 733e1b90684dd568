#include "routeobject/network_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "routeobject/alternates.hpp"
#include "routeobject/resolved_query.hpp"

namespace xbind {
namespace {

using Refused = tl::unexpected<RouteRefusal>;

// By hops, and nothing but a rate is asked for.
bool simple(const PathQuery& query) {
  return query.metric == PathMetric::kHops && !query.delay_us_max && !query.links_max &&
         query.avoid.empty() && query.require.empty() && query.disjoint == Disjoint::kNo;
}

RouteRefusal refusal_of(PathRefusal refusal) {
  RouteRefusal out{Cause::kNoRoute, std::move(refusal.text), 0, 0, std::move(refusal.element)};
  const auto with_numbers = [&](Cause cause) {
    out.cause = cause;
    out.asked = refusal.asked;
    out.free = refusal.free;
  };
  switch (refusal.fault) {
    case PathFault::kUnknownEnd: out.cause = Cause::kUnknownEndpoint; break;
    case PathFault::kUnknownElement:
    case PathFault::kContradiction:
    case PathFault::kTooManyElements: with_numbers(Cause::kInvalidRequest); break;
    case PathFault::kDisconnected: break;
    case PathFault::kNoBandwidth: with_numbers(Cause::kNoBandwidth); break;
    case PathFault::kTooManyLinks:
      with_numbers(Cause::kPathBound);
      out.element = "links";
      break;
    case PathFault::kTooSlow:
      with_numbers(Cause::kPathBound);
      out.element = "delay_us";
      break;
    case PathFault::kNoneMeetsAll:
      with_numbers(Cause::kPathBound);
      out.element = "all bounds together";
      break;
    case PathFault::kTooHard: with_numbers(Cause::kTooHard); break;
  }
  return out;
}

// A path where there is no room may still be one: the fault is of the rate and the bounds.
bool for_want_of_room(PathFault fault) {
  return fault == PathFault::kNoBandwidth || fault == PathFault::kTooManyLinks ||
         fault == PathFault::kTooSlow || fault == PathFault::kNoneMeetsAll;
}

struct Ends {
  SwitchIndex from = 0;
  SwitchIndex to = 0;
};

// The ends of a query that names two endpoints.
std::optional<Ends> ends_of(const Topology& topology, const PathQuery& query) {
  const auto from = topology.find(query.from);
  const auto to = topology.find(query.to);
  if (!from || !to || *from == *to) return std::nullopt;
  if (!topology.switches()[*from].endpoint || !topology.switches()[*to].endpoint) {
    return std::nullopt;
  }
  return Ends{*from, *to};
}

class Finder {
 public:
  Finder(const NetworkView& view, const PathQuery& query)
      : view_(view),
        query_(query),
        topology_(view.lines->topology()),
        ends_(ends_of(topology_, query)) {}

  // Why an end cannot be reached at all.
  std::optional<RouteRefusal> access_refusal() const {
    if (!ends_) return std::nullopt;
    for (const SwitchIndex at : {ends_->from, ends_->to}) {
      const LineCondition& line = view_.condition->access_lines[at];
      if (line.usable()) continue;
      const std::string& name = topology_.switches()[at].name;
      return RouteRefusal{line.up ? Cause::kNoRoute : Cause::kLinkDown,
                          fmt::format("the line of '{}' at its port {} is {}", name, kEndpointPort,
                                      line.up ? "drained" : "down"),
                          0, 0, fmt::format("{} port {}", name, kEndpointPort)};
    }
    return std::nullopt;
  }

  RouteAnswer run(SearchBudget& budget) const {
    std::vector<ArcIndex> shortest;
    if (ends_ && view_.table && simple(query_)) {
      shortest = view_.table->arcs(ends_->from, ends_->to);
      if (!shortest.empty() && carries(*view_.room, shortest)) return found(std::move(shortest));
    }
    auto resolved = resolve(*view_.room, query_);
    if (!resolved) return Refused(refusal_of(std::move(resolved.error())));
    SearchResult best = search(*view_.room, resolved->spec, budget);
    if (best.end == SearchEnd::kNone && query_.cells_per_s > 0) {
      if (!shortest.empty() && carries(*view_.lines, shortest)) return found(std::move(shortest));
      best = search(*view_.lines, resolved->spec, budget);
    }
    switch (best.end) {
      case SearchEnd::kFound: break;
      case SearchEnd::kNone: return refuse(why_none(*view_.lines, query_, *resolved));
      case SearchEnd::kTooHard: {
        PathQuery cut = query_;
        cut.labels_max = resolved->spec.labels_max;
        return refuse(too_hard(cut, *resolved));
      }
    }
    return found(std::move(best.arcs));
  }

  FoundRoute found(std::vector<ArcIndex> arcs) const {
    FoundPath path = found_path(*view_.lines, PathMetric::kHops, 0, std::move(arcs));
    return {std::move(path.path), path.delay_us};
  }

  Refused refuse(PathRefusal refusal) const {
    RouteRefusal out = refusal_of(std::move(refusal));
    if (out.cause != Cause::kNoRoute || !ends_) return Refused(std::move(out));
    for (const SwitchIndex at : {ends_->from, ends_->to}) {
      if (view_.condition->drained_switches[at] == 0) continue;
      out.element = topology_.switches()[at].name;
      out.text += fmt::format("; '{}' is drained", out.element);
      break;
    }
    return Refused(std::move(out));
  }

 private:
  bool carries(const RouteGraph& graph, const std::vector<ArcIndex>& arcs) const {
    return std::ranges::all_of(arcs,
                               [&](ArcIndex arc) { return graph.usable(arc, query_.cells_per_s); });
  }

  static SearchResult search(const RouteGraph& graph, SearchSpec& spec, SearchBudget& budget) {
    spec.labels_max = std::min(spec.labels_max, budget.labels);
    SearchResult result = search_path(graph, spec);
    budget.labels -= std::min(budget.labels, result.labels);
    return result;
  }

  const NetworkView& view_;
  const PathQuery& query_;
  const Topology& topology_;
  const std::optional<Ends> ends_;
};

}  // namespace

RouteAnswer find_route(const NetworkView& view, const PathQuery& query, SearchBudget& budget) {
  const Finder finder(view, query);
  if (auto refused = finder.access_refusal()) return Refused(*std::move(refused));
  return finder.run(budget);
}

tl::expected<std::vector<FoundRoute>, RouteRefusal> find_alternate_routes(const NetworkView& view,
                                                                          const PathQuery& query,
                                                                          std::size_t count) {
  const Finder finder(view, query);
  if (auto refused = finder.access_refusal()) return Refused(*std::move(refused));
  PathQuery each = query;
  each.labels_max = std::min(query.labels_max, kPathLabelsMax / std::max<std::size_t>(count, 1));
  auto with_room = find_alternates(*view.room, each, count);
  if (!with_room && (query.cells_per_s == 0 || !for_want_of_room(with_room.error().fault))) {
    return finder.refuse(std::move(with_room.error()));
  }
  std::vector<std::vector<ArcIndex>> ways;
  if (with_room) {
    for (FoundPath& path : *with_room) ways.push_back(std::move(path.arcs));
  }
  if (ways.size() < count && query.cells_per_s > 0) {
    auto any = find_alternates(*view.lines, each, count);
    if (!any && ways.empty()) return finder.refuse(std::move(any.error()));
    if (any) {
      for (FoundPath& path : *any) {
        if (ways.size() == count) break;
        if (std::ranges::find(ways, path.arcs) == ways.end()) ways.push_back(std::move(path.arcs));
      }
    }
  }
  std::vector<FoundRoute> routes;
  for (std::vector<ArcIndex>& way : ways) routes.push_back(finder.found(std::move(way)));
  return routes;
}

}  // namespace xbind
