#include "routeobject/resolved_query.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/check.hpp"

namespace xbind {
namespace {

std::string words_of(const PathElement& element) {
  if (element.output_port == PortId{}) return element.switch_name;
  return fmt::format("{} port {}", element.switch_name, element.output_port);
}

class Resolver {
 public:
  Resolver(const RouteGraph& graph, const PathQuery& query)
      : graph_(graph), topology_(graph.topology()), query_(query) {}

  tl::expected<ResolvedQuery, PathRefusal> run() {
    std::optional<PathRefusal> refusal = ends();
    if (!refusal) refusal = sizes();
    if (!refusal) refusal = avoid();
    if (!refusal) refusal = other_path();
    if (!refusal) refusal = require();
    if (!refusal) refusal = check_required();
    if (refusal) return tl::make_unexpected(*std::move(refusal));
    return std::move(resolved_);
  }

 private:
  SearchSpec& spec() { return resolved_.spec; }

  PathRefusal refusal(PathFault fault, std::string text, std::string element,
                      std::uint64_t asked = 0, std::uint64_t free = 0) const {
    return {fault, std::move(text), asked, free, std::move(element)};
  }

  std::optional<PathRefusal> ends() {
    resolved_.ends = fmt::format("{} -> {}", query_.from, query_.to);
    for (const auto& [name, index] :
         {std::pair{&query_.from, &spec().from}, {&query_.to, &spec().to}}) {
      const auto at = topology_.find(*name);
      if (!at) {
        return refusal(PathFault::kUnknownEnd, fmt::format("there is no endpoint '{}'", *name),
                       *name);
      }
      if (!topology_.switches()[*at].endpoint) {
        return refusal(PathFault::kUnknownEnd,
                       fmt::format("'{}' is a switch but no endpoint", *name), *name);
      }
      *index = *at;
    }
    if (spec().from == spec().to) {
      return refusal(PathFault::kContradiction,
                     fmt::format("source and destination are both '{}'", query_.from),
                     resolved_.ends);
    }
    return std::nullopt;
  }

  std::optional<PathRefusal> sizes() {
    for (const auto& [what, size, most] :
         {std::tuple{"avoid", query_.avoid.size(), kPathAvoidMax},
          {"require", query_.require.size(), kPathRequiredMax},
          {"be disjoint from", query_.disjoint_from.size(), kSwitchesMax}}) {
      if (size <= most) continue;
      return refusal(PathFault::kTooManyElements,
                     fmt::format("{} elements to {} from '{}' to '{}', the most is {}", size, what,
                                 query_.from, query_.to, most),
                     resolved_.ends, size, most);
    }
    if (query_.links_max == 0u) {
      return refusal(
          PathFault::kContradiction,
          fmt::format("at most 0 links cannot join '{}' and '{}'", query_.from, query_.to),
          resolved_.ends);
    }
    spec().cells_per_s = query_.cells_per_s;
    spec().metric = query_.metric;
    spec().delay_us_max = query_.delay_us_max.value_or(kNoDelayBound);
    spec().links_max = query_.links_max.value_or(kNoLinkBound);
    spec().labels_max = query_.labels_max;
    spec().blocked_switch.assign(topology_.switches().size(), 0);
    spec().blocked_link.assign(topology_.links().size(), 0);
    return std::nullopt;
  }

  bool is_end(SwitchIndex at) { return at == spec().from || at == spec().to; }

  bool is_access_port(SwitchIndex at, PortId port) const {
    return topology_.switches()[at].endpoint && port == kEndpointPort;
  }

  std::optional<PathRefusal> avoid() {
    for (const PathElement& element : query_.avoid) {
      const auto at = topology_.find(element.switch_name);
      if (!at) continue;
      if (element.output_port == PortId{}) {
        spec().blocked_switch[*at] = 1;
      } else if (const auto link = topology_.link_at({*at, element.output_port})) {
        spec().blocked_link[*link] = 1;
      } else if (is_access_port(*at, element.output_port)) {
        if (is_end(*at)) spec().blocked_switch[*at] = 1;
      } else {
        continue;
      }
      if (++resolved_.avoided_count <= kAvoidedNamed) {
        resolved_.avoided.push_back(words_of(element));
      }
    }
    return std::nullopt;
  }

  std::optional<PathRefusal> other_path() {
    if (query_.disjoint == Disjoint::kNo) return std::nullopt;
    if (query_.disjoint_from.empty()) {
      return refusal(PathFault::kContradiction,
                     fmt::format("the path from '{}' to '{}' is to be disjoint from a path of 0 "
                                 "switches",
                                 query_.from, query_.to),
                     resolved_.ends);
    }
    for (const PathHop& hop : query_.disjoint_from) {
      const auto at = topology_.find(hop.switch_name);
      if (!at) continue;
      for (const PortId port : {hop.input_port, hop.output_port}) {
        if (const auto link = topology_.link_at({*at, port})) spec().blocked_link[*link] = 1;
      }
      if (query_.disjoint == Disjoint::kSwitches && !is_end(*at)) spec().blocked_switch[*at] = 1;
    }
    return std::nullopt;
  }

