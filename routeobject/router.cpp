#include "routeobject/router.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

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

Router::Router(std::shared_ptr<const Topology> topology, std::uint64_t first_version)
    : topology_(std::move(topology)) {
  XB_CHECK(topology_ != nullptr);
  const auto& links = topology_->links();
  switches_.resize(topology_->switches().size());
  links_.reserve(links.size());
  for (std::uint32_t link = 0; link < links.size(); ++link) {
    const std::uint64_t rate = links[link].cells_per_s;
    links_.push_back({{true, rate, rate}, {true, rate, rate}});
    switches_[links[link].a.at].ports.push_back({links[link].a.port, link, true});
    switches_[links[link].b.at].ports.push_back({links[link].b.port, link, false});
  }
  auto condition = std::make_shared<NetworkCondition>();
  condition->state.version = first_version;
  condition->links.resize(links.size());
  condition->access_lines.resize(switches_.size());
  condition->drained_switches.resize(switches_.size(), 0);
  condition_ = std::move(condition);
}

Result<RouterChange> Router::report(std::string_view switch_name, Epoch incarnation,
                                    std::uint64_t number, std::span<const PortReport> ports) {
  const auto at = topology_->find(switch_name);
  if (!at) return fail(ErrorCode::kNotFound, "there is no switch '{}' here", switch_name);
  const auto ordered = in_order(switch_name, ports);
  if (!ordered) return tl::make_unexpected(ordered.error());
  SwitchState& of = switches_[*at];
  ++reports_;
  if (of.reported && std::pair{incarnation, number} <= std::pair{of.incarnation, of.number}) {
    ++stale_reports_;
    return RouterChange{};
  }
  of.reported = true;
  of.incarnation = incarnation;
  of.number = number;

  std::vector<std::uint32_t> touched;
  for (const LinkPort& port : of.ports) {
    const std::uint64_t rate = topology_->links()[port.link].cells_per_s;
    PortState now{true, rate, rate};
    if (const PortReport* told = find_port(*ordered, port.port)) {
      now = {told->up, rate_of(told->cells_per_s),
             std::min(rate_of(told->cells_per_s), told->free_cells_per_s)};
    }
    PortState& known = port.is_a ? links_[port.link].a : links_[port.link].b;
    if (known == now) continue;
    known = now;
    touched.push_back(port.link);
  }
  if (has_access_line(*at)) {
    const PortReport* told = find_port(*ordered, kEndpointPort);
    of.access_up = told == nullptr || told->up;
  }
  RouterChange change;
  settle(*at, touched, change);
  return change;
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
    links_[*link].drained = drained;
    touched.push_back(static_cast<std::uint32_t>(*link));
  } else if (has_access_line(*at) && element.output_port == kEndpointPort) {
    of.access_drained = drained;
  } else {
    return fail(ErrorCode::kNotFound, "port {} of '{}' has no link and no host",
                element.output_port, element.switch_name);
  }
  RouterChange change;
  settle(*at, touched, change);
  return change;
}

LineCondition Router::condition_of(std::size_t link) const {
  const TopologyLink& ends = topology_->links()[link];
  const LinkPorts& ports = links_[link];
  return {ports.a.up && ports.b.up,
          ports.drained || switches_[ends.a.at].drained || switches_[ends.b.at].drained};
}

void Router::settle(SwitchIndex at, const std::vector<std::uint32_t>& links, RouterChange& change) {
  const LineCondition access{switches_[at].access_up, switches_[at].access_drained};
  const std::uint8_t drained = switches_[at].drained ? 1 : 0;
  change.condition =
      condition_->access_lines[at] != access || condition_->drained_switches[at] != drained;
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
  next->access_lines[at] = access;
  next->drained_switches[at] = drained;
  ++next->state.version;
  next->state = state_of(*next);
  condition_ = std::move(next);
}

TopologyState Router::state_of(const NetworkCondition& condition) const {
  TopologyState state{condition.state.version, {}};
  const auto& switches = topology_->switches();
  const auto add = [&](const LineCondition& line, LinkEnd end) {
    if (line.usable()) return;
    state.unusable.push_back({{switches[end.at].name, end.port}, line.up});
  };
  for (std::size_t link = 0; link < condition.links.size(); ++link) {
    add(condition.links[link], topology_->links()[link].a);
    add(condition.links[link], topology_->links()[link].b);
  }
  for (SwitchIndex at = 0; at < condition.access_lines.size(); ++at) {
    add(condition.access_lines[at], {at, kEndpointPort});
  }
  return state;
}

}  // namespace xbind
