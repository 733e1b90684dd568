// How long to wait before something that has failed is tried again: twice as long after each failure,
// between two bounds. Pure: neither clock nor chance; the caller adds the wait to its own time.
#pragma once

#include <algorithm>

#include "core/check.hpp"
#include "core/clock.hpp"
#include "core/timers.hpp"

namespace xbind {

class BackOff {
 public:
  // 0 < min <= max.
  struct Bounds {
    Duration min = kCoreTimers["back-off-min"];  // the first wait
    Duration max = kCoreTimers["back-off-max"];  // no wait is longer
  };

  explicit BackOff(Bounds bounds) : bounds_(bounds), wait_(bounds.min) {
    XB_CHECK(bounds.min > Duration::zero() && bounds.min <= bounds.max, bounds.min.count(),
             bounds.max.count());
  }

  // The wait before the next try, after a failure. The wait after the next failure is twice as long.
  // `jitter`, 0..1: up to half of the wait is left out, so that many callers that failed at the same
  // moment do not all try again at the same moment. 0: the whole wait.
  Duration next(double jitter = 0) {
    XB_CHECK(jitter >= 0 && jitter <= 1, jitter);
    const Duration wait = wait_;
    // Written this way because twice a wait may not fit into a Duration.
    wait_ = wait > bounds_.max / 2 ? bounds_.max : wait * 2;
    return wait - std::chrono::duration_cast<Duration>(wait * (jitter / 2));
  }

  // It has succeeded: the next failure is a first one.
  void reset() { wait_ = bounds_.min; }

  const Bounds& bounds() const { return bounds_; }

 private:
  Bounds bounds_;
  Duration wait_;
};

}  // namespace xbind
