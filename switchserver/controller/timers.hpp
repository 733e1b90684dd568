// The durations of a SwitchServer.
#pragma once

#include "core/durations.hpp"

namespace xbind {

inline constexpr Timers kSwitchServerTimers{
    "switchserver",
    {
        {"gsmp-timeout-ms", std::chrono::seconds{2},
         "Milliseconds after which a GSMP request counts as unanswered.", TimerSource::kOption},
        {"report-interval-ms", std::chrono::milliseconds{200},
         "Shortest time between checks of the free bandwidth, in milliseconds.",
         TimerSource::kOption},
        {"report-refresh-ms", std::chrono::seconds{5},
         "Longest time between port reports, in milliseconds.", TimerSource::kOption},
        {"report-back-off-min", std::chrono::milliseconds{200},
         "First pause after a report that RouteObject did not accept."},
        {"report-back-off-max", std::chrono::seconds{5},
         "Longest pause after reports that RouteObject did not accept."},
        {"report-call", std::chrono::seconds{2}, "Time in which RouteObject must answer a report."},
        {"report-patience", std::chrono::seconds{2},
         "Time after the start before an absent RouteObject is logged."},
        {"recall-interval", std::chrono::milliseconds{100},
         "Pause between recalls of labels from the managers' caches."},
        {"table-reread", std::chrono::seconds{1},
         "Pause before the switch's table is read again after a failure."},
        {"table-round-ms", std::chrono::minutes{10},
         "Milliseconds in which the switch's whole table is compared with the ledger, port by "
         "port; "
         "0: never.",
         TimerSource::kOption},
        {"table-second-look", std::chrono::seconds{1},
         "Pause before a port is read again that lacks cross-connects of the ledger."},
        {"table-round-shared", std::chrono::seconds{5},
         "Pause between comparisons of the whole table while the switch has another controller."},
        {"table-entry-pause", std::chrono::microseconds{200},
         "Pause in such a comparison for each entry compared: one percent of a core at 2 us an "
         "entry."},
        {"table-hop-pause", std::chrono::microseconds{10},
         "The same for each hop of the ledger that is looked at."},
        {"claims-wait", std::chrono::seconds{15},
         "After a restart, the time that managers have to claim their hops. Meanwhile a port with "
         "entries that nobody has claimed admits nothing new."},
        {"labels-rest", std::chrono::seconds{15},
         "Time after a manager's session in which labels of its cache are granted to nobody: as "
         "long as its lease. Afterwards they are granted if no other label is free."},
        {"absence-log-first", std::chrono::seconds{2},
         "Time after which the absence of the switch is logged; the pause doubles."},
        {"absence-log-max", std::chrono::minutes{1},
         "Longest pause between log lines on the absence of the switch."},
        {"audit", std::chrono::seconds{20},
         "Time in which the switch must have listed its table for an audit."},
        {"execute", std::chrono::seconds{5},
         "Time in which the commands of a two-way call must be executed."},
        {"statistics", std::chrono::seconds{5},
         "Time in which the switch must report its counters."},
    }};

}  // namespace xbind
