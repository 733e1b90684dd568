// Router: the operator replaces the network.
#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "routeobject/network/difference.hpp"
#include "routeobject/router.hpp"

namespace xbind {
namespace {

bool has_port(const Topology& topology, const PathElement& element) {
  const auto at = topology.find(element.switch_name);
  if (!at) return false;
  if (element.output_port == kEndpointPort && topology.switches()[*at].endpoint) return true;
  return topology.link_at({*at, element.output_port}).has_value();
}

}  // namespace

void Router::replace_network(std::shared_ptr<const Topology> topology, TimePoint until) {
  XB_CHECK(topology != nullptr);
  const std::shared_ptr<const Topology> old = std::exchange(topology_, std::move(topology));
  std::vector<SwitchState> switches = std::move(switches_);
  const std::vector<LinkPorts> links = std::move(links_);
  lay_out();
  carry_over(*old, switches, links);
  note_removed(*old, until);
  auto next = std::make_shared<NetworkCondition>();
  for (std::size_t link = 0; link < links_.size(); ++link) {
    next->links.push_back(condition_of(link));
  }
  for (SwitchIndex at = 0; at < switches_.size(); ++at) {
    next->access_lines.push_back(access_of(at));
    next->drained_switches.push_back(switches_[at].drained ? 1 : 0);
    next->unknown_switches.push_back(switches_[at].trust.unknown() ? 1 : 0);
  }
  ++network_version_;
  next->state.version = condition_->state.version + 1;
  next->state = state_of(*next);
  condition_ = std::move(next);
}

std::vector<PortId> Router::reported_ports(std::string_view switch_name) const {
  std::vector<PortId> ports;
  const auto at = topology_->find(switch_name);
  if (!at) return ports;
  for (const PortReport& port : switches_[*at].ports_reported) ports.push_back(port.port);
  return ports;
}

RouterChange Router::whole_state() const {
  RouterChange all;
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    const bool usable = condition_->links[link].usable();
    const LinkPorts& ports = links_[link];
    all.promised.push_back({link, {usable, ports.a.promised, ports.b.promised}});
    all.room.push_back({link, {usable, ports.a.free, ports.b.free}});
  }
  return all;
}

void Router::carry_over(const Topology& old, std::vector<SwitchState>& switches,
                        const std::vector<LinkPorts>& links) {
  for (SwitchIndex at = 0; at < switches.size(); ++at) {
    const auto now = topology_->find(old.switches()[at].name);
    if (!now) continue;
    SwitchState& to = switches_[*now];
    std::vector<LinkPort> ports = std::move(to.ports);
    to = std::move(switches[at]);
    to.ports = std::move(ports);
    if (!has_access_line(*now)) {
      to.access_up = true;
      to.access_drained = false;
    }
    // Without a report that had ports, the lines have the topology's values.
    if (!to.ports_reported.empty()) take_ports(*now, nullptr);
  }
  for (std::size_t link = 0; link < links.size(); ++link) {
    if (!links[link].drained) continue;
    if (const auto now = same_link(*topology_, old, old.links()[link])) {
      links_[*now].drained = true;
    }
  }
}

void Router::note_removed(const Topology& old, TimePoint until) {
  const auto note = [&](LinkEnd end) {
    removed_.push_back({{old.switches()[end.at].name, end.port}, until});
  };
  for (const TopologyLink& link : old.links()) {
    if (same_link(*topology_, old, link)) continue;
    note(link.a);
    note(link.b);
  }
  for (SwitchIndex at = 0; at < old.switches().size(); ++at) {
    if (old.switches()[at].endpoint) note({at, kEndpointPort});
  }
  // Ports that the network has, again or still.
  std::erase_if(removed_, [&](const Removed& it) { return has_port(*topology_, it.port); });
  if (removed_.size() > kRemovedPortsMax) {
    removed_.erase(removed_.begin(), removed_.end() - kRemovedPortsMax);
  }
}

}  // namespace xbind
