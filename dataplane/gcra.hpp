// The Generic Cell Rate Algorithm in its form of virtual scheduling (ITU-T I.371 annex A; ATM Forum
// TM 4.0 section 4.4.1): a cell conforms unless it comes more than the tolerance before its
// theoretical arrival time.
//
// Exact over any length of time: what an increment is not a whole number of nanoseconds is carried
// on. A theoretical arrival time counts by its whole nanoseconds, the grain of the clock, so that
// a stream sent at exactly the rate conforms with no tolerance. No clock of its own.
#pragma once

#include <cstdint>

#include "core/clock.hpp"

namespace xbind::dataplane {

class Gcra {
 public:
  // GCRA(1 / cells_per_s, tolerance). Rate 0: every cell conforms. Tolerance of 0 or more.
  explicit Gcra(std::uint32_t cells_per_s = 0, Duration tolerance = {})
      : rate_(cells_per_s), tolerance_(tolerance) {}

  // Whether a cell that comes at `now` conforms; `now` never goes back.
  bool conforms(TimePoint now) const { return rate_ == 0 || expected_ - tolerance_ <= now; }
  // The cell of `now`, which conforms, has passed.
  void pass(TimePoint now) {
    if (rate_ == 0) return;
    if (now > expected_) {
      expected_ = now;
      fraction_ = 0;
    }
    constexpr std::uint64_t kSecond = 1'000'000'000;
    expected_ += Duration{kSecond / rate_};
    fraction_ += kSecond % rate_;
    if (fraction_ < rate_) return;
    fraction_ -= rate_;
    expected_ += Duration{1};
  }

 private:
  std::uint32_t rate_;
  Duration tolerance_;
  TimePoint expected_{};        // the theoretical arrival time of the next cell
  std::uint64_t fraction_ = 0;  // of a nanosecond, in 1 / rate_
};

}  // namespace xbind::dataplane
