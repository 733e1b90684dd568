// The durations of the switch's side of GSMP.
#pragma once

#include "core/durations.hpp"

namespace xbind::switchagent {

inline constexpr Timers kAgentTimers{"switchagent",
                                     {
                                         {"invalid-label-rest", std::chrono::milliseconds{100},
                                          "Shortest time between Invalid Label events of a port."},
                                     }};

}  // namespace xbind::switchagent
