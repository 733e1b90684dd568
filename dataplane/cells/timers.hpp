// The durations of cells and frames.
#pragma once

#include "core/durations.hpp"

namespace xbind::dataplane {

inline constexpr Timers kDataplaneTimers{
    "dataplane",
    {
        {"cfr-wait", std::chrono::milliseconds{5},
         "Time for which a line to a Cambridge Fast Ring waits for the rest of a cell."},
        {"crossbar-slot", std::chrono::nanoseconds{3'200},
         "Time in which a crossbar takes at most one cell from each input to each output."},
        {"frame-timeout", std::chrono::seconds{10},
         "Time from the first to the last cell of a frame; a longer frame is dropped."},
        {"catch-up", std::chrono::milliseconds{1},
         "Longest time for which a line that was late may send faster than its rate."},
    }};

}  // namespace xbind::dataplane
