// Computes when the next cell may be sent on a line of a given rate. Exact over any length of time:
// fractions of a nanosecond in a cell's time are carried forward.
//
// A late caller may catch up on at most `catch_up`; an idle line saves up no more than that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/clock.hpp"
#include "dataplane/cells/timers.hpp"

namespace xbind::dataplane {

class Pacer {
 public:
  static constexpr Duration kCatchUp = kDataplaneTimers["catch-up"];

  // cells_per_s 0: no limit.
  explicit Pacer(std::uint32_t cells_per_s = 0, Duration catch_up = kCatchUp)
      : rate_(cells_per_s), catch_up_(catch_up) {}

  std::uint32_t cells_per_s() const { return rate_; }

  // Number of cells that may be sent at `now`, at most `wanted`.
  std::size_t allowed(TimePoint now, std::size_t wanted) {
    if (rate_ == 0) return wanted;
    if (next_ + catch_up_ < now) {
      next_ = now - catch_up_;
      fraction_ = 0;
    }
    std::size_t count = 0;
    for (Pacer ahead = *this; count < wanted && ahead.next_ <= now; ++count) ahead.advance();
    return count;
  }
  void spend(std::size_t cells) {
    if (rate_ == 0) return;
    while (cells-- > 0) advance();
  }
  // When the next cell may be sent; in the past: at once.
  TimePoint next() const { return next_; }

 private:
  void advance() {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    next_ += Duration{kSecond / rate_};
    fraction_ += kSecond % rate_;
    if (fraction_ < rate_) return;
    fraction_ -= rate_;
    next_ += Duration{1};
  }

  std::uint32_t rate_;
  Duration catch_up_;
  TimePoint next_{};
  std::uint64_t fraction_ = 0;  // of a nanosecond, in 1 / rate_
};

}  // namespace xbind::dataplane
