// The planned start of each call, counted from the beginning of the run.
//
// The plan depends on the arrival options and the seed only, never on the results of earlier calls:
// a caller that waits for a slow answer before its next call measures a system under reduced load.
// The one exception must be requested by name: calls one at a time have no plan, and the Runner
// starts each when the previous one is over.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "callgen/load/random.hpp"
#include "callgen/load/rate_curve.hpp"
#include "callgen/load/trace.hpp"
#include "core/check.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

enum class Arrivals : std::uint8_t {
  kPoisson,     // independent callers: exponential gaps
  kConstant,    // call k at k / rate
  kBurst,       // interrupted Poisson: exponential gaps while on, nothing while off
  kRamp,        // Poisson with a rate that rises or falls linearly
  kTrace,       // from a file
  kOneAtATime,  // each when the previous one is over
  kPhases       // the phases of a scenario, each with its own rate
};
std::string_view to_string(Arrivals arrivals);  // "poisson", "one-at-a-time", ...

struct ArrivalPlan {
  Arrivals arrivals = Arrivals::kPoisson;
  // Mean rate, above 0; kRamp: the rate at the beginning. Ignored by kTrace and kOneAtATime.
  double calls_per_s = 200;
  // kBurst: mean lengths of the exponential on and off times; above 0. While on, calls come at
  // peak_rate(), so that the overall mean is calls_per_s. Whether it begins on or off is random,
  // with the long-term probabilities.
  double burst_on_s = 1;
  double burst_off_s = 1;
  // kRamp: the rate after ramp_s seconds, both above 0; constant from then on.
  double ramp_to = 200;
  double ramp_s = 10;
  std::shared_ptr<const Trace> trace{};  // kTrace
  // kPhases; the last piece has an end, and some piece a rate above 0.
  std::shared_ptr<const std::vector<RatePiece>> phases{};
};

double peak_rate(const ArrivalPlan& plan);  // the greatest rate at any time; 0 where there is none
// Calls per second over the whole plan: for a ramp or phases the mean rate, for a trace its calls
// divided by its last start. 0 where there is no rate: one at a time, or a trace whose calls all
// start at 0.
double mean_rate(const ArrivalPlan& plan);
// Planned standard deviation / mean of the gaps; nullopt where the gaps follow no distribution
// (trace, one at a time) or a changing one (ramp, phases).
std::optional<double> gap_variation(const ArrivalPlan& plan);
// Variance / mean of the number of calls in a long time: 1 for independent callers, 0 without
// randomness.
double dispersion(const ArrivalPlan& plan);

class Pacer {
 public:
  // Planning stops 100 years after the start, so that no sum of gaps can overflow.
  static constexpr Duration kEndOfTime = std::chrono::hours{24 * 365 * 100};

  // The numbers must be as described in ArrivalPlan.
  Pacer(const ArrivalPlan& plan, std::uint64_t seed);
  Pacer(Arrivals arrivals, double calls_per_s, std::uint64_t seed);

  // The start of the next call, never before the previous one. The first call also comes a gap
  // after the beginning, so that n calls take n / rate. After the last call of a trace or of the
  // phases: kEndOfTime. Not for kOneAtATime.
  Duration next_start() {
    ++calls_;
    if (rates_) return due_ = next_of_rates();
    switch (plan_.arrivals) {
      case Arrivals::kPoisson:
        // Sums whole nanoseconds: exact, however long the run.
        due_ = std::min(kEndOfTime, due_ + limited(exponential(bits_, gap_ns_)));
        break;
      case Arrivals::kConstant:
        // Multiplied, not summed, so that no rounding error grows over a long run.
        due_ = limited(static_cast<double>(calls_) * gap_ns_);
        break;
      case Arrivals::kBurst: due_ = next_of_bursts(); break;
      case Arrivals::kRamp: due_ = next_of_ramp(); break;
      case Arrivals::kTrace: due_ = next_of_trace(); break;
      case Arrivals::kPhases:
      case Arrivals::kOneAtATime: XB_CHECK(false);
    }
    return due_;
  }

  // Whether the rate can be changed: bursts, traces and calls one at a time have none to change.
  bool has_rate() const {
    return plan_.arrivals == Arrivals::kPoisson || plan_.arrivals == Arrivals::kConstant ||
           plan_.arrivals == Arrivals::kRamp || plan_.arrivals == Arrivals::kPhases;
  }
  // Calls a second at this time; has_rate().
  double rate_at(Duration when) const;
  // From `when` on calls come at this rate, of a ramp or phase until its end. Returns the new start
  // of the call that next_start() gave last: unchanged if it is earlier than `when`. The rest of
  // its gap passes at the new rate, so independent callers stay independent, and even gaps even.
  // has_rate(), and rates().can_change() if there are any.
  Duration change_rate(Duration when, double calls_per_s);
  // The rate over time; nullptr until a change, except for phases.
  const RateCurve* rates() const { return rates_ ? &*rates_ : nullptr; }

 private:
  static Duration limited(double ns) {
    if (ns >= static_cast<double>(kEndOfTime / Duration{1})) return kEndOfTime;
    return Duration{std::llround(ns)};
  }
  Duration next_of_bursts();
  Duration next_of_ramp();
  Duration next_of_trace() const;
  Duration next_of_rates();
  static Duration start_of(const RateCurve& rates, double events);

  ArrivalPlan plan_;
  double gap_ns_;  // mean gap; kBurst: mean gap while on
  RandomBits bits_;
  RandomBits burst_bits_;
  std::uint64_t calls_ = 0;
  Duration due_{};
  Duration on_left_{};  // kBurst: rest of the on time that due_ lies in
  // kRamp, or with rates_: sum of the gaps of a process of rate 1
  double events_ = 0;
  std::optional<RateCurve> rates_;  // kPhases, or once the rate was changed
};

// How many calls of the plan start before `end`, at most `most`.
std::uint64_t calls_before(Duration end, const ArrivalPlan& plan, std::uint64_t seed,
                           std::uint64_t most);

}  // namespace xbind::callgen
