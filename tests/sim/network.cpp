#include "tests/sim/network.hpp"

#include <fmt/format.h>

#include "core/check.hpp"

namespace xbind::sim {
namespace {

constexpr PortId kBefore{2};
constexpr PortId kAfter{3};
constexpr PortId kChord{4};
constexpr PortId kSecond{5};

}  // namespace

std::string Network::switch_name(std::size_t at) { return fmt::format("switch-{}", at); }

std::uint64_t Network::rate(std::size_t at, PortId port) const {
  if (port == kBefore || port == kAfter) return kLineRate;
  if (port != kHost) return far_end(at, port) ? kChordRate : 0;
  std::uint64_t all = 0;
  for (const PortId link : {kBefore, kAfter, kChord, kSecond}) all += rate(at, link);
  return all;
}

std::vector<SwitchPort> Network::ports(std::size_t at) const {
  const LabelRanges atm{atm_range(0, 0, 32, 31 + labels_)};
  const LabelRanges host{atm_range(0, 0, 32, 31 + 2 * labels_)};
  const LabelRanges mpls{mpls_range(kMplsLabelMin, kMplsLabelMin + labels_ - 1)};
  // Frames: those of the port, of VLAN 1 to 3, and of classes 0 and 1.
  const LabelRanges frames{mpls_range(kMplsLabelMin, kMplsLabelMin + 2 * labels_ - 6),
                           mpls_range(4'097, 4'099), mpls_range(8'192, 8'193)};
  // Every other line of the ring uses MPLS labels: a call's labels change kind along its path.
  const auto labels = [&](PortId port) -> const LabelRanges& {
    const std::size_t from = port == kBefore ? far_end(at, port)->first : at;
    return (port == kBefore || port == kAfter) && from % 2 == 1 ? mpls : atm;
  };
  std::vector<SwitchPort> ports{{kHost, carries_frames(at) ? frames : host, rate(at, kHost), true}};
  for (const PortId port : {kBefore, kAfter, kChord, kSecond}) {
    if (far_end(at, port)) ports.push_back({port, labels(port), rate(at, port), true});
  }
  return ports;
}

std::optional<Network::Port> Network::far_end(std::size_t at, PortId port) const {
  if (port == kBefore) return Port{(at + switches_ - 1) % switches_, kAfter};
  if (port == kAfter) return Port{(at + 1) % switches_, kBefore};
  const std::size_t opposite = switches_ / 2;
  if (port == kChord && switches_ > 3 && at == 0) return Port{opposite, kChord};
  if (port == kChord && switches_ > 3 && at == opposite) return Port{0, kChord};
  if (port == kSecond && doubled_ && at < 2) return Port{1 - at, kSecond};
  return std::nullopt;
}

std::optional<Network::Port> Network::place(const std::string& name) const {
  for (std::size_t at = 0; at < switches_; ++at) {
    if (endpoint(at) == name) return Port{at, kHost};
  }
  return std::nullopt;
}

Topology Network::topology() const {
  Topology topology("simulated");
  for (std::size_t at = 0; at < switches_; ++at) {
    XB_CHECK(topology.add_switch(switch_name(at), true).has_value(), at);
  }
  XB_CHECK(topology.add_switch(kIsland, true).has_value(), kIsland);
  for (const Port& line : lines()) {
    const auto far = far_end(line.first, line.second);
    if (!far) continue;
    const auto end = [](const Port& port) {
      return LinkEnd{static_cast<SwitchIndex>(port.first), port.second};
    };
    const auto added = topology.add_link(end(line), end(*far), rate(line.first, line.second));
    XB_CHECK(added.has_value(), line.first, line.second);
  }
  return topology;
}

// ===== lines =====

std::vector<Network::Port> Network::lines() const {
  std::vector<Port> all;
  for (std::size_t at = 0; at < switches_; ++at) {
    for (const SwitchPort& port : ports(at)) {
      const auto far = far_end(at, port.port);
      if (!far || Port{at, port.port} < *far) all.emplace_back(at, port.port);
    }
  }
  return all;
}

std::vector<Network::Port> Network::ends_of(const Port& line) const {
  std::vector<Port> ends{line};
  if (const auto far = far_end(line.first, line.second)) ends.push_back(*far);
  return ends;
}

void Network::mark(std::set<Port>& those, const Port& line, bool one_of_them) {
  for (const Port& end : ends_of(line)) {
    if (one_of_them) {
      those.insert(end);
    } else {
      those.erase(end);
    }
  }
}

}  // namespace xbind::sim
