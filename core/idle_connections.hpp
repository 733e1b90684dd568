// Selects the accepted connections that a process should close: those on which the peer has never
// sent an octet, and, beyond connections_max, those that have been idle for longest.
//
// A peer in a session sends something every 2 s (decision 0007). A caller of two-way operations
// that finds its connection closed opens another. Pure; any thread. operations that finds its
// connection closed opens another. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "core/clock.hpp"
#include "core/timers.hpp"

namespace xbind {

struct AcceptedConnection {
  int descriptor = -1;
  bool heard = false;  // the peer has sent an octet
  Duration idle{0};    // since its last octet, or since it was accepted
};

struct IdleLimits {
  // Accepted connections; beyond this number idle ones are closed.
  std::size_t connections_max = 1'024;
  // Silence before a connection that never carried an octet is closed.
  Duration silent_for = kCoreTimers["silent-connection"];
  // The same while there are more than connections_max.
  Duration silent_for_crowded = kCoreTimers["silent-connection-crowded"];
  // Silence before a connection that has carried octets may be closed: five heartbeats.
  Duration idle_for_crowded = kCoreTimers["idle-connection-crowded"];
};

// Returns the descriptors to close: first connections that never carried an octet, then the others;
// in each group the longest idle one first.
std::vector<int> connections_to_close(std::vector<AcceptedConnection> accepted,
                                      const IdleLimits& limits);

}  // namespace xbind
