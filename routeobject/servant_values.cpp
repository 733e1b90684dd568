#include "routeobject/servant_values.hpp"

#include <algorithm>
#include <utility>

namespace xbind {
namespace {

std::vector<PathElement> elements(const v2::RouteElementSeq& from) {
  std::vector<PathElement> out;
  out.reserve(from.length());
  for (CORBA::ULong i = 0; i < from.length(); ++i) out.push_back(to_core(from[i]));
  return out;
}

void to_idl(const FoundRoute& route, v2::RouteAnswer& out) {
  v2::RouteFound found;
  found.free_cells_per_s = route.path.free_cells_per_s;
  found.delay_us = route.delay_us;
  found.hops.length(static_cast<CORBA::ULong>(route.path.hops.size()));
  for (CORBA::ULong i = 0; i < found.hops.length(); ++i) {
    const PathHop& hop = route.path.hops[i];
    found.hops[i].switch_name = hop.switch_name.c_str();
    found.hops[i].input_port = hop.input_port.value();
    found.hops[i].output_port = hop.output_port.value();
  }
  out.found(found);
}

void to_idl(const RouteRefusal& refusal, v2::RouteAnswer& out) {
  v2::Refusal why;
  why.cause = static_cast<CORBA::Octet>(refusal.cause);
  why.free = refusal.free;
  why.asked = refusal.asked;
  why.reason = refusal.text.c_str();
  why.element = refusal.element.c_str();
  why.retry_after_ms = 0;
  why.owed.removals = 0;
  out.why(why);
}

}  // namespace

Result<PathQuery> to_core(const v2::RouteQuery& query) {
  if (query.metric > v2::metric_load) {
    return fail(ErrorCode::kBadInput, "metric {} from '{}' to '{}' is unknown", query.metric,
                query.from_end.in(), query.to_end.in());
  }
  if (query.disjoint > v2::disjoint_switches) {
    return fail(ErrorCode::kBadInput, "disjoint {} from '{}' to '{}' is unknown", query.disjoint,
                query.from_end.in(), query.to_end.in());
  }
  PathQuery out;
  out.from = query.from_end.in();
  out.to = query.to_end.in();
  out.cells_per_s = query.cells_per_s;
  out.metric = static_cast<PathMetric>(query.metric);
  if (query.delay_us_max != 0) out.delay_us_max = query.delay_us_max;
  if (query.links_max != 0) out.links_max = query.links_max;
  out.avoid = elements(query.avoid);
  out.require = elements(query.require);
  out.disjoint = static_cast<Disjoint>(query.disjoint);
  for (CORBA::ULong i = 0; i < query.disjoint_from.length(); ++i) {
    const v2::RouteHop& hop = query.disjoint_from[i];
    out.disjoint_from.push_back(
        {hop.switch_name.in(), PortId{hop.input_port}, PortId{hop.output_port}});
  }
  return out;
}

PathElement to_core(const v2::RouteElement& element) {
  return {element.switch_name.in(), PortId{element.output_port}};
}

std::vector<PortReport> to_core(const v2::PortNewsSeq& ports) {
  std::vector<PortReport> out;
  out.reserve(ports.length());
  for (CORBA::ULong i = 0; i < ports.length(); ++i) {
    out.push_back({PortId{ports[i].port_number}, ports[i].up, ports[i].cells_per_s,
                   ports[i].free_cells_per_s});
  }
  return out;
}

void to_idl(const RouteAnswers& answers, v2::RouteAnswers& out) {
  out.topology_version = answers.topology_version;
  out.validity_ms = static_cast<CORBA::ULong>(answers.validity_ms);
  out.answers.length(static_cast<CORBA::ULong>(answers.answers.size()));
  for (CORBA::ULong i = 0; i < out.answers.length(); ++i) {
    const RouteAnswer& answer = answers.answers[i];
    if (answer) {
      to_idl(*answer, out.answers[i]);
    } else {
      to_idl(answer.error(), out.answers[i]);
    }
  }
}

void to_idl(const TopologyState& state, std::size_t first, std::size_t limit,
            std::uint32_t validity_ms, v2::TopologyState& out) {
  out.topology_version = state.version;
  out.network_version = state.network_version;
  out.validity_ms = static_cast<CORBA::ULong>(validity_ms);
  out.unusable_count = static_cast<CORBA::ULong>(state.unusable.size());
  first = std::min(first, state.unusable.size());
  out.unusable.length(static_cast<CORBA::ULong>(std::min(limit, state.unusable.size() - first)));
  for (CORBA::ULong i = 0; i < out.unusable.length(); ++i) {
    const UnusableElement& element = state.unusable[first + i];
    out.unusable[i].element.switch_name = element.element.switch_name.c_str();
    out.unusable[i].element.output_port = element.element.output_port.value();
    out.unusable[i].why = static_cast<CORBA::Octet>(element.why);
  }
}

v2::RouteElement to_idl(const PathElement& element) {
  v2::RouteElement out;
  out.switch_name = element.switch_name.c_str();
  out.output_port = element.output_port.value();
  return out;
}

void to_idl(const LinkReport& link, v2::LinkState& out) {
  out.first_end = to_idl(link.first_end);
  out.second_end = to_idl(link.second_end);
  out.up = link.condition.up;
  out.drained = link.condition.drained;
  out.unknown = link.condition.unknown;
  out.cells_per_s = link.cells_per_s;
  out.first_free = link.first_free;
  out.second_free = link.second_free;
  out.delay_us = link.delay_us;
}

}  // namespace xbind
