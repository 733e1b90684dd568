#include "core/impairments/pace_clock.hpp"

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

#include "core/steady_now.hpp"
#include "core/timers.hpp"

namespace xbind {
namespace {

constexpr Duration kLookedAt = kCoreTimers["pace-spin"];

// steady_clock is CLOCK_MONOTONIC here.
void wait_until(TimePoint when) {
  // Lowers the thread's timer slack, by which the kernel may wake it late, from 50 us to 1 ns.
  static thread_local const int slack = prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  static_cast<void>(slack);
  const Duration until = (when - kLookedAt).time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(until);
  const timespec wake{.tv_sec = seconds.count(),
                      .tv_nsec = static_cast<long>((until - seconds).count())};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) == EINTR) {
  }
  while (steady_now() < when) {
  }
}

}  // namespace

Pace::Clock steady_pace_clock() {
  return {[] { return steady_now(); }, wait_until};
}

}  // namespace xbind