  std::optional<PathRefusal> require() {
    for (const PathElement& element : query_.require) {
      const std::string words = words_of(element);
      const auto at = topology_.find(element.switch_name);
      if (!at) {
        return refusal(PathFault::kUnknownElement,
                       fmt::format("there is no switch '{}' to go through", element.switch_name),
                       words);
      }
      if (element.output_port == PortId{}) {
        if (const auto fault = require_switch(*at, words)) return fault;
        continue;
      }
      if (const auto link = topology_.link_at({*at, element.output_port})) {
        if (const auto fault = require_link(*link, words)) return fault;
        continue;
      }
      if (!is_access_port(*at, element.output_port)) {
        return refusal(PathFault::kUnknownElement,
                       fmt::format("{} has no link to go through", words), words);
      }
      if (!is_end(*at)) {
        return refusal(
            PathFault::kContradiction,
            fmt::format("{} leads to a host that is no end of {}", words, resolved_.ends), words);
      }
    }
    return std::nullopt;
  }

  PathRefusal required_and_excluded(const std::string& words) const {
    return refusal(PathFault::kContradiction, fmt::format("{} is required and excluded", words),
                   words);
  }

  std::optional<PathRefusal> require_switch(SwitchIndex at, const std::string& words) {
    if (spec().blocked_switch[at] != 0) return required_and_excluded(words);
    if (!is_end(at) && std::ranges::find(spec().via_switches, at) == spec().via_switches.end()) {
      spec().via_switches.push_back(at);
    }
    return std::nullopt;
  }

  std::optional<PathRefusal> require_link(std::size_t link, const std::string& words) {
    const TopologyLink& ends = topology_.links()[link];
    if (spec().blocked_link[link] != 0 || spec().blocked_switch[ends.a.at] != 0 ||
        spec().blocked_switch[ends.b.at] != 0) {
      return required_and_excluded(words);
    }
    const auto index = static_cast<std::uint32_t>(link);
    if (std::ranges::find(spec().via_links, index) == spec().via_links.end()) {
      spec().via_links.push_back(index);
    }
    return std::nullopt;
  }

  // Refuses required links that no loopless path can contain: a path has at most two links at a
  // switch, one at its ends, and no two between the same switches.
  std::optional<PathRefusal> check_required() {
    std::map<SwitchIndex, std::vector<SwitchIndex>> joined;
    std::map<SwitchIndex, int> passed;
    for (const SwitchIndex at : spec().via_switches) passed[at] = 1;
    for (const std::uint32_t link : spec().via_links) {
      const TopologyLink& ends = topology_.links()[link];
      for (const auto& [here, there] : {std::pair{ends.a, ends.b}, {ends.b, ends.a}}) {
        std::vector<SwitchIndex>& others = joined[here.at];
        const bool parallel = std::ranges::find(others, there.at) != others.end();
        others.push_back(there.at);
        if (!is_end(here.at)) passed[here.at] = 1;
        if (!parallel && others.size() <= (is_end(here.at) ? 1u : 2u)) continue;
        const std::string& name = topology_.switches()[here.at].name;
        return refusal(PathFault::kContradiction,
                       fmt::format("{} of the required links end at '{}', a loopless path from "
                                   "'{}' to '{}' cannot have them all",
                                   others.size(), name, query_.from, query_.to),
                       name);
      }
    }
    const std::size_t needed = passed.size() + 1;
    if (needed > spec().links_max) {
      return refusal(PathFault::kContradiction,
                     fmt::format("the required elements take {} links, at most {} are allowed from "
                                 "'{}' to '{}'",
                                 needed, spec().links_max, query_.from, query_.to),
                     resolved_.ends, spec().links_max, needed);
    }
    return std::nullopt;
  }

