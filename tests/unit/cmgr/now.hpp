// The moment at which tests of the manager's parts begin.
#pragma once

#include <chrono>

#include "core/clock.hpp"

namespace xbind::cmgr {

inline constexpr TimePoint kNow{std::chrono::seconds{100}};

}  // namespace xbind::cmgr
