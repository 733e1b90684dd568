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
        {"audit-answer", std::chrono::minutes{2},
         "Time in which the manager must answer an audit."},
    }};

}  // namespace xbind::client
