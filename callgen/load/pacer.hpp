// When each call is meant to start, counted from the beginning of the run.
//
// The plan depends on the arrivals asked for and the seed alone, never on how earlier calls fared: whoever
// waits for a slow answer before the next call measures a system that is being spared. The one exception is
// asked for by name: calls one at a time, which have no plan; the Runner starts each when the one before is
// over.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "callgen/load/random.hpp"
#include "callgen/load/trace.hpp"
#include "core/check.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

enum class Arrivals : std::uint8_t {
  kPoisson,    // independent callers: exponential gaps
  kConstant,   // call k at k / rate
  kBurst,      // interrupted Poisson: exponential gaps while on, nothing while off
  kRamp,       // Poisson, its rate rising or falling in a straight line
  kTrace,      // as a file says
  kOneAtATime  // each when the one before is over
};
std::string_view to_string(Arrivals arrivals);  // "poisson", "one-at-a-time", ...

struct ArrivalPlan {
  Arrivals arrivals = Arrivals::kPoisson;
  // Mean rate; kRamp: the rate at the beginning. Not looked at by kTrace and kOneAtATime. Above 0.
  double calls_per_s = 200;
  // kBurst: mean lengths of the on and off times, exponential both; above 0. While on, calls come at
  // peak_rate(), so that the mean over all is calls_per_s. It begins on or off by chance, each as likely as at
  // any later moment.
  double burst_on_s = 1;
  double burst_off_s = 1;
  // kRamp: the rate after ramp_s seconds, both above 0; from then on it stays.
  double ramp_to = 200;
  double ramp_s = 10;
  std::shared_ptr<const Trace> trace{};  // kTrace
};

double peak_rate(const ArrivalPlan& plan);  // the greatest the rate ever is; 0 where there is none
// Calls a second over the whole plan: of a ramp its mean height, of a trace its calls by its last start. 0 when
// nothing is asked for: one at a time, or a trace whose calls all start at 0.
double mean_rate(const ArrivalPlan& plan);
// Standard deviation / mean of the gaps that were asked for; nothing where they follow no law (trace, one at a
// time) or not one law all the time (ramp).
std::optional<double> gap_variation(const ArrivalPlan& plan);
// Variance / mean of the number of calls in a long time: 1 for independent callers, 0 where chance has no part.
double dispersion(const ArrivalPlan& plan);

class Pacer {
 public:
  // The plan stands still here, 100 years from the start: no sum of gaps may overflow.
  static constexpr Duration kEndOfTime = std::chrono::hours{24 * 365 * 100};

  // Numbers as in ArrivalPlan.
  Pacer(const ArrivalPlan& plan, std::uint64_t seed);
  Pacer(Arrivals arrivals, double calls_per_s, std::uint64_t seed);

  // The start of the next call; never before the former one. The first call, too, comes a gap after
  // the beginning, so that n calls take n / rate. After the last call of a trace: kEndOfTime. Not for
  // kOneAtATime.
  Duration next_start() {
    ++calls_;
    switch (plan_.arrivals) {
      case Arrivals::kPoisson:
        // Whole nanoseconds are summed: exact, however long the run.
        due_ = std::min(kEndOfTime, due_ + limited(exponential(bits_, gap_ns_)));
        break;
      case Arrivals::kConstant:
        // Multiplied, not summed: no rounding error grows over a long run.
        due_ = limited(static_cast<double>(calls_) * gap_ns_);
        break;
      case Arrivals::kBurst: due_ = next_of_bursts(); break;
      case Arrivals::kRamp: due_ = next_of_ramp(); break;
      case Arrivals::kTrace: due_ = next_of_trace(); break;
      case Arrivals::kOneAtATime: XB_CHECK(false);
    }
    return due_;
  }

 private:
  static Duration limited(double ns) {
    if (ns >= static_cast<double>(kEndOfTime / Duration{1})) return kEndOfTime;
    return Duration{std::llround(ns)};
  }
  Duration next_of_bursts();
  Duration next_of_ramp();
  Duration next_of_trace() const;

  ArrivalPlan plan_;
  double gap_ns_;  // mean gap: kBurst: while on
  RandomBits bits_;
  RandomBits burst_bits_;
  std::uint64_t calls_ = 0;
  Duration due_{};
  Duration on_left_{};  // kBurst: of the on time that due_ lies in
  double events_ = 0;   // kRamp: the sum of gaps of a Poisson process of rate 1
};

// How many calls of the plan start before `end`, at most `most`.
std::uint64_t calls_before(Duration end, const ArrivalPlan& plan, std::uint64_t seed,
                           std::uint64_t most);

}  // namespace xbind::callgen
