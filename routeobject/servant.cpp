#include "routeobject/servant.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/peer_faults.hpp"
#include "orb/process.hpp"
#include "orb/raise.hpp"
#include "orb/reply.hpp"
#include "routeobject/servant_values.hpp"

namespace xbind {
namespace {

constexpr CORBA::ULong kPageMax = 10'000;

void check_page(CORBA::ULong limit) {
  if (limit == 0 || limit > kPageMax) {
    throw v2::BadRequest(fmt::format("limit {} is not in 1..{}", limit, kPageMax).c_str());
  }
}

// The number of leading elements that fit into one reply.
template <class Sequence>
CORBA::ULong fitting(const Sequence& sequence) {
  orb::ReplyRoom room;
  CORBA::ULong count = 0;
  while (count < sequence.length() && room.take(orb::octets_of(sequence[count]))) ++count;
  return count;
}

std::vector<std::string> endpoints_of(const Topology& topology) {
  std::vector<std::string> names;
  for (const auto& at : topology.switches()) {
    if (at.endpoint) names.push_back(at.name);
  }
  return names;
}

// One page of the `names` names that `name_of` returns.
template <class NameOf>
v2::NameSeq* page_of(std::size_t names, CORBA::ULong first, CORBA::ULong limit, NameOf name_of) {
  check_page(limit);
  auto out = std::make_unique<v2::NameSeq>();
  const std::size_t from = std::min<std::size_t>(first, names);
  out->length(static_cast<CORBA::ULong>(std::min<std::size_t>(limit, names - from)));
  orb::ReplyRoom room;
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const std::string& name = name_of(from + i);
    if (!room.take(orb::cdr_string(name.size()))) {
      out->length(i);
      break;
    }
    (*out)[i] = name.c_str();
  }
  return out.release();
}

std::unique_ptr<v2::RouteAnswers> to_new(const Result<RouteAnswers>& answers) {
  if (!answers) orb::raise(answers.error());
  auto out = std::make_unique<v2::RouteAnswers>();
  to_idl(*answers, *out);
  return out;
}

// Notifies the watchers if the version has risen. `cause`: the origin of the change, for the log.
void notify_if_changed(RouteService& routes, RemoteWatchers& watchers, const Result<bool>& risen,
                       const std::string& cause) {
  if (!risen) orb::raise(risen.error());
  if (!*risen) return;
  watchers.tell();
  const auto now = routes.condition();
  log::routes.info("topology version {} after {}: {} ports unusable", now->state.version, cause,
                   now->state.unusable.size());
}

// The sources of a status.
struct StatusReading {
  std::uint64_t requests;
  std::uint64_t queries;
  const TopologyState& state;
  const Topology& topology;
  const RouteService::Counters& routes;
  const RemoteWatchers::Counters& watchers;
};

constexpr MetricRow<StatusReading> kRouteMetrics[] = {
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     [](const StatusReading&) { return orb::own_resident_kib(); }, MetricScope::kProcess},
    {"giop_requests", MetricKind::kCounter, "", "Requests of managers and SwitchServers.",
     [](const StatusReading& at) { return std::uint64_t{at.requests}; }},
    {"queries", MetricKind::kCounter, "", "Queries for a path.",
     [](const StatusReading& at) { return std::uint64_t{at.queries}; }},
    {"topology_version", MetricKind::kGauge, "",
     "Version of the topology; it rises with each change.",
     [](const StatusReading& at) { return std::uint64_t{at.state.version}; }},
    {"network_version", MetricKind::kGauge, "",
     "Version of the switches and links; it rises when the operator changes them.",
     [](const StatusReading& at) { return std::uint64_t{at.state.network_version}; }},
    {"switches", MetricKind::kGauge, "", "Switches of the topology.",
     [](const StatusReading& at) { return std::uint64_t{at.topology.switches().size()}; }},
    {"switches_unknown", MetricKind::kGauge, "",
     "Switches that no SwitchServer is known to control.",
     [](const StatusReading& at) { return std::uint64_t{at.routes.switches_unknown}; }},
    {"links", MetricKind::kGauge, "", "Links of the topology.",
     [](const StatusReading& at) { return std::uint64_t{at.topology.links().size()}; }},
    {"links_down", MetricKind::kGauge, "", "Links with a port that is down.",
     [](const StatusReading& at) { return std::uint64_t{at.routes.links_down}; }},
    {"links_unknown", MetricKind::kGauge, "", "Links at a switch that is unknown.",
     [](const StatusReading& at) { return std::uint64_t{at.routes.links_unknown}; }},
    {"links_drained", MetricKind::kGauge, "", "Links that are drained, or at a drained switch.",
     [](const StatusReading& at) { return std::uint64_t{at.routes.links_drained}; }},
    {"reports", MetricKind::kCounter, "", "Port reports taken from SwitchServers.",
     [](const StatusReading& at) { return std::uint64_t{at.routes.reports}; }},
    {"stale_reports", MetricKind::kCounter, "",
     "Port reports ignored because a later one had arrived.",
     [](const StatusReading& at) { return std::uint64_t{at.routes.stale_reports}; }},
    {"watchers", MetricKind::kGauge, "", "Managers that watch the topology.",
     [](const StatusReading& at) { return std::uint64_t{at.watchers.watchers}; }},
    {"notices_sent", MetricKind::kCounter, "", "Notices of changes sent to watchers.",
     [](const StatusReading& at) { return std::uint64_t{at.watchers.notices_sent}; }},
    {"watchers_lost", MetricKind::kCounter, "",
     "Watchers dropped because they could not be reached.",
     [](const StatusReading& at) { return std::uint64_t{at.watchers.watchers_lost}; }},
};
constexpr MetricNames kSwitchAgeMetrics{{
    {"report_age_ms/<switch>", MetricKind::kGauge, "ms",
     "Time since the switch's SwitchServer last reported its ports."},
    {"unknown_switch_ms/<switch>", MetricKind::kGauge, "ms",
     "Time for which no SwitchServer is known to control the switch."},
}};

