#include "routeobject/router.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/check.hpp"
#include "core/planted.hpp"

namespace xbind {
namespace {

std::uint64_t rate_of(std::uint64_t cells_per_s) {
  return std::min(cells_per_s, kLinkCellsPerSMax);
}

Result<std::vector<PortReport>> in_order(std::string_view switch_name,
                                         std::span<const PortReport> ports) {
  if (ports.size() > kPortsMax) {
    return fail(ErrorCode::kBadInput, "{} ports reported of '{}', the most is {}", ports.size(),
                switch_name, kPortsMax);
  }
  std::vector<PortReport> ordered(ports.begin(), ports.end());
  std::ranges::sort(ordered, {}, &PortReport::port);
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const PortId port = ordered[i].port;
    if (port == PortId{}) {
      return fail(ErrorCode::kBadInput, "port 0 reported of '{}' is no port", switch_name);
    }
    if (i > 0 && ordered[i - 1].port == port) {
      return fail(ErrorCode::kBadInput, "port {} of '{}' is in one report twice", port,
                  switch_name);
    }
  }
  return ordered;
}

const PortReport* find_port(const std::vector<PortReport>& ordered, PortId port) {
  const auto found = std::ranges::lower_bound(ordered, port, {}, &PortReport::port);
  return found != ordered.end() && found->port == port ? &*found : nullptr;
}

}  // namespace

Router::Router(std::shared_ptr<const Topology> topology, std::uint64_t first_version,
               SwitchTrustOptions trust)
    : topology_(std::move(topology)), trust_(trust), network_version_(first_version) {
  XB_CHECK(topology_ != nullptr);
  lay_out();
  auto condition = std::make_shared<NetworkCondition>();
  condition->state.version = first_version;
  condition->state.network_version = first_version;
  condition->links.resize(links_.size());
  condition->access_lines.resize(switches_.size());
  condition->drained_switches.resize(switches_.size(), 0);
  condition->unknown_switches.resize(switches_.size(), 0);
  condition_ = std::move(condition);
}

// Another one than the present one, and not 0. After the highest one come the lowest: only whether
// two are equal counts.
Epoch Router::next_incarnation(Epoch present) {
  const std::uint64_t next = present.value() + 1;
  return Epoch{next == 0 ? 1 : next};
}

void Router::lay_out() {
  const auto& links = topology_->links();
  switches_.clear();
  switches_.resize(topology_->switches().size());
  links_.clear();
  links_.reserve(links.size());
  for (std::uint32_t link = 0; link < links.size(); ++link) {
    const std::uint64_t rate = links[link].cells_per_s;
    links_.push_back({{true, rate, rate}, {true, rate, rate}});
    switches_[links[link].a.at].ports.push_back({links[link].a.port, link, true});
    switches_[links[link].b.at].ports.push_back({links[link].b.port, link, false});
  }
}

Result<RouterChange> Router::report(std::string_view switch_name, Epoch incarnation,
                                    std::uint64_t number, std::span<const PortReport> ports,
                                    TimePoint now, ReportAnswer* answer) {
  const auto at = topology_->find(switch_name);
  if (!at) return fail(ErrorCode::kNotFound, "there is no switch '{}' here", switch_name);
  const auto ordered = in_order(switch_name, ports);
  if (!ordered) return tl::make_unexpected(ordered.error());
  SwitchState& of = switches_[*at];
  ++reports_;
  // A process that starts gets the next incarnation. Of a switch that has not reported, or that was
  // silent, any one is taken.
  const bool starts = incarnation == Epoch{} && !planted(Bug::kRestartOverlooked);
  const bool any = starts || !of.reported || of.trust.is_silent();
  if (!any && (incarnation != of.incarnation || number <= of.number)) {
    ++stale_reports_;
    if (answer != nullptr) *answer = {false, of.incarnation};
    return RouterChange{};
  }
  of.reported = true;
  of.incarnation = starts ? next_incarnation(of.incarnation) : incarnation;
  of.number = number;
  if (answer != nullptr) *answer = {true, of.incarnation};
  last_heard_ = std::max(last_heard_, now);
  of.trust.heard(!ports.empty(), trust_, now);

  std::vector<std::uint32_t> touched;
  RouterChange change;
  if (trust_changed(*at)) {
    for (const LinkPort& port : of.ports) touched.push_back(port.link);
  }
  if (ports.empty()) {
    settle(std::array{*at}, touched, change);
    return change;
  }
  of.ports_reported = *ordered;
  take_ports(*at, trust_changed(*at) ? nullptr : &touched);
  settle(std::array{*at}, touched, change);
  return change;
}

