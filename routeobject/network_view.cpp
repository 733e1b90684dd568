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

// Partial paths that the search for the unknown switch to blame may hold.
constexpr std::size_t kDoubtedLabelsMax = 10'000;

// A query by hops with only a rate as a bound.
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

// Whether a path may exist where there is no room: the rate or the bounds are at fault.
bool for_want_of_room(PathFault fault) {
  return fault == PathFault::kNoBandwidth || fault == PathFault::kTooManyLinks ||
         fault == PathFault::kTooSlow || fault == PathFault::kNoneMeetsAll;
}

struct Ends {
  SwitchIndex from = 0;
  SwitchIndex to = 0;
};

// The ends of a query, if it names two different endpoints.
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

  // The refusal if an end's access line cannot be used.
  std::optional<RouteRefusal> access_refusal() const {
    if (!ends_) return std::nullopt;
    for (const SwitchIndex at : {ends_->from, ends_->to}) {
      const LineCondition& line = view_.condition->access_lines[at];
      if (line.usable()) continue;
      const std::string& name = topology_.switches()[at].name;
      if (line.up && line.unknown) return unknown(at);
      return RouteRefusal{
          line.up ? Cause::kNoRoute : Cause::kLinkDown,
          fmt::format("the line of '{}' at its port {} is {}", name, kEndpointPort,
                      line.up ? "drained" : "down"),
          0, 0, fmt::format("{}{} port {}", line.up ? "drained " : "", name, kEndpointPort)};
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

  // Refuses, and names the drained elements on the path that would exist without drains.
  Refused refuse(PathRefusal refusal) const {
    RouteRefusal out = refusal_of(std::move(refusal));
    if (out.cause == Cause::kNoRoute && view_.with_unknown) {
      if (const auto at = first_unknown_between()) return Refused(unknown(*at));
    }
    const bool for_want_of_a_way = out.cause == Cause::kNoRoute ||
                                   out.cause == Cause::kNoBandwidth ||
                                   out.cause == Cause::kPathBound;
    if (!for_want_of_a_way || !ends_) return Refused(std::move(out));
    const std::string drained = drained_on_the_way();
    if (drained.empty()) return Refused(std::move(out));
    out.text += "; drained: " + drained;
    // For other causes the element names the bound.
    if (out.cause == Cause::kNoRoute) out.element = "drained " + drained;
    return Refused(std::move(out));
  }

 private:
  RouteRefusal unknown(SwitchIndex at) const {
    const std::string& name = topology_.switches()[at].name;
    return {
        Cause::kSwitchUnreachable,
        fmt::format("'{}' is unknown: no SwitchServer has it under control, so no new path uses it",
                    name),
        0, 0, name};
  }

  // The first unknown switch on the path that would exist if nothing were unknown. The query is
  // refused anyway, so the search is kept short.
  std::optional<SwitchIndex> first_unknown_between() const {
    PathQuery query = query_;
    query.labels_max = std::min(query.labels_max, kDoubtedLabelsMax);
    const auto resolved = resolve(*view_.with_unknown, query);
    if (!resolved) return std::nullopt;
    const SearchResult found = search_path(*view_.with_unknown, resolved->spec);
    if (found.end != SearchEnd::kFound) return std::nullopt;
    for (const ArcIndex arc : found.arcs) {
      for (const SwitchIndex at : {view_.with_unknown->from(arc), view_.with_unknown->to(arc)}) {
        if (view_.condition->unknown_switches[at] != 0) return at;
      }
    }
    return std::nullopt;
  }

  bool carries(const RouteGraph& graph, const std::vector<ArcIndex>& arcs) const {
    return std::ranges::all_of(arcs,
                               [&](ArcIndex arc) { return graph.usable(arc, query_.cells_per_s); });
  }

  // "x, b port 2 and 1 more"; empty if there would be no path without drains either.
  std::string drained_on_the_way() const {
    constexpr std::size_t kNamed = 3;
    constexpr std::size_t kLabels = 10'000;  // a refusal does not justify a long search
    const NetworkCondition& condition = *view_.condition;
    std::vector<LinkChange> lifted;
    for (std::size_t link = 0; link < condition.links.size(); ++link) {
      const LineCondition& line = condition.links[link];
      if (!line.up || !line.drained || line.unknown) continue;
      LinkState state = view_.lines->link_state(link);
      state.up = true;
      lifted.push_back({link, state});
    }
    if (lifted.empty()) return {};
    const auto graph = view_.lines->with(lifted);
    if (!graph) return {};
    auto resolved = resolve(*graph, query_);
    if (!resolved) return {};
    resolved->spec.labels_max = std::min(resolved->spec.labels_max, kLabels);
    const SearchResult way = search_path(*graph, resolved->spec);
    if (way.end != SearchEnd::kFound) return {};
    std::vector<std::string> names;
    const auto name = [&](std::string element) {
      if (std::ranges::find(names, element) == names.end()) names.push_back(std::move(element));
    };
    for (const ArcIndex arc : way.arcs) {
      if (!condition.links[graph->link(arc)].drained) continue;
      bool whole = false;
      for (const SwitchIndex at : {graph->from(arc), graph->to(arc)}) {
        if (condition.drained_switches[at] == 0) continue;
        name(topology_.switches()[at].name);
        whole = true;
      }
      if (whole) continue;
      const LinkEnd end = graph->output_end(arc);
      name(fmt::format("{} port {}", topology_.switches()[end.at].name, end.port));
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
      text += (i == 0 ? "" : ", ") + names[i];
    }
    if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
    return text;
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
  routes.reserve(ways.size());
  for (std::vector<ArcIndex>& way : ways) routes.push_back(finder.found(std::move(way)));
  return routes;
}

}  // namespace xbind