// Appends "report_age_ms/switch-1" for each switch that has reported; in a large network only the
// first kShown, so that the reply stays short.
void append_report_ages(const std::vector<RouteService::ReportAge>& ages, Metrics& metrics) {
  constexpr std::size_t kShown = 4'000;
  for (std::size_t i = 0; i < std::min(ages.size(), kShown); ++i) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(ages[i].age).count();
    metrics.emplace_back(filled(kSwitchAgeMetrics["report_age_ms/<switch>"], {ages[i].switch_name}),
                         static_cast<std::uint64_t>(ms));
  }
}

// Appends "unknown_switch_ms/switch-1" for each unknown switch, with the same limit.
void append_unknown(const std::vector<UnknownSwitch>& unknown, Metrics& metrics) {
  constexpr std::size_t kShown = 4'000;
  for (std::size_t i = 0; i < std::min(unknown.size(), kShown); ++i) {
    const auto ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(unknown[i].in_doubt).count();
    metrics.emplace_back(filled(kSwitchAgeMetrics["unknown_switch_ms/<switch>"], {unknown[i].name}),
                         static_cast<std::uint64_t>(ms));
  }
}

}  // namespace

RouteObjectServant::RouteObjectServant(orb::Dispatch& dispatch, RouteService& routes,
                                       RemoteWatchers& watchers, v2::RouteOperations_ptr operations,
                                       Impairments* impairments)
    : Dispatched(dispatch),
      routes_(routes),
      watchers_(watchers),
      operations_(v2::RouteOperations::_duplicate(operations)),
      impairments_(impairments) {}

v2::RouteAnswers* RouteObjectServant::find_paths(const v2::RouteQuerySeq& queries) {
  ++invocations_;
  queries_ += queries.length();
  if (impairments_ != nullptr) impairments_->received(queries.length());
  std::vector<PathQuery> asked;
  asked.reserve(queries.length());
  for (CORBA::ULong i = 0; i < queries.length(); ++i) {
    auto query = to_core(queries[i]);
    if (!query) orb::raise(query.error());
    asked.push_back(*std::move(query));
  }
  const auto answers = routes_.answer(asked);
  if (impairments_ != nullptr) impairments_->sending(queries.length());
  auto out = to_new(answers);
  // Each query has exactly one answer, so the list cannot be shortened.
  if (const CORBA::ULong fit = fitting(out->answers); fit < out->answers.length()) {
    throw v2::BadRequest(fmt::format("the answers to {} queries exceed {} octets, those to the "
                                     "first {} fit: send fewer at a time",
                                     queries.length(), orb::kReplyOctetsMax, fit)
                             .c_str());
  }
  return out.release();
}

v2::RouteAnswers* RouteObjectServant::find_alternates(const v2::RouteQuery& query,
                                                      CORBA::ULong count) {
  ++invocations_;
  ++queries_;
  const auto asked = to_core(query);
  if (!asked) orb::raise(asked.error());
  auto out = to_new(routes_.alternates(*asked, count));
  out->answers.length(fitting(out->answers));
  return out.release();
}

v2::ReportAnswer* RouteObjectServant::report_ports(const char* switch_name, v2::Epoch incarnation,
                                                   CORBA::ULongLong number,
                                                   const v2::PortNewsSeq& ports) {
  ++invocations_;
  const std::vector<PortReport> reported = to_core(ports);
  ReportAnswer answer;
  notify_if_changed(
      routes_, watchers_,
      routes_.report(switch_name, Epoch{incarnation}, number, reported, steady_now(), &answer),
      fmt::format("report {} of {}", number, switch_name));
  const std::vector<PortRate> rates = routes_.topology()->rates_set(switch_name);
  auto out = std::make_unique<v2::ReportAnswer>();
  out->taken = answer.taken;
  out->incarnation = answer.incarnation.value();
  out->rates.length(static_cast<CORBA::ULong>(rates.size()));
  for (CORBA::ULong i = 0; i < out->rates.length(); ++i) {
    out->rates[i] = {rates[i].port.value(), rates[i].cells_per_s};
  }
  return out.release();
}