void Router::take_ports(SwitchIndex at, std::vector<std::uint32_t>* touched) {
  SwitchState& of = switches_[at];
  for (const LinkPort& port : of.ports) {
    const std::uint64_t rate = topology_->links()[port.link].cells_per_s;
    PortState state{true, rate, rate};
    if (const PortReport* port_report = find_port(of.ports_reported, port.port)) {
      state = {port_report->up, rate_of(port_report->cells_per_s),
               std::min(rate_of(port_report->cells_per_s), port_report->free_cells_per_s)};
    }
    PortState& known = port.is_a ? links_[port.link].a : links_[port.link].b;
    if (known == state) continue;
    known = state;
    if (touched != nullptr) touched->push_back(port.link);
  }
  if (has_access_line(at)) {
    const PortReport* port_report = find_port(of.ports_reported, kEndpointPort);
    of.access_up = port_report == nullptr || port_report->up || planted(Bug::kAccessLineIgnored);
  }
}

Result<RouterChange> Router::drain(const PathElement& element, bool drained) {
  const auto at = topology_->find(element.switch_name);
  if (!at) return fail(ErrorCode::kNotFound, "there is no switch '{}' here", element.switch_name);
  SwitchState& of = switches_[*at];
  std::vector<std::uint32_t> touched;
  if (element.output_port == PortId{}) {
    of.drained = drained;
    for (const LinkPort& port : of.ports) touched.push_back(port.link);
  } else if (const auto link = topology_->link_at({*at, element.output_port})) {
    links_[*link].drained = drained || planted(Bug::kDrainedForEver);
    touched.push_back(static_cast<std::uint32_t>(*link));
  } else if (has_access_line(*at) && element.output_port == kEndpointPort) {
    of.access_drained = drained;
  } else {
    return fail(ErrorCode::kNotFound, "port {} of '{}' has no link and no host",
                element.output_port, element.switch_name);
  }
  RouterChange change;
  settle(std::array{*at}, touched, change);
  return change;
}

std::vector<PathElement> Router::drains() const {
  std::vector<PathElement> drains;
  const auto& switches = topology_->switches();
  for (std::size_t link = 0; link < links_.size(); ++link) {
    if (!links_[link].drained) continue;
    const LinkEnd& end = topology_->links()[link].a;
    drains.push_back({switches[end.at].name, end.port});
  }
  for (SwitchIndex at = 0; at < switches_.size(); ++at) {
    if (switches_[at].drained) drains.push_back({switches[at].name, PortId{}});
    if (switches_[at].access_drained) drains.push_back({switches[at].name, kEndpointPort});
  }
  return drains;
}

RouterChange Router::tick(TimePoint now) {
  if (now - last_tick_ > kTrustAsleep) awake_since_ = now;
  last_tick_ = now;
  const bool hears = now - last_heard_ <= trust_.silent / 2;
  std::vector<SwitchIndex> changed;
  std::vector<std::uint32_t> touched;
  for (SwitchIndex at = 0; at < switches_.size(); ++at) {
    switches_[at].trust.tick(trust_, hears ? awake_since_ : kNever, now);
    if (!trust_changed(at)) continue;
    changed.push_back(at);
    for (const LinkPort& port : switches_[at].ports) touched.push_back(port.link);
  }
  RouterChange change;
  change.condition =
      std::erase_if(removed_, [&](const Removed& it) { return it.until <= now; }) > 0;
  if (changed.empty() && !change.condition) return change;
  std::ranges::sort(touched);
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  settle(changed, touched, change);
  return change;
}

