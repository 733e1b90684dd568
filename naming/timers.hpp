// The durations of xbind-names.
#pragma once

#include "core/durations.hpp"

namespace xbind::naming {

inline constexpr Timers kNamingTimers{"naming",
                                      {
                                          {"wait-poll", std::chrono::milliseconds{50},
                                           "Pause between checks of the names that `wait` awaits."},
                                      }};

}  // namespace xbind::naming
