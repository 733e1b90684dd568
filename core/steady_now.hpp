// The only place where a daemon reads the clock. Logic must not include this (tests/tidy checks).
#pragma once

#include "core/clock.hpp"

namespace xbind {

inline TimePoint steady_now() {
  return TimePoint{std::chrono::steady_clock::now().time_since_epoch()};
}

}  // namespace xbind