std::vector<UnknownSwitch> Router::unknown_switches(TimePoint now) const {
  std::vector<UnknownSwitch> unknown;
  for (SwitchIndex at = 0; at < switches_.size(); ++at) {
    const SwitchTrust& trust = switches_[at].trust;
    if (condition_->unknown_switches[at] == 0) continue;
    unknown.push_back(
        {topology_->switches()[at].name, now - trust.in_doubt_since(), trust.is_silent()});
  }
  return unknown;
}

LineCondition Router::condition_of(std::size_t link) const {
  const TopologyLink& ends = topology_->links()[link];
  const LinkPorts& ports = links_[link];
  return {ports.a.up && ports.b.up,
          ports.drained || switches_[ends.a.at].drained || switches_[ends.b.at].drained,
          switches_[ends.a.at].trust.unknown() || switches_[ends.b.at].trust.unknown()};
}

LineCondition Router::access_of(SwitchIndex at) const {
  const SwitchState& of = switches_[at];
  return {of.access_up, of.access_drained, of.trust.unknown() && has_access_line(at)};
}

void Router::settle(std::span<const SwitchIndex> at, const std::vector<std::uint32_t>& links,
                    RouterChange& change) {
  for (const SwitchIndex it : at) {
    const std::uint8_t drained = switches_[it].drained ? 1 : 0;
    change.condition = change.condition || condition_->access_lines[it] != access_of(it) ||
                       condition_->drained_switches[it] != drained || trust_changed(it);
  }
  for (const std::uint32_t link : links) {
    const LineCondition condition = condition_of(link);
    change.condition = change.condition || condition_->links[link] != condition;
    const LinkPorts& ports = links_[link];
    change.promised.push_back({link, {condition.usable(), ports.a.promised, ports.b.promised}});
    change.room.push_back({link, {condition.usable(), ports.a.free, ports.b.free}});
  }
  if (!change.condition) return;
  auto next = std::make_shared<NetworkCondition>(*condition_);
  for (const std::uint32_t link : links) next->links[link] = condition_of(link);
  for (const SwitchIndex it : at) {
    next->access_lines[it] = access_of(it);
    next->drained_switches[it] = switches_[it].drained ? 1 : 0;
    next->unknown_switches[it] = switches_[it].trust.unknown() ? 1 : 0;
  }
  if (!planted(Bug::kVersionKept)) ++next->state.version;
  next->state = state_of(*next);
  condition_ = std::move(next);
}

TopologyState Router::state_of(const NetworkCondition& condition) const {
  TopologyState state{condition.state.version, {}, network_version_};
  const auto& switches = topology_->switches();
  const auto add = [&](const LineCondition& line, LinkEnd end) {
    if (line.usable()) return;
    const Unusable why = !line.up       ? Unusable::kDown
                         : line.drained ? Unusable::kDrained
                                        : Unusable::kUnknown;
    state.unusable.push_back({{switches[end.at].name, end.port}, why});
  };
  for (std::size_t link = 0; link < condition.links.size(); ++link) {
    add(condition.links[link], topology_->links()[link].a);
    add(condition.links[link], topology_->links()[link].b);
  }
  for (SwitchIndex at = 0; at < condition.access_lines.size(); ++at) {
    add(condition.access_lines[at], {at, kEndpointPort});
  }
  for (SwitchIndex at = 0; at < condition.unknown_switches.size(); ++at) {
    if (condition.unknown_switches[at] != 0) {
      state.unusable.push_back({{switches[at].name, PortId{}}, Unusable::kUnknown});
    }
  }
  for (const Removed& it : removed_) state.unusable.push_back({it.port, Unusable::kDrained});
  return state;
}

}  // namespace xbind
