// When each call is meant to start, counted from the beginning of the run.
//
// The plan depends on the rate and the seed alone, never on how earlier calls fared: whoever waits
// for a slow answer before the next call measures a system that is being spared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "callgen/random.hpp"
#include "core/check.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

enum class Arrivals : std::uint8_t {
  kPoisson,   // independent callers: exponential gaps
  kConstant,  // call k at k / rate
};

class Pacer {
 public:
  // The plan stands still here, 100 years from the start: no sum of gaps may overflow.
  static constexpr Duration kEndOfTime = std::chrono::hours{24 * 365 * 100};

  // 0 < calls_per_s.
  Pacer(Arrivals arrivals, double calls_per_s, std::uint64_t seed)
      : arrivals_(arrivals), gap_ns_(1e9 / calls_per_s), bits_(bits_for(seed, Stream::kArrivals)) {
    XB_CHECK(calls_per_s > 0 && std::isfinite(gap_ns_), calls_per_s);
  }

  // The start of the next call; never before the former one. The first call, too, comes a gap after
  // the beginning, so that n calls take n / rate.
  Duration next_start() {
    ++calls_;
    if (arrivals_ == Arrivals::kConstant) {
      // Multiplied, not summed: no rounding error grows over a long run.
      due_ = limited(static_cast<double>(calls_) * gap_ns_);
    } else {
      // Whole nanoseconds are summed: exact, however long the run.
      due_ = std::min(kEndOfTime, due_ + limited(exponential(bits_, gap_ns_)));
    }
    return due_;
  }

 private:
  static Duration limited(double ns) {
    if (ns >= static_cast<double>(kEndOfTime / Duration{1})) return kEndOfTime;
    return Duration{std::llround(ns)};
  }

  Arrivals arrivals_;
  double gap_ns_;
  RandomBits bits_;
  std::uint64_t calls_ = 0;
  Duration due_{};
};

}  // namespace xbind::callgen
