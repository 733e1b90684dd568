// Cell counters that GSMP's statistics report (RFC 3292 section 8.2), of a port and of a
// connection. Free-running from the start of the port or the connection. Frames are not counted: on
// ATM ports GSMP's frame counters are 0.
#pragma once

#include <cstdint>

namespace xbind::dataplane {

struct ConnectionCounters {
  std::uint64_t input_cells = 0;   // received on the connection's label
  std::uint64_t output_cells = 0;  // sent, total of all branches
  // Refused by an output queue, or at an output line that is down.
  std::uint64_t output_discards = 0;

  friend bool operator==(const ConnectionCounters&, const ConnectionCounters&) = default;
};

struct PortCounters {
  std::uint64_t input_cells = 0;  // received with a correct header, except idle and unassigned
                                  // ones
  // Of these, dropped by policing, by a port controller, at an input of the crossbar or at a line
  // that is down; or of a frame that the line dropped.
  std::uint64_t input_discards = 0;
  std::uint64_t hec_errors = 0;     // dropped by the port's link for their header
  std::uint64_t invalid_label = 0;  // of input_cells, with a label of no connection
  std::uint64_t output_cells = 0;   // sent
  // Refused by the queue, at a line that is down, or sent in a frame that the line dropped.
  std::uint64_t output_discards = 0;

  friend bool operator==(const PortCounters&, const PortCounters&) = default;
};

}  // namespace xbind::dataplane
