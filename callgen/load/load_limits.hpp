// Bounds of a load, for options, scenario files and commands during a run.
#pragma once

#include <cstdint>

namespace xbind::callgen {

inline constexpr std::uint64_t kCallsMax = 100'000'000;
inline constexpr double kLongestArrivals_s = 366.0 * 24 * 3600;
inline constexpr double kRateMin = 0.001;
inline constexpr double kRateMax = 1e6;
inline constexpr double kHoldMax_s = 86'400;

}  // namespace xbind::callgen
