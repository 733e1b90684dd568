// Durations as numbers, for reports and options.
#pragma once

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

}  // namespace xbind
