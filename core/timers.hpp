// The durations of sessions, reattachment, connections, deliberate faults and pace.
#pragma once

#include "core/durations.hpp"

namespace xbind {

inline constexpr Timers kCoreTimers{
    "core",
    {
        // core/session/session.hpp
        {"resend-after", std::chrono::milliseconds{100},
         "Wait before an unconfirmed batch is repeated for the first time; it doubles."},
        {"resend-max", std::chrono::seconds{4}, "Longest wait between repeats of a batch."},
        {"repeat-gap", std::chrono::milliseconds{5},
         "Shortest time between progress of a session and a repeat."},
        {"gap-after", std::chrono::milliseconds{10},
         "Age of a gap at which the peer learns of it; more than a round trip."},
        {"give-up-after", std::chrono::seconds{20},
         "Time without a confirmation after which the peer is lost."},
        {"confirm-after", std::chrono::milliseconds{50},
         "Longest time that a confirmation waits for a batch to travel with."},
        {"heartbeat", std::chrono::seconds{2},
         "Silence after which a session sends an empty batch."},
        {"lease", std::chrono::seconds{15},
         "Silence of the peer after which a session is lost; a client's is client-lease."},
        // core/back_off.hpp
        {"back-off-min", std::chrono::milliseconds{100},
         "First wait after a failed attempt, where a table below has no other."},
        {"back-off-max", std::chrono::seconds{5},
         "Longest wait after failed attempts, where a table below has no other."},
        // core/repeated_failure_log.hpp
        {"complaint-pause-min", std::chrono::seconds{10},
         "First pause between log lines on the same failing peer; it doubles."},
        {"complaint-pause-max", std::chrono::minutes{10},
         "Longest pause between log lines on the same failing peer."},
        // core/line_limits.hpp
        {"peer-fault-pause", std::chrono::minutes{1},
         "Shortest time between log lines on the same fault of the same peer."},
        {"log-line-pause", std::chrono::seconds{1},
         "Average time between log lines of one kind, once 1 000 of the kind came faster."},
        // core/idle_connections.hpp
        {"silent-connection", std::chrono::seconds{5},
         "Time after which an accepted connection that never sent an octet is closed."},
        {"silent-connection-crowded", std::chrono::milliseconds{250},
         "The same while more connections than the limit are open."},
        {"idle-connection-crowded", std::chrono::seconds{10},
         "Silence after which a connection may be closed while more than the limit are open."},
        // core/alarms/alarm_kinds.cpp
        {"alarm-raise", std::chrono::seconds{2},
         "Time for which a state must hold before its alarm is raised."},
        {"alarm-raise-slow", std::chrono::minutes{1},
         "The same for states that are normal for a while, such as removals that are owed."},
        {"alarm-clear", std::chrono::seconds{5},
         "Time for which a state must be over before its alarm is cleared."},
        {"alarm-clear-counted", std::chrono::minutes{5},
         "Time without another occurrence after which an alarm about occurrences is cleared."},
        // core/impairments/fault_plan.hpp
        {"delay-ms", std::chrono::milliseconds{50},
         "With --delay: how much later at most, in milliseconds.", TimerSource::kOption},
        {"overtake-within", std::chrono::milliseconds{200},
         "Longest time that --reorder holds a message back when no other overtakes it."},
        // core/impairments/pace*.hpp
        {"pace-message-us", std::chrono::microseconds{0},
         "Microseconds that this process waits for each message of a call that it takes or sends, "
         "one after another, as a slower host would need; for experiments, off by default.",
         TimerSource::kOption},
        {"pace-item-us", std::chrono::microseconds{0},
         "The same for each request, command, result or outcome in such a message.",
         TimerSource::kOption},
        {"pace-pause-us", std::chrono::microseconds{0},
         "Microseconds of such a pause, on average; they vary exponentially.",
         TimerSource::kOption},
        {"pace-spin", std::chrono::microseconds{50},
         "Last part of a wait for the pace, which the thread spends looking at the clock."},
    }};

}  // namespace xbind
