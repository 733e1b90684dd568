// Limits a rate and lets short bursts pass: tokens come in at the rate, up to one second's worth
// and at least one, and each event takes one.
//
// Uses no clock: the owner passes in time, which must not go back. Use it from one thread at a
// time.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/clock.hpp"

namespace xbind {

class TokenBucket {
 public:
  // Whether an event may happen now; takes its token. `per_s`: above 0. It may change between
  // calls.
  bool take(double per_s, TimePoint now) {
    const double most = std::max(1.0, per_s);
    if (!filled_) {
      tokens_ = most;
    } else {
      const double passed = std::chrono::duration<double>(now - *filled_).count();
      tokens_ = std::min(most, tokens_ + passed * per_s);
    }
    filled_ = now;
    if (tokens_ < 1.0) return false;
    tokens_ -= 1.0;
    return true;
  }

 private:
  double tokens_ = 0;
  std::optional<TimePoint> filled_;  // none: no event yet, the bucket is full
};

}  // namespace xbind
