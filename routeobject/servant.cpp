#include "routeobject/servant.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/log.hpp"
#include "orb/process.hpp"
#include "orb/raise.hpp"
#include "routeobject/servant_values.hpp"

namespace xbind {
namespace {

v1::NameSeq* to_new(const std::vector<std::string>& names) {
  auto out = std::make_unique<v1::NameSeq>();
  out->length(static_cast<CORBA::ULong>(names.size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) (*out)[i] = names[i].c_str();
  return out.release();
}

v1::RouteAnswers* to_new(const Result<RouteAnswers>& answers) {
  if (!answers) orb::raise(answers.error());
  auto out = std::make_unique<v1::RouteAnswers>();
  to_idl(*answers, *out);
  return out.release();
}

}  // namespace

v1::RouteAnswers* RouteObjectServant::find_paths(const v1::RouteQuerySeq& queries) {
  ++invocations_;
  queries_ += queries.length();
  if (pace_ != nullptr) pace_->take(queries.length());
  std::vector<PathQuery> asked;
  asked.reserve(queries.length());
  for (CORBA::ULong i = 0; i < queries.length(); ++i) {
    auto query = to_core(queries[i]);
    if (!query) orb::raise(query.error());
    asked.push_back(*std::move(query));
  }
  const auto answers = routes_.answer(asked);
  if (pace_ != nullptr) pace_->send(queries.length());
  return to_new(answers);
}

v1::RouteAnswers* RouteObjectServant::find_alternates(const v1::RouteQuery& query,
                                                      CORBA::ULong count) {
  ++invocations_;
  ++queries_;
  const auto asked = to_core(query);
  if (!asked) orb::raise(asked.error());
  return to_new(routes_.alternates(*asked, count));
}

void RouteObjectServant::tell_if(const Result<bool>& risen, const std::string& cause) {
  if (!risen) orb::raise(risen.error());
  if (!*risen) return;
  watchers_.tell();
  const auto now = routes_.condition();
  log::info("topology version {} after {}: {} ports unusable", now->state.version, cause,
            now->state.unusable.size());
}

void RouteObjectServant::report_ports(const char* switch_name, v1::Epoch incarnation,
                                      CORBA::ULongLong number, const v1::PortNewsSeq& ports) {
  ++invocations_;
  const std::vector<PortReport> reported = to_core(ports);
  tell_if(routes_.report(switch_name, Epoch{incarnation}, number, reported),
          fmt::format("report {} of {}", number, switch_name));
}

v1::TopologyState* RouteObjectServant::watch(const char* watcher,
                                             v1::TopologyObserver_ptr observer) {
  ++invocations_;
  const auto watching = watchers_.watch(watcher, observer);
  if (!watching) throw v1::Unavailable(watching.error().text.c_str());
  auto out = std::make_unique<v1::TopologyState>();
  to_idl(routes_.condition()->state, routes_.validity_ms(), *out);
  return out.release();
}

void RouteObjectServant::unwatch(const char* watcher) {
  ++invocations_;
  watchers_.unwatch(watcher);
}

void RouteObjectServant::drain(const v1::RouteElement& element, CORBA::Boolean drained) {
  ++invocations_;
  tell_if(routes_.drain(to_core(element), drained),
          fmt::format("{} {} port {}", drained ? "draining" : "undraining",
                      element.switch_name.in(), element.output_port));
}

v1::LinkStateSeq* RouteObjectServant::links(CORBA::ULong first, CORBA::ULong limit) {
  ++invocations_;
  const auto found = routes_.links(first, limit);
  if (!found) orb::raise(found.error());
  auto out = std::make_unique<v1::LinkStateSeq>();
  out->length(static_cast<CORBA::ULong>(found->size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    to_idl((*found)[i], routes_.topology(), (*out)[i]);
  }
  return out.release();
}

v1::NameSeq* RouteObjectServant::switches() {
  std::vector<std::string> names;
  for (const auto& at : routes_.topology().switches()) names.push_back(at.name);
  return to_new(names);
}

v1::NameSeq* RouteObjectServant::endpoints() {
  std::vector<std::string> names;
  for (const auto& at : routes_.topology().switches()) {
    if (at.endpoint) names.push_back(at.name);
  }
  return to_new(names);
}

v1::TrafficDemandSeq* RouteObjectServant::demands() {
  const Topology& topology = routes_.topology();
  auto out = std::make_unique<v1::TrafficDemandSeq>();
  out->length(static_cast<CORBA::ULong>(topology.demands().size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const auto& demand = topology.demands()[i];
    (*out)[i].from_end = topology.switches()[demand.from].name.c_str();
    (*out)[i].to_end = topology.switches()[demand.to].name.c_str();
    (*out)[i].weight = demand.weight;
  }
  return out.release();
}

v1::MetricSeq* RouteObjectServant::status() {
  const RouteService::Counters routes = routes_.counters();
  const RemoteWatchers::Counters watchers = watchers_.counters();
  return orb::to_metrics({{"rss_kib", orb::own_resident_kib()},
                          {"giop_requests", invocations_.load()},
                          {"queries", queries_.load()},
                          {"topology_version", routes_.version()},
                          {"switches", routes_.topology().switches().size()},
                          {"links", routes_.topology().links().size()},
                          {"links_down", routes.links_down},
                          {"links_drained", routes.links_drained},
                          {"reports", routes.reports},
                          {"stale_reports", routes.stale_reports},
                          {"watchers", watchers.watchers},
                          {"notices_sent", watchers.notices_sent},
                          {"watchers_lost", watchers.watchers_lost}});
}

}  // namespace xbind
