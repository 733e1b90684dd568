// The durations of xbind-smds.
#pragma once

#include "core/durations.hpp"

namespace xbind::smds {

inline constexpr Timers kSmdsTimers{
    "smds",
    {
        {"check-ms", std::chrono::seconds{1},
         "Milliseconds between two readings of the manager's list of calls: the server's own, and "
         "those of its neighbours, whose labels it receives on.",
         TimerSource::kOption},
        {"retry-min-ms", std::chrono::seconds{1},
         "Milliseconds before a refused call is requested again for the first time; it doubles.",
         TimerSource::kOption},
        {"retry-max-ms", std::chrono::minutes{1},
         "Longest wait in milliseconds before a refused call is requested again.",
         TimerSource::kOption},
        {"status-pause", std::chrono::milliseconds{500},
         "Shortest time between two writes of the file in --status-dir."},
        {"catch-up", std::chrono::milliseconds{5},
         "Delay of the server's thread that a line with a rate makes good by a burst."},
        {"line-rest", std::chrono::milliseconds{1},
         "Pause before a line that had no room is tried again."},
        {"unattached-pause", std::chrono::seconds{5},
         "Time without a session after which the server finds out why, and logs it."},
        {"expire-every", std::chrono::milliseconds{500},
         "Pause between two searches for PDUs whose last cell does not come."},
    }};

// Those of `xbind-smds host`.
inline constexpr Timers kHostTimers{
    "smds",
    {
        {"timeout-ms", std::chrono::seconds{10},
         "Longest time in milliseconds of a host, with that for the call of its line.",
         TimerSource::kOption},
        {"host-look", std::chrono::milliseconds{200},
         "Pause before a host looks again for the call of its line."},
    }};

}  // namespace xbind::smds
