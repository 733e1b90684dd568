// The durations of xbind-gsmp-ovs.
#pragma once

#include "core/durations.hpp"

namespace xbind::ovs {

inline constexpr Timers kOvsTimers{
    "ovs",
    {
        {"bridge-echo", std::chrono::seconds{5},
         "Silence of the bridge after which it is asked for a sign of life."},
        {"bridge-lost", std::chrono::seconds{15},
         "Silence of the bridge after which its connection is given up."},
        {"bridge-connect", std::chrono::seconds{5},
         "Longest time from the connection to the bridge until its contents are read."},
        {"bridge-retry-min", std::chrono::milliseconds{100},
         "First wait before the bridge is connected again; it doubles."},
        {"bridge-retry-max", std::chrono::seconds{2},
         "Longest wait before the bridge is connected again."},
    }};

}  // namespace xbind::ovs
