#include "xbindctl/asking.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/read_file.hpp"
#include "naming/names.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/network.hpp"

namespace xbind::ctl {
namespace {

constexpr std::size_t kNetworkFileOctetsMax = std::size_t{4} << 20;  // idl/route_object.idl

template <class Number>
Number place_of(const std::string& word, const std::vector<std::string>& words) {
  return static_cast<Number>(std::ranges::find(words, word) - words.begin());
}

}  // namespace

std::optional<v2::PhaseCode> phase_of(std::string word) {
  std::ranges::replace(word, '-', ' ');
  for (v2::PhaseCode phase = 0; phase <= v2::phase_incomplete; ++phase) {
    if (word == words_of_phase(phase)) return phase;
  }
  return std::nullopt;
}

std::optional<AggregationChange> change_of(const CommandLine& line, const config::OptionSet& set) {
  if (!set.given("mode")) return std::nullopt;
  AggregationChange change;
  change.mode = place_of<CORBA::Octet>(line.aggregation.mode, aggregation_modes());
  if (set.given("threshold")) change.threshold = line.aggregation.threshold;
  if (set.given("flush-timeout-ms")) change.flush_timeout_ms = line.aggregation.flush_timeout_ms;
  return change;
}

ConnectRequest request_of(const CommandLine& line, RequestId number) {
  ConnectRequest request{number,         line.words[1],         line.words[2], line.service,
                         line.reverse(), line.connect.priority, line.hold_ms()};
  request.from_frames = line.connect.from_frames;
  request.to_frames = line.connect.to_frames;
  return request;
}

PingWish ping_of(orb::NameClient& names, const CommandLine& line, std::uint64_t session) {
  const auto time = [](double ms) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms));
  };
  return {.lines = line.ping.lines,
          .count = line.count,
          .interval = time(line.ping.interval_ms),
          .timeout = time(line.ping.timeout_ms),
          .session = session,
          .bridges = [&names, &line]() -> std::vector<std::string> {
            const auto route_object = route_object_of(names, line);
            if (!route_object) return {};
            const auto topology = network_text(*route_object);
            return topology ? bridges_in(*topology) : std::vector<std::string>{};
          }};
}

RouteWish wish_of(const CommandLine& line, const config::OptionSet& set) {
  RouteWish wish{line.words[1], line.words[2]};
  if (set.given("cells-per-s")) wish.cells_per_s = line.service.cells_per_s;
  wish.metric = place_of<CORBA::Octet>(line.route.metric, metrics());
  wish.delay_us_max = line.route.delay_us_max;
  wish.links_max = line.route.links_max;
  wish.avoid = line.route.avoid;
  wish.require = line.route.require;
  wish.alternates = line.route.alternates;
  wish.disjoint = place_of<CORBA::Octet>(line.route.disjoint, disjointness());
  return wish;
}

OrFailure<CallPage::Plan> plan_of(orb::NameClient& names, const CommandLine& line) {
  const ViewOptions& view = line.view;
  CallPage::Plan plan{.filter = {.from = view.calls.from,
                                 .to = view.calls.to,
                                 .client = line.client,
                                 .switch_name = view.calls.switch_name,
                                 .port = PortId{view.calls.port},
                                 .phase = phase_of(view.calls.state),
                                 .min_cells_per_s = view.calls.min_cells_per_s},
                      .order = place_of<CallOrder>(view.sort, call_orders()),
                      .reverse = view.reverse,
                      .limit = view.limit,
                      .after = view.after};
  if (!view.calls.unusable) return plan;
  const auto route_object = route_object_of(names, line);
  if (!route_object) return tl::make_unexpected(route_object.error());
  auto unusable = call_peer(peer_of(*route_object), *route_object,
                            [&] { return unusable_elements(*route_object); });
  if (!unusable) return tl::make_unexpected(unusable.error());
  plan.filter.unusable = std::move(*unusable);
  return plan;
}

FitQuestion question_of(const CommandLine& line) {
  return {line.words[1],     line.words[2],   line.service,
          line.route_object, line.qos_mapper, line.manager};
}

DaemonNames names_of(const CommandLine& line) {
  return {line.manager, line.route_object, line.qos_mapper};
}