  const RouteGraph& graph_;
  const Topology& topology_;
  const PathQuery& query_;
  ResolvedQuery resolved_;
};

}  // namespace

std::string_view to_string(PathFault fault) {
  switch (fault) {
    case PathFault::kUnknownEnd: return "unknown end";
    case PathFault::kUnknownElement: return "unknown element";
    case PathFault::kContradiction: return "contradiction";
    case PathFault::kTooManyElements: return "too many elements";
    case PathFault::kDisconnected: return "disconnected";
    case PathFault::kNoBandwidth: return "no bandwidth";
    case PathFault::kTooManyLinks: return "too many links";
    case PathFault::kTooSlow: return "too slow";
    case PathFault::kNoneMeetsAll: return "none meets all";
    case PathFault::kTooHard: return "too hard";
  }
  return "unknown fault";
}

tl::expected<ResolvedQuery, PathRefusal> resolve(const RouteGraph& graph, const PathQuery& query) {
  return Resolver(graph, query).run();
}

PathRefusal why_none(const RouteGraph& graph, const PathQuery& query,
                     const ResolvedQuery& resolved) {
  // Tests one bound after the other; each search omits the bounds that come later.
  SearchSpec spec = resolved.spec;
  spec.via_switches.clear();
  spec.via_links.clear();
  spec.delay_us_max = kNoDelayBound;
  spec.links_max = kNoLinkBound;
  spec.metric = PathMetric::kHops;
  spec.cells_per_s = 0;
  if (search_path(graph, spec).end != SearchEnd::kFound) {
    std::string text = fmt::format("no path joins '{}' and '{}'", query.from, query.to);
    std::string_view glue = " that";
    if (!resolved.avoided.empty()) {
      text += fmt::format(" that avoids {}", fmt::join(resolved.avoided, ", "));
      const std::size_t more = resolved.avoided_count - resolved.avoided.size();
      if (more != 0) text += fmt::format(" and {} more", more);
      glue = " and";
    }
    if (query.disjoint != Disjoint::kNo) {
      text += fmt::format("{} shares no {} with the path of {} switches", glue,
                          query.disjoint == Disjoint::kLinks ? "link" : "switch",
                          query.disjoint_from.size());
    }
    return {PathFault::kDisconnected, std::move(text), 0, 0, resolved.ends};
  }
  spec.cells_per_s = query.cells_per_s;
  const SearchResult fewest = search_path(graph, spec);
  if (fewest.end != SearchEnd::kFound) {
    const std::uint64_t widest = widest_rate(graph, spec);
    return {PathFault::kNoBandwidth,
            fmt::format("asked {} cells/s from '{}' to '{}', the widest path has {}",
                        query.cells_per_s, query.from, query.to, widest),
            query.cells_per_s, widest, resolved.ends};
  }
  if (query.links_max && fewest.arcs.size() > *query.links_max) {
    return {PathFault::kTooManyLinks,
            fmt::format("asked at most {} links from '{}' to '{}', the shortest path has {}",
                        *query.links_max, query.from, query.to, fewest.arcs.size()),
            *query.links_max, fewest.arcs.size(), resolved.ends};
  }
  spec.metric = PathMetric::kDelay;
  const SearchResult fastest = search_path(graph, spec);
  if (query.delay_us_max && fastest.cost > *query.delay_us_max) {
    return {PathFault::kTooSlow,
            fmt::format("asked at most {} us from '{}' to '{}', the fastest path takes {}",
                        *query.delay_us_max, query.from, query.to, fastest.cost),
            *query.delay_us_max, fastest.cost, resolved.ends};
  }
  std::vector<std::string> wanted{fmt::format("{} cells/s", query.cells_per_s)};
  if (query.links_max) wanted.push_back(fmt::format("at most {} links", *query.links_max));
  if (query.delay_us_max) wanted.push_back(fmt::format("at most {} us", *query.delay_us_max));
  for (const PathElement& element : query.require) {
    wanted.push_back(fmt::format("through {}", words_of(element)));
  }
  return {PathFault::kNoneMeetsAll,
          fmt::format("no loopless path from '{}' to '{}' has all of: {}", query.from, query.to,
                      fmt::join(wanted, ", ")),
          0, 0, resolved.ends};
}

PathRefusal too_hard(const PathQuery& query, const ResolvedQuery& resolved) {
  return {PathFault::kTooHard,
          fmt::format("the best path from '{}' to '{}' takes more than {} labels to find",
                      query.from, query.to, query.labels_max),
          query.labels_max, 0, resolved.ends};
}

FoundPath found_path(const RouteGraph& graph, PathMetric metric, std::uint64_t cells_per_s,
                     std::vector<ArcIndex> arcs) {
  XB_CHECK(!arcs.empty());
  FoundPath found;
  const auto& switches = graph.topology().switches();
  found.path.hops.reserve(arcs.size() + 1);
  found.path.free_cells_per_s = graph.free(arcs.front());
  PortId input = kEndpointPort;
  for (const ArcIndex arc : arcs) {
    const LinkEnd output = graph.output_end(arc);
    found.path.hops.push_back({switches[output.at].name, input, output.port});
    input = graph.input_end(arc).port;
    found.path.free_cells_per_s = std::min(found.path.free_cells_per_s, graph.free(arc));
    found.cost += arc_cost(graph, arc, metric, cells_per_s);
    found.delay_us += graph.delay_us(arc);
  }
  found.path.hops.push_back({switches[graph.to(arcs.back())].name, input, kEndpointPort});
  found.arcs = std::move(arcs);
  return found;
}

}  // namespace xbind
