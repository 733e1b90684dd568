// The durations of the GSMP protocol.
#pragma once

#include "core/durations.hpp"

namespace xbind::gsmp {

inline constexpr Timers kGsmpTimers{
    "gsmp",
    {
        {"adjacency-timer", std::chrono::seconds{1},
         "Period of the adjacency protocol; three without a message lose the peer. Of "
         "xbind-switch it is --timer."},
        {"adjacency-timer-unit", std::chrono::milliseconds{100},
         "Unit of the Timer field (RFC 3292, section 11.1.1)."},
        {"transaction-timeout", std::chrono::seconds{2},
         "Time in which a request must be answered; of xbind-switchserver it is "
         "--gsmp-timeout-ms."},
    }};

// The same in the unit of the Timer field.
inline constexpr Duration kAdjacencyPeriodUnit = kGsmpTimers["adjacency-timer-unit"];
inline constexpr std::uint8_t kAdjacencyPeriod =
    kGsmpTimers["adjacency-timer"] / kGsmpTimers["adjacency-timer-unit"];

}  // namespace xbind::gsmp
