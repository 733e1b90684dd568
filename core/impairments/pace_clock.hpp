// The steady clock for a Pace (core/impairments/pace.hpp). Sleeps in the kernel until 50 us before
// the moment and polls the clock for the rest, because the kernel wakes a sleeper late by up to
// that much.
#pragma once

#include "core/impairments/pace.hpp"

namespace xbind {

Pace::Clock steady_pace_clock();

}  // namespace xbind
