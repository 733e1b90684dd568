// The durations of xbind-keeper.
#pragma once

#include "core/durations.hpp"

namespace xbind::keeper {

inline constexpr Timers kKeeperTimers{
    "keeper",
    {
        {"check-ms", std::chrono::seconds{5},
         "Milliseconds between two looks at the calls that the manager lists; a notice or a new "
         "session causes a look at once.",
         TimerSource::kOption},
        {"retry-min-ms", std::chrono::seconds{1},
         "Milliseconds before a refused connection is tried again for the first time; it doubles.",
         TimerSource::kOption},
        {"retry-max-ms", std::chrono::minutes{1},
         "Longest wait in milliseconds before a refused connection is tried again.",
         TimerSource::kOption},
        {"look-pause", std::chrono::milliseconds{200},
         "Shortest time between the ends of two looks and the next one, however many notices "
         "come."},
        {"unread-patience", std::chrono::seconds{30},
         "Time after a session has begun in which nothing is set up while the manager has not read "
         "the ledgers of all switches since its restart."},
        {"unattached-pause", std::chrono::seconds{5},
         "Time without a session after which the keeper finds out why, and logs it."},
        {"status-pause", std::chrono::milliseconds{500},
         "Shortest time between two writes of the file of --status-file."},
        {"release-patience", std::chrono::seconds{30},
         "Time in which --release-at-end must have released every call."},
    }};

}  // namespace xbind::keeper
