// The durations that all CORBA programs share: calls, names, connections.
#pragma once

#include "core/durations.hpp"

namespace xbind::orb {

inline constexpr Timers kOrbTimers{
    "orb",
    {
        {"call-timeout-ms", std::chrono::seconds{5},
         "Milliseconds after which a two-way CORBA call is given up.", TimerSource::kOption},
        {"connect-timeout", std::chrono::seconds{1},
         "Time that a connection to another process may take to open."},
        {"name-service-retry", std::chrono::milliseconds{50},
         "Pause between checks of this daemon's names while the name service does not respond."},
        {"bind-retry", std::chrono::milliseconds{50},
         "Pause between attempts to bind the names of this daemon; it does not grow."},
        {"name-watch", std::chrono::seconds{1},
         "Pause between looks whether the names are still bound to this daemon."},
        {"name-holder-answer", std::chrono::seconds{1},
         "Time in which the daemon that holds a name must answer; a silent one is taken over."},
        {"idle-outgoing", std::chrono::seconds{10},
         "Time after which a connection of this process to another is closed if no call uses it; "
         "sessions use theirs every 2 s."},
        {"connection-watch", std::chrono::milliseconds{250},
         "Pause between checks for accepted connections to close."},
        {"connection-warning", std::chrono::minutes{1},
         "Shortest time between log lines on closed connections."},
        {"alarm-look", std::chrono::seconds{1},
         "Pause between looks at the conditions that raise and clear alarms."},
        {"logic-silent", std::chrono::seconds{5},
         "Time in which a daemon's logic must answer such a look; later it is an alarm itself."},
        {"daemon-watch", std::chrono::seconds{2},
         "Pause between looks whether the other daemons answer."},
        {"daemon-watch-answer", std::chrono::seconds{1},
         "Time in which another daemon must answer such a look, or it is silent."},
        {"name-service-away", std::chrono::seconds{10},
         "Time for which addresses found earlier are used without asking a name service that did "
         "not answer."},
        {"signal-wait", std::chrono::hours{1},
         "Longest single wait for the signal that ends the process; the wait is repeated."},
    }};

}  // namespace xbind::orb
