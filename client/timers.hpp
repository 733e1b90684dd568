// The durations of a client of a ConnectionManager.
#pragma once

#include "core/durations.hpp"

namespace xbind::client {

inline constexpr Timers kClientTimers{
    "client",
    {
        {"attach-answer", std::chrono::seconds{20},
         "Time after which an attempt to attach that has no answer has failed."},
        {"reach-within", std::chrono::minutes{1},
         "Time without a session after which open requests fail."},
        {"first-answer", std::chrono::seconds{10},
         "Time in which the manager must confirm the first batch of a session."},
        {"answer-within", std::chrono::seconds{90},
         "Longest wait of the functions that wait for an outcome."},
        {"answer-within-max", std::chrono::hours{1},
         "Largest value that each of these durations may have."},
        {"limit-min", std::chrono::milliseconds{1},
         "Smallest value of a back-off, of reach-within and of first-answer."},
        {"attach-answer-min", std::chrono::milliseconds{10}, "Smallest value of attach-answer."},
        {"clear-pause", std::chrono::milliseconds{20},
         "Pause before a SwitchServer is asked again whether hops have been removed."},
        {"clear-patience", std::chrono::seconds{10},
         "Time in which a switch must confirm the removal of hops that an operator clears."},
        {"daemon-answer", std::chrono::seconds{2},
         "Time in which each daemon must answer a question about its alarms and events."},
        {"addresses-fresh", std::chrono::minutes{10},
         "Age at which xbindctl looks up the addresses of all daemons again, for the time when the "
         "name service is away."},
        {"network-look", std::chrono::milliseconds{200},
         "Pause before an operator's change of the network looks again at calls and lines."},
        {"network-rates", std::chrono::seconds{5},
         "Time in which the switches' lines must have the rates of a changed network."},
        {"audit-answer", std::chrono::minutes{2},
         "Time in which the manager must answer an audit."},
    }};

}  // namespace xbind::client
