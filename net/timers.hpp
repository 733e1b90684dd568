// The durations of connections over sockets.
#pragma once

#include "core/durations.hpp"

namespace xbind::net {

inline constexpr Timers kNetTimers{
    "net",
    {
        {"connect-back-off-min", std::chrono::milliseconds{100},
         "First wait after a failed connection to the peer; it doubles."},
        {"connect-back-off-max", std::chrono::seconds{5},
         "Longest wait after failed connections to the peer."},
        {"connect", std::chrono::seconds{5},
         "Time in which a connection to the peer must be open."},
        {"accept-retry", std::chrono::milliseconds{100},
         "Pause after a connection could not be accepted because descriptors ran out."},
    }};

// The durations of `PROGRAM tell`.
inline constexpr Timers kTellTimers{
    "tell",
    {{"timeout-ms", std::chrono::seconds{5}, "Milliseconds to wait for the answer.",
      TimerSource::kOption}}};

}  // namespace xbind::net
