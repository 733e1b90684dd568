// The durations of xbindctl.
#pragma once

#include "core/durations.hpp"

namespace xbind::ctl {

inline constexpr Timers kXbindctlTimers{
    "xbindctl",
    {
        {"clear-pause", std::chrono::milliseconds{20},
         "Pause before a SwitchServer is asked again whether hops have been removed."},
        {"clear-patience", std::chrono::seconds{10},
         "Time in which a switch must confirm the removal of hops that an operator clears."},
        {"daemon-answer", std::chrono::seconds{2},
         "Time in which each daemon must answer a question about its alarms, events or room."},
        {"addresses-fresh", std::chrono::minutes{10},
         "Age at which xbindctl looks up the addresses of all daemons again, for the time when the "
         "name service is away."},
        {"network-look", std::chrono::milliseconds{200},
         "Pause before an operator's change of the network looks again at calls and lines."},
        {"network-rates", std::chrono::seconds{5},
         "Time in which the switches' lines must have the rates of a changed network."},
    }};

}  // namespace xbind::ctl
