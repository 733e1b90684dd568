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
         "Milliseconds after which a switch that its SwitchServer has lost is unknown: calls leave "
         "it, and new calls avoid it.",
         TimerSource::kOption},
        {"switch-silent-ms", std::chrono::seconds{15},
         "Milliseconds after which a switch without reports of its SwitchServer is unknown; at "
         "least three times its --report-refresh-ms. 0: never.",
         TimerSource::kOption},
        {"switch-trust-ms", std::chrono::seconds{5},
         "Milliseconds for which an unknown switch must be back, without a break, before new calls "
         "use it.",
         TimerSource::kOption},
        {"trust-tick", std::chrono::milliseconds{200},
         "Pause between checks for switches that have become unknown or trusted."},
        {"trust-asleep", std::chrono::seconds{2},
         "Time without a check after which the process counts as having been stopped; silence of a "
         "SwitchServer then proves nothing."},
    }};

}  // namespace xbind
