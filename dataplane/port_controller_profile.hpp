// What a port controller costs (port_controller.hpp): the profiles of the Fairisle paper, and
// profiles of a user's own as text.
//
// Values only; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "dataplane/cells/cell.hpp"

namespace xbind::dataplane {

struct PortControllerProfile {
  Duration burst{};  // processor time to leave the interrupt routine
  Duration cell{};   // processor time of each cell in it
  // Least time from one forwarded cell to the next, by the firmware; the processor is free in what
  // is left of it. 0: none.
  Duration gap{};
  std::uint64_t line_bits_per_s = 100'000'000;
  std::uint32_t overhead_octets = 2;  // on the line, a cell, beyond its 53
  std::uint32_t buffer_cells = 2048;  // that wait for the processor

  // Time of a cell on the line, in picoseconds: 55 octets at 100 Mbit/s take exactly 4.4 us.
  std::uint64_t line_cell_ps() const {
    return (kCellOctets + overhead_octets) * 8ULL * 1'000'000'000'000ULL / line_bits_per_s;
  }

  friend bool operator==(const PortControllerProfile&, const PortControllerProfile&) = default;
};

struct NamedPortController {
  std::string_view name;
  PortControllerProfile profile;
};
// "fpc2-arm3", "fpc2-arm600", "fpc3". Times a cell are from the paper's plateaus: 73.4 and 82.5
// Mbit/s (the latter by the firmware), and for the ARM610 87.3, the line's. The times a burst are
// in no text of the paper: 5 us is fitted to the sentence that the FPC3's processor is consumed
// from 40 to 50 Mbit/s on, and that of the ARM3 is in the same ratio to its time a cell
// (docs/decisions/0135).
const std::vector<NamedPortController>& port_controllers();

// Reads a name of port_controllers(), or KEY:VALUE/KEY:VALUE... with these keys, each at most once:
// burst-us, cell-us, gap-us (0 to 1000000, in steps of a nanosecond; 0 without the key), mbit
// (0.001 to 100000; 100), overhead (0 to 1000; 2), buffer (1 to 1000000; 2048). kBadInput names
// what is wrong, and what there is.
Result<PortControllerProfile> parse_port_controller(std::string_view text);

}  // namespace xbind::dataplane
