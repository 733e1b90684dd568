// The durations of a ConnectionManager.
#pragma once

#include "core/durations.hpp"

namespace xbind::cmgr {

inline constexpr Timers kManagerTimers{
    "cmgr",
    {
        // The timers of a call.
        {"queue-timer-ms", std::chrono::seconds{3},
         "Milliseconds after which a request that could not be begun is answered busy.",
         TimerSource::kOption},
        {"route-timer-ms", std::chrono::seconds{3}, "Milliseconds that a call waits for its route.",
         TimerSource::kOption},
        {"hop-timer-ms", std::chrono::seconds{3},
         "Milliseconds that a call waits for all its hops before it is undone.",
         TimerSource::kOption},
        {"undo-timer-ms", std::chrono::seconds{5},
         "Milliseconds that a removal waits for its hops before it is owed.", TimerSource::kOption},
        {"two-way-margin", std::chrono::seconds{1},
         "Time that a two-way call waits beyond the timers of all its tries."},
        {"debt-retry", std::chrono::seconds{1},
         "Pause before removals that are owed are sent again."},
        {"prepared-rest", std::chrono::seconds{1},
         "Pause after a connection in advance could not be set up."},
        // Re-routes.
        {"reroute-retry-ms", std::chrono::seconds{5},
         "Milliseconds after which the search for another path is repeated for connections that "
         "got none; also whenever the network changes.",
         TimerSource::kOption},
        {"reroute-soon", std::chrono::milliseconds{100},
         "Pause before a take-over that was refused temporarily is retried."},
        {"break-delay-ms", std::chrono::milliseconds{100},
         "Milliseconds that an old path stays once the new one carries the connection, for the "
         "cells on their way.",
         TimerSource::kOption},
        // Sessions with clients and SwitchServers, and RouteObject's topology.
        {"client-lease", std::chrono::minutes{1},
         "Silence of a client after which its session is lost."},
        {"startup-patience-ms", std::chrono::seconds{15},
         "Milliseconds to wait for RouteObject and all SwitchServers before serving anyway.",
         TimerSource::kOption},
        {"attach-back-off-min", std::chrono::milliseconds{100},
         "First wait after a failed attempt to attach to a SwitchServer."},
        {"attach-back-off-max", std::chrono::seconds{2},
         "Longest wait after failed attempts to attach to a SwitchServer."},
        {"attach-answer", std::chrono::seconds{20},
         "Time after which an attempt to attach that has no answer has failed."},
        {"attach-silent", std::chrono::seconds{1},
         "Age at which an attempt to attach counts as silent; fewer silent ones may be under way "
         "at once."},
        {"topology-back-off-min", std::chrono::milliseconds{100},
         "First wait after RouteObject could not be watched."},
        {"topology-back-off-max", std::chrono::seconds{1},
         "Longest wait after RouteObject could not be watched."},
        {"topology-refresh-min", std::chrono::milliseconds{100},
         "Shortest time between readings of the topology, whatever RouteObject says."},
        {"topology-refresh-max", std::chrono::minutes{1},
         "Longest time between readings of the topology, whatever RouteObject says."},
        // Aggregation of commands.
        {"flush-timeout-ms", std::chrono::milliseconds{5},
         "Milliseconds that a command waits at most for others to fill its batch.",
         TimerSource::kOption},
        {"flush-min", std::chrono::microseconds{50}, "Smallest flush-timeout-ms."},
        {"flush-max", std::chrono::seconds{10}, "Largest flush-timeout-ms."},
        {"rate-memory", std::chrono::seconds{2},
         "Time constant of the estimated rate of operations (--aggregation regions)."},
        {"return-delay", std::chrono::milliseconds{100},
         "Longest time that returned labels wait for a command to travel with."},
        // Caches.
        {"cache-trim", std::chrono::milliseconds{250},
         "Pause between checks of the caches for labels and quota beyond the need."},
        {"label-modesty", std::chrono::seconds{1},
         "Time after a recall in which no labels are requested beyond the present need."},
        {"label-idle", std::chrono::seconds{10},
         "Time without a demand after which a port's cache keeps no labels."},
        {"label-rate-fast", std::chrono::milliseconds{500},
         "Time constant of the estimate that follows a rise of the rate."},
        {"label-rate-slow", std::chrono::seconds{4},
         "Time constant of the estimate that follows a fall of the rate."},
        {"label-replacement", std::chrono::seconds{1},
         "Time constant of the mean time until a taken label is replaced."},
        {"label-replacement-first", std::chrono::milliseconds{50},
         "Assumed time until a taken label is replaced, before the first measurement."},
        {"label-spread-window", std::chrono::seconds{2},
         "Window over which the variance of the labels in use is measured."},
        {"label-ranked-window", std::chrono::milliseconds{50},
         "Window of the ranked estimate of the labels in use."},
        {"quota-modesty", std::chrono::seconds{1},
         "Time after a recall in which no quota is requested beyond the present need."},
        {"quota-idle", std::chrono::seconds{10},
         "Time without a demand after which a port's cache keeps no quota."},
        {"named-service-kept", std::chrono::seconds{10},
         "Time for which the QOSMapper's answer on a named service is used again."},
        {"unknown-end-kept", std::chrono::seconds{1},
         "Time for which an endpoint that RouteObject does not know stays unknown."},
        // Audits.
        {"audit-look", std::chrono::milliseconds{250},
         "Pause between the readings of an audit; messages in flight arrive meanwhile."},
        {"audit-answer", std::chrono::seconds{25},
         "Time in which a SwitchServer must answer an audit; longer than its own."},
        {"audit-answer-absent", std::chrono::seconds{2},
         "Time in which a SwitchServer to which the manager is not attached must answer an audit."},
    }};

}  // namespace xbind::cmgr
