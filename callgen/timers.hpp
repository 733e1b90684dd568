// The durations of xbind-callgen, except those of its load, its measurements and its model.
#pragma once

#include "core/durations.hpp"

namespace xbind::callgen {

inline constexpr Timers kCallgenTimers{
    "callgen",
    {
        {"common-start", std::chrono::milliseconds{100},
         "Time from the last generator's readiness to the common start."},
        {"stop-look", std::chrono::milliseconds{100},
         "Longest time for which a wish to stop stays unseen."},
        {"control-answer", std::chrono::seconds{5},
         "Time in which a run must answer a command at its socket."},
        {"debt-look", std::chrono::milliseconds{100},
         "Pause between looks whether the managers still owe removals."},
        {"send-pause", std::chrono::microseconds{50},
         "Shortest time between sendings; requests due in between travel together."},
        {"first-answer", std::chrono::seconds{10},
         "Time in which the manager must confirm the first batch of a run."},
        {"lease", std::chrono::minutes{1}, "Silence of a manager after which its session is lost."},
        {"switch-status", std::chrono::seconds{1},
         "Time in which a SwitchServer must answer for its status."},
        {"probe-watched", std::chrono::seconds{10},
         "Age beyond which no cell is under way any more."},
        {"probe-deadline", std::chrono::seconds{2},
         "Time in which the cells of a check must arrive."},
        {"probe-silence", std::chrono::milliseconds{300},
         "Wait at the end of a run for cells that must not arrive."},
        {"line-retry", std::chrono::milliseconds{1},
         "Pause before a full line for cells is tried again."},
        {"null-start", std::chrono::seconds{10}, "Time in which the null programs must be ready."},
        {"child", std::chrono::minutes{1},
         "Default time in which a program that callgen starts must end."},
        {"child-end", std::chrono::seconds{15},
         "Time between SIGTERM and SIGKILL to a program that callgen started."},
        {"child-look", std::chrono::milliseconds{20},
         "Pause between looks whether such a program has ended."},
        {"own-child-end", std::chrono::seconds{5},
         "Time between SIGTERM and SIGKILL to a generator."},
        {"lab", std::chrono::minutes{2}, "Time in which a lab must be up (figures)."},
        {"tool", std::chrono::seconds{30},
         "Time in which a tool of the lab must have ended (figures)."},
    }};

}  // namespace xbind::callgen
