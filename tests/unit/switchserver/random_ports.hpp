// The ports of the switch in random_world.hpp, and their input labels.
#pragma once

#include <cstdint>
#include <vector>

#include "core/hop.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind {

inline constexpr std::uint32_t kPorts = 4;

// Every second port has labels of two kinds.
inline std::vector<SwitchPort> random_ports() {
  std::vector<SwitchPort> ports;
  for (std::uint32_t i = 1; i <= kPorts; ++i) {
    const LabelRanges of_two_kinds{atm_range(0, 0, 32, 39), mpls_range(16, 39)};
    const LabelRanges of_one{atm_range(0, 0, 32, 47)};
    ports.push_back({PortId{i}, i % 2 == 1 ? of_two_kinds : of_one, 1000, true});
  }
  return ports;
}

// Places 0 to 15 name labels of the port, half of them MPLS where it has two kinds. A higher place
// names a label that the port does not have.
inline Label input_at(const std::vector<SwitchPort>& ports, PortId port, std::uint64_t place) {
  if (place > 15) return atm_label(0, 48);
  const LabelRanges& ranges = ports.at(port.value() - 1).labels;
  const auto each = 16 / ranges.size();
  return ranges.at(place / each).at(static_cast<std::uint32_t>(place % each));
}

// Makes the setup name its label at an end of the call, as input_at() does.
inline void want_labels(HopSetup& setup, const std::vector<SwitchPort>& ports,
                        std::uint64_t place) {
  if (setup.first()) setup.input_label = input_at(ports, setup.input_port, place);
  if (setup.last()) setup.output_label = input_at(ports, setup.output_port, place);
}

}  // namespace xbind
