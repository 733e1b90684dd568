// The durations of a WAN.
#pragma once

#include "core/durations.hpp"

namespace xbind::wan {

inline constexpr Timers kWanTimers{
    "wan",
    {{"late", std::chrono::microseconds{500},
      "A packet that is delivered later than this after its deadline counts as late."}}};

}  // namespace xbind::wan
