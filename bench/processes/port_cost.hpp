// What the emulated switch itself costs on this machine: the processor time of a port's thread
// under bursts of cells. Shown beside the paper's figures, never judged.
//
// Starts a thread and opens UDP sockets on the loopback interface; blocks for the time of the
// measurement.
#pragma once

#include <cstddef>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

struct PortCost {
  std::size_t burst = 1;
  double offered_mbit = 0;    // of payload, as it was sent; a busy machine sends less than planned
  double forwarded_mbit = 0;  // of payload
  double idle_percent = 0;    // 100 less the port thread's processor time (getrusage)
};

// A thread with a switch of two ports, which sleeps until cells come, forwards bursts from one UDP
// line to another for `time`. kSystem: sockets.
Result<PortCost> measure_port(std::size_t burst, double mbit, Duration time);

}  // namespace xbind::callgen
