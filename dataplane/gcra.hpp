// The Generic Cell Rate Algorithm in its virtual scheduling form (ITU-T I.371 annex A; ATM Forum TM
// 4.0 section 4.4.1): a cell conforms unless it arrives earlier than its theoretical arrival time
// by more than the tolerance.
//
// Exact over any length of time: fractions of a nanosecond in the increments are carried forward.
// The comparison uses whole nanoseconds, the resolution of the clock, so a stream at exactly the
// rate conforms without tolerance. No clock of its own.
#pragma once

#include <cstdint>

#include "core/clock.hpp"

namespace xbind::dataplane {

class Gcra {
 public:
  // GCRA(1 / cells_per_s, tolerance). Rate 0: every cell conforms. Tolerance: 0 or more.
  explicit Gcra(std::uint32_t cells_per_s = 0, Duration tolerance = {})
      : rate_(cells_per_s), tolerance_(tolerance) {}

  // Whether a cell that arrives at `now` conforms; `now` never goes back.
  bool conforms(TimePoint now) const { return rate_ == 0 || expected_ - tolerance_ <= now; }
  // Records that the conforming cell of `now` has passed.
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