TraceWish trace_of(const CommandLine& line) {
  return {line.manager, ConnectionId{line.id}, line.view.limit, line.view.otlp};
}

Recorded recorded_of(orb::NameClient& names, const CommandLine& line) {
  return [&names, wish = TraceWish{line.manager, ConnectionId{line.id}, 0, {}}] {
    return recorded_at_manager(names, wish);
  };
}

AlarmWish alarms_of(const CommandLine& line) {
  const SupervisionOptions& it = line.view.supervision;
  return {.cleared_too = line.all,
          .unacknowledged = it.unacknowledged,
          .severity = it.severity,
          .kinds = it.kinds,
          .about = it.about};
}

EventWish events_of(const CommandLine& line) {
  return {.subjects = line.view.supervision.kinds,
          .since_s = line.view.supervision.since_s,
          .limit = line.view.limit,
          .json = line.view.json};
}

std::string who_of(const CommandLine& line) {
  if (!line.view.supervision.who.empty()) return line.view.supervision.who;
  const passwd* const user = ::getpwuid(::geteuid());
  return user == nullptr ? fmt::format("user {}", ::geteuid()) : std::string{user->pw_name};
}

std::optional<std::string> client_of(const CommandLine& line) {
  if (line.client.empty()) return std::nullopt;
  return line.client;
}

OrFailure<NetworkWish> network_wish_of(const CommandLine& line) {
  const std::string& action = line.words[1];
  const NetworkOptions& network = line.network;
  NetworkWish wish;
  wish.dry_run = line.dry_run;
  wish.force = line.force;
  wish.wait_s = network.wait_s;
  v2::NetworkEdit& edit = wish.edit;
  const auto end = [](const PathElement& from, v2::RouteElement& to) {
    to.switch_name = from.switch_name.c_str();
    to.output_port = from.output_port.value();
  };
  end(network.first_end, edit.first_end);
  end(network.second_end, edit.second_end);
  edit.endpoint = network.endpoint;
  edit.cells_per_s = network.cells_per_s;
  edit.delay_us = network.delay_us;
  edit.kind = action == "add-node"      ? v2::network_add_switch
              : action == "remove-node" ? v2::network_remove_switch
              : action == "add-link"    ? v2::network_add_link
              : action == "remove-link" ? v2::network_remove_link
              : action == "set-rate"    ? v2::network_set_rate
                                        : v2::network_load;
  if (edit.kind != v2::network_load) return wish;
  const auto text = read_file(line.words[2], kNetworkFileOctetsMax);
  if (!text) return failed(text.error().code, text.error().text);
  // The contract's strings end at such an octet.
  if (text->find('\0') != std::string::npos) {
    return failed(ErrorCode::kBadInput,
                  fmt::format("{}: an octet 0: this is no text", line.words[2]));
  }
  edit.text = text->c_str();
  edit.file_name = line.words[2].c_str();
  return wish;
}

PathElement element_of(const CommandLine& line) {
  return {line.words[1], PortId{static_cast<std::uint32_t>(line.id)}};
}

OrFailure<client::TwoWay> manager_of(orb::NameClient& names, const CommandLine& line) {
  const auto object = resolved(names, PeerKind::kManager,
                               naming::path_of(naming::kConnectionManagers, line.manager));
  if (!object) return tl::make_unexpected(object.error());
  const v2::ConnectionManager_var manager = v2::ConnectionManager::_unchecked_narrow(*object);
  return client::TwoWay(manager);
}

OrFailure<v2::RouteObject_var> route_object_of(orb::NameClient& names, const CommandLine& line) {
  const auto object = resolved(names, PeerKind::kRouteObject,
                               naming::path_of(naming::kRouteObjects, line.route_object));
  if (!object) return tl::make_unexpected(object.error());
  return v2::RouteObject_var(v2::RouteObject::_unchecked_narrow(*object));
}

PlanReader plan_reader(orb::NameClient& names, const CommandLine& line) {
  return [&names, &line]() -> OrFailure<PortPlan> {
    const auto route_object = route_object_of(names, line);
    if (!route_object) return tl::make_unexpected(route_object.error());
    return call_peer(peer_of(*route_object), *route_object,
                     [&]() -> OrFailure<PortPlan> { return port_plan(*route_object); });
  };
}

}  // namespace xbind::ctl
