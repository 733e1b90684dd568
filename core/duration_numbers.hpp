// Durations as numbers and back, for reports and options.
#pragma once

#include <chrono>
#include <cmath>

#include "core/clock.hpp"

namespace xbind {

inline double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
inline double in_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}
inline double in_us(Duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}
// Rounded to nanoseconds. `seconds` lies within the range of Duration.
inline Duration duration_of(double seconds) { return Duration{std::llround(seconds * 1e9)}; }

}  // namespace xbind
