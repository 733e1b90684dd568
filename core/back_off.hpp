// The wait before a failed operation is retried. It doubles with each failure, between two bounds.
// Pure: no clock and no random source; the caller adds the wait to its own time.
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

  // Returns the wait after a failure, before the next try. The next call returns twice as much.
  // `jitter`, 0..1, shortens the wait by up to half, so that many callers that failed at the same
  // moment do not all retry at the same moment. 0: the whole wait.
  Duration next(double jitter = 0) {
    XB_CHECK(jitter >= 0 && jitter <= 1, jitter);
    const Duration wait = wait_;
    // Avoids overflow: twice the wait may exceed Duration.
    wait_ = wait > bounds_.max / 2 ? bounds_.max : wait * 2;
    return wait - std::chrono::duration_cast<Duration>(wait * (jitter / 2));
  }

  // Reports a success: the next wait is the smallest one.
  void reset() { wait_ = bounds_.min; }

  const Bounds& bounds() const { return bounds_; }

 private:
  Bounds bounds_;
  Duration wait_;
};

}  // namespace xbind
