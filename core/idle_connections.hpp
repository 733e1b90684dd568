// Which of the connections that a process has accepted it should close: those on which the peer has
// never sent an octet, and, beyond connections_max, those on which it has sent none for longest.
//
// A peer that is in a session says something every 2 s (decision 0007); a caller of two-way
// operations that finds its connection closed opens another. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "core/clock.hpp"
#include "core/timers.hpp"

namespace xbind {

struct AcceptedConnection {
  int descriptor = -1;
  bool heard = false;  // it has sent an octet
  Duration idle{0};    // since its last octet, or since it was accepted
};

struct IdleLimits {
  std::size_t connections_max = 1'024;  // accepted ones; beyond it idle ones are closed
  Duration silent_for = kCoreTimers["silent-connection"];  // one that has never sent an octet
  // The same where there are more than connections_max.
  Duration silent_for_crowded = kCoreTimers["silent-connection-crowded"];
  Duration idle_for_crowded =
      kCoreTimers["idle-connection-crowded"];  // one that has; five heartbeats
};

// The descriptors to close: first connections that have never carried an octet, then the others, in
// each group the one that has been idle for longest first.
std::vector<int> connections_to_close(std::vector<AcceptedConnection> accepted,
                                      const IdleLimits& limits);

}  // namespace xbind
