// The durations of the emulated switch.
#pragma once

#include "core/durations.hpp"

namespace xbind::emulator {

inline constexpr Timers kSwitchTimers{
    "emulator",
    {
        {"cell-rest", std::chrono::microseconds{100},
         "Shortest time between services of a line that has a rate."},
        {"held-answer", std::chrono::milliseconds{20},
         "Longest time that the fault \"reorder\" holds an answer back."},
        {"answer-piece", std::chrono::microseconds{100},
         "Pause between the pieces of an answer with the fault \"pieces\"."},
    }};

}  // namespace xbind::emulator
