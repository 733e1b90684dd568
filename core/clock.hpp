// Time is an input: logic receives `TimePoint now` and never reads a clock. Daemons read the steady
// clock; tests and the simulator count their own nanoseconds.
#pragma once

#include <chrono>

namespace xbind {

using Duration = std::chrono::nanoseconds;

struct ClockTag {  // names the time line; it is not a clock to read
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<ClockTag>;
  static constexpr bool is_steady = true;
};
// Nanoseconds since an arbitrary start that does not move: monotonic, never wall-clock time.
using TimePoint = std::chrono::time_point<ClockTag, Duration>;

inline constexpr TimePoint kNever = TimePoint::max();

}  // namespace xbind
