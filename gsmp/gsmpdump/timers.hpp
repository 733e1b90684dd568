// The durations of gsmpdump.
#pragma once

#include "core/durations.hpp"

namespace xbind::gsmpdump {

inline constexpr Timers kDumpTimers{
    "gsmpdump",
    {
        {"accept-retry", std::chrono::milliseconds{100},
         "Pause after a connection could not be accepted because descriptors ran out."},
        {"stop-look", std::chrono::milliseconds{100},
         "Longest time that a signal to stop waits for a packet."},
    }};

}  // namespace xbind::gsmpdump
