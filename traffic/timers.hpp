// The durations of admission.
#pragma once

#include "core/durations.hpp"

namespace xbind {

inline constexpr Timers kTrafficTimers{
    "traffic",
    {
        {"rt-wait-us", std::chrono::milliseconds{1},
         "For --admission effective: the longest that a cell of rt-VBR may wait in a port, in "
         "microseconds.",
         TimerSource::kOption},
    }};

}  // namespace xbind
