// The durations of a RouteObject.
#pragma once

#include "core/durations.hpp"

namespace xbind {

inline constexpr Timers kRouteObjectTimers{
    "routeobject",
    {
        {"validity-ms", std::chrono::seconds{5}, "Milliseconds for which an answer may be cached.",
         TimerSource::kOption},
        {"switch-lost-ms", std::chrono::seconds{3},
         "Milliseconds after which a switch that its SwitchServer has lost is unknown: calls "
         "leave it, and no new one goes there.",
         TimerSource::kOption},
        {"switch-silent-ms", std::chrono::seconds{15},
         "Milliseconds after which a switch is unknown whose SwitchServer reports no more; "
         "three times its --report-refresh-ms or more. 0: never.",
         TimerSource::kOption},
        {"switch-trust-ms", std::chrono::seconds{5},
         "Milliseconds for which an unknown switch is there again, without a break, before new "
         "calls go there.",
         TimerSource::kOption},
        {"trust-tick", std::chrono::milliseconds{200},
         "Pause between looks for switches that have become unknown or trusted."},
        {"trust-asleep", std::chrono::seconds{2},
         "Time without a look after which the process was stopped, and silence proves nothing."},
    }};

}  // namespace xbind
