// The durations of a switch driver.
#pragma once

#include "core/durations.hpp"

namespace xbind {

inline constexpr Timers kDriverTimers{
    "driver",
    {
        {"invalid-label-pause", std::chrono::milliseconds{100},
         "Shortest time between answers to Invalid Label events of a port."},
        {"invalid-label-log", std::chrono::seconds{1},
         "Shortest time between log lines on Invalid Label events."},
        {"other-controllers-look", std::chrono::seconds{1},
         "Pause between readings of all ports while the switch has other controllers."},
    }};

}  // namespace xbind
