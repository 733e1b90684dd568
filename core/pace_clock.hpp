// The steady clock for a Pace (core/pace.hpp): sleeps by the kernel up to 50 us before the moment, and
// looks at the clock for the rest, since a sleeper is woken that much too late.
#pragma once

#include "core/pace.hpp"

namespace xbind {

Pace::Clock steady_pace_clock();

}  // namespace xbind
