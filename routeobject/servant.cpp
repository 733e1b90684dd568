#include "routeobject/servant.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "orb/process.hpp"
#include "orb/raise.hpp"

namespace xbind {
namespace {

void fill(const Path& path, v1::RouteAnswer& out) {
  out.cause = static_cast<CORBA::Octet>(Cause::kNone);
  out.free_cells_per_s = path.free_cells_per_s;
  out.hops.length(static_cast<CORBA::ULong>(path.hops.size()));
  for (CORBA::ULong i = 0; i < out.hops.length(); ++i) {
    out.hops[i].switch_name = path.hops[i].switch_name.c_str();
    out.hops[i].input_port = path.hops[i].input_port.value();
    out.hops[i].output_port = path.hops[i].output_port.value();
  }
}

void fill(const RouteRefusal& refusal, v1::RouteAnswer& out) {
  out.cause = static_cast<CORBA::Octet>(refusal.cause);
  out.free_cells_per_s = refusal.free;
  out.reason = refusal.text.c_str();
  out.element = refusal.element.c_str();
}

v1::NameSeq* to_new(const std::vector<std::string>& names) {
  auto out = std::make_unique<v1::NameSeq>();
  out->length(static_cast<CORBA::ULong>(names.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) (*out)[i] = names[i].c_str();
  return out.release();
}

}  // namespace

v1::RouteAnswers* RouteObjectServant::find_paths(const v1::RouteQuerySeq& queries) {
  ++invocations_;
  queries_ += queries.length();
  std::vector<RouteQuery> asked;
  asked.reserve(queries.length());
  for (CORBA::ULong i = 0; i < queries.length(); ++i) {
    const v1::RouteQuery& query = queries[i];
    asked.push_back({query.from_end.in(), query.to_end.in(), query.cells_per_s});
    for (CORBA::ULong element = 0; element < query.avoid.length(); ++element) {
      asked.back().avoid.push_back(
          {query.avoid[element].switch_name.in(), PortId{query.avoid[element].output_port}});
    }
  }
  const auto answers = routes_.answer(asked);
  if (!answers) orb::raise(answers.error());
  auto out = std::make_unique<v1::RouteAnswers>();
  out->topology_version = answers->topology_version;
  out->validity_ms = static_cast<CORBA::ULong>(answers->validity_ms);
  out->answers.length(static_cast<CORBA::ULong>(answers->answers.size()));
  for (CORBA::ULong i = 0; i < out->answers.length(); ++i) {
    const auto& answer = answers->answers[i];
    if (answer) {
      fill(*answer, out->answers[i]);
    } else {
      fill(answer.error(), out->answers[i]);
    }
  }
  return out.release();
}

v1::NameSeq* RouteObjectServant::switches() {
  std::vector<std::string> names;
  for (const auto& at : routes_.topology()->switches()) names.push_back(at.name);
  return to_new(names);
}

v1::NameSeq* RouteObjectServant::endpoints() {
  std::vector<std::string> names;
  for (const auto& at : routes_.topology()->switches()) {
    if (at.endpoint) names.push_back(at.name);
  }
  return to_new(names);
}

v1::TrafficDemandSeq* RouteObjectServant::demands() {
  const auto topology = routes_.topology();
  auto out = std::make_unique<v1::TrafficDemandSeq>();
  out->length(static_cast<CORBA::ULong>(topology->demands().size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const auto& demand = topology->demands()[i];
    (*out)[i].from_end = topology->switches()[demand.from].name.c_str();
    (*out)[i].to_end = topology->switches()[demand.to].name.c_str();
    (*out)[i].weight = demand.weight;
  }
  return out.release();
}

v1::MetricSeq* RouteObjectServant::status() {
  return orb::to_metrics({{"rss_kib", orb::own_resident_kib()},
                          {"giop_requests", invocations_.load()},
                          {"queries", queries_.load()},
                          {"topology_version", routes_.version()},
                          {"switches", routes_.topology()->switches().size()},
                          {"links", routes_.topology()->links().size()}});
}

}  // namespace xbind