v2::TopologyState* RouteObjectServant::watch(const char* watcher,
                                             v2::TopologyObserver_ptr observer) {
  ++invocations_;
  const auto watching = watchers_.watch(watcher, observer);
  if (!watching) throw v2::Unavailable(watching.error().text.c_str());
  auto out = std::make_unique<v2::TopologyState>();
  to_idl(routes_.condition()->state, 0, kUnusableAtOnce, routes_.validity_ms(), *out);
  return out.release();
}

void RouteObjectServant::unwatch(const char* watcher) {
  ++invocations_;
  watchers_.unwatch(watcher);
}

v2::TopologyState* RouteObjectServant::unusable_elements(CORBA::ULong first, CORBA::ULong limit) {
  ++invocations_;
  check_page(limit);
  auto out = std::make_unique<v2::TopologyState>();
  to_idl(routes_.condition()->state, first, limit, routes_.validity_ms(), *out);
  out->unusable.length(fitting(out->unusable));
  return out.release();
}

v2::NameSeq* RouteObjectServant::switches(CORBA::ULong first, CORBA::ULong limit) {
  const auto topology = routes_.topology();
  const auto& all = topology->switches();
  return page_of(all.size(), first, limit,
                 [&](std::size_t i) -> const std::string& { return all[i].name; });
}

v2::NameSeq* RouteObjectServant::endpoints(CORBA::ULong first, CORBA::ULong limit) {
  const std::vector<std::string> names = endpoints_of(*routes_.topology());
  return page_of(names.size(), first, limit,
                 [&](std::size_t i) -> const std::string& { return names[i]; });
}

v2::TrafficDemandSeq* RouteObjectServant::demands(CORBA::ULong first, CORBA::ULong limit) {
  check_page(limit);
  const auto network = routes_.topology();
  const Topology& topology = *network;
  const std::size_t from = std::min<std::size_t>(first, topology.demands().size());
  auto out = std::make_unique<v2::TrafficDemandSeq>();
  out->length(
      static_cast<CORBA::ULong>(std::min<std::size_t>(limit, topology.demands().size() - from)));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    const auto& demand = topology.demands()[from + i];
    (*out)[i].from_end = topology.switches()[demand.from].name.c_str();
    (*out)[i].to_end = topology.switches()[demand.to].name.c_str();
    (*out)[i].weight = demand.weight;
  }
  out->length(fitting(*out));
  return out.release();
}

v2::RouteOperations_ptr RouteObjectServant::route_operations() {
  return v2::RouteOperations::_duplicate(operations_);
}

v2::MetricSeq* RouteObjectServant::status() {
  Metrics counted = metrics();
  orb::append_peer_faults(counted);
  dispatch().append_metrics(counted);
  return orb::to_metrics(counted);
}

exporter::Part RouteObjectServant::exposed_part() {
  return {"RouteObject",
          {},
          [this](const std::function<void(exporter::Reading)>& done) {
            done({metrics(), {}, {}});
          },
          [this](Metrics& counted) {
            orb::append_peer_faults(counted);
            dispatch().append_metrics(counted);
          }};
}

Metrics RouteObjectServant::metrics() const {
  const RouteService::Counters routes = routes_.counters();
  const RemoteWatchers::Counters watchers = watchers_.counters();
  const auto topology = routes_.topology();
  const StatusReading reading{invocations_.load(), queries_.load(), routes_.condition()->state,
                              *topology,           routes,          watchers};
  Metrics metrics;
  append(kRouteMetrics, reading, metrics);
  append_report_ages(routes_.report_ages(steady_now()), metrics);
  append_unknown(routes_.unknown_switches(steady_now()), metrics);
  return metrics;
}

std::vector<MetricTable> route_object_metrics() {
  return {metric_table("routeobject", kRouteMetrics, kSwitchAgeMetrics), orb::upcall_metrics(),
          orb::alarm_metrics()};
}

// ===== for operators =====

void RouteOperationsServant::drain(const v2::RouteElement& element, CORBA::Boolean drained) {
  notify_if_changed(routes_, watchers_, drains_.drain(to_core(element), drained),
                    fmt::format("{} {} port {}", drained ? "draining" : "undraining",
                                element.switch_name.in(), element.output_port));
}

v2::LinkStateSeq* RouteOperationsServant::links(CORBA::ULong first, CORBA::ULong limit) {
  const auto found = routes_.links(first, limit);
  if (!found) orb::raise(found.error());
  auto out = std::make_unique<v2::LinkStateSeq>();
  out->length(static_cast<CORBA::ULong>(found->size()));
  for (CORBA::ULong i = 0; i < out->length(); ++i) {
    to_idl((*found)[i], (*out)[i]);
  }
  out->length(fitting(*out));
  return out.release();
}

}  // namespace xbind
