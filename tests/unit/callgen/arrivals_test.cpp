// Arrivals whose rate varies: bursts, ramps and traces, compared with independent formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "callgen/load/pacer.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

std::vector<double> starts_s(Pacer pacer, std::size_t count) {
  std::vector<double> starts;
  for (std::size_t i = 0; i < count; ++i)
    starts.push_back(std::chrono::duration<double>(pacer.next_start()).count());
  return starts;
}

// Kolmogorov-Smirnov: the greatest distance between a sample and a distribution function. One
// genuine sample in a thousand lies beyond 1.95 / sqrt(n).
template <class Distribution>
double distance(std::vector<double> sample, Distribution distribution) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double greatest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double theory = distribution(sample[i]);
    greatest = std::max(
        {greatest, theory - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - theory});
  }
  return greatest;
}
double limit(std::size_t n) { return 1.95 / std::sqrt(static_cast<double>(n)); }

TEST(Arrivals, HaveNames) {
  EXPECT_EQ(to_string(Arrivals::kBurst), "burst");
  EXPECT_EQ(to_string(Arrivals::kOneAtATime), "one-at-a-time");
}

// ===== bursts ===================================================================================

// 100 calls/s on average; on for 0.2 s, off for 0.6 s: 400 a second while on.
ArrivalPlan bursts() {
  return {.arrivals = Arrivals::kBurst, .calls_per_s = 100, .burst_on_s = 0.2, .burst_off_s = 0.6};
}

class Bursts : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Bursts, testing::Values(1, 2, 3, 42, 4711),
                         testing::PrintToStringParamName());

TEST_P(Bursts, KeepTheMeanRate) {
  constexpr std::size_t kSample = 200'000;
  const auto starts = starts_s(Pacer(bursts(), GetParam()), kSample);
  // Counts over a long time have 1 + 2 p a / (a + b)^2 times the variance of independent calls.
  // With p = 400, a = 1 / 0.2, b = 1 / 0.6 that is 91. The limit is four standard deviations.
  EXPECT_NEAR(static_cast<double>(kSample) / starts.back(), 100,
              100 * 4 * std::sqrt(91.0 / kSample));
}

TEST_P(Bursts, HaveGapsOfTwoExponentialsMixed) {
  // The gaps of an interrupted Poisson process (rate p while on; on times end at rate a, off times
  // at rate b) are hyperexponential. Their rates are r1, r2 = (p + a + b +- sqrt((p + a + b)^2 - 4
  // p b)) / 2; r1 has probability (p - r2) / (r1 - r2).
  constexpr double p = 400;
  constexpr double a = 1 / 0.2;
  constexpr double b = 1 / 0.6;
  const double root = std::sqrt((p + a + b) * (p + a + b) - 4 * p * b);
  const double r1 = (p + a + b + root) / 2;
  const double r2 = (p + a + b - root) / 2;
  const double share = (p - r2) / (r1 - r2);
  constexpr std::size_t kSample = 100'000;
  const auto starts = starts_s(Pacer(bursts(), GetParam()), kSample);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < starts.size(); ++i) gaps.push_back(starts[i] - starts[i - 1]);
  const auto mixed = [&](double gap) {
    return 1 - share * std::exp(-r1 * gap) - (1 - share) * std::exp(-r2 * gap);
  };
  EXPECT_LT(distance(gaps, mixed), limit(gaps.size()));
  const auto poisson = [](double gap) { return -std::expm1(-100 * gap); };
  // The test detects a wrong distribution.
  EXPECT_GT(distance(gaps, poisson), 10 * limit(gaps.size()));

  // Their squared variation is that of the mixture and agrees with gap_variation().
  const double mean = share / r1 + (1 - share) / r2;
  const double second = 2 * (share / (r1 * r1) + (1 - share) / (r2 * r2));
  EXPECT_NEAR(mean, 0.01, 1e-12);
  EXPECT_NEAR(gap_variation(bursts()).value(), std::sqrt(second / mean / mean - 1), 1e-9);
}

TEST(Arrivals, ABurstPlanSaysItsPeakAndItsDispersion) {
  EXPECT_DOUBLE_EQ(peak_rate(bursts()), 400);
  EXPECT_DOUBLE_EQ(mean_rate(bursts()), 100);
  EXPECT_NEAR(dispersion(bursts()), 91, 1e-9);
}

TEST(Arrivals, BurstsBeginAtAnyMomentOfTheirCycle) {
  // Averaged over many seeds, the first second has as many calls as any other.
  double first = 0;
  constexpr int kSeeds = 2000;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    first += static_cast<double>(calls_before(1s, bursts(), seed, 100'000));
  // The standard deviation of the calls in one second is below sqrt(91 * 100) = 95;
  // of the mean of 2000 it is 2.2.
  EXPECT_NEAR(first / kSeeds, 100, 4 * 2.2);
}

TEST(Arrivals, TheOffTimesHaveAStreamOfTheirOwn) {
  // The on time between two calls is drawn as before: with almost no off time
  // the plan is nearly Poisson.
  ArrivalPlan plan = bursts();
  plan.burst_on_s = 1000;
  plan.burst_off_s = 0.001;
  const auto nearly = starts_s(Pacer(plan, 1), 100);
  const auto poisson = starts_s(Pacer(Arrivals::kPoisson, peak_rate(plan), 1), 100);
  for (std::size_t i = 1; i < nearly.size(); ++i)
    EXPECT_NEAR(nearly[i] - nearly[i - 1], poisson[i] - poisson[i - 1], 1e-8);
}

// ===== ramps ====================================================================================

ArrivalPlan ramp(double from, double to, double length_s) {
  return {.arrivals = Arrivals::kRamp, .calls_per_s = from, .ramp_to = to, .ramp_s = length_s};
}

class Ramps : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Ramps, testing::Values(1, 2, 3, 42, 4711),
                         testing::PrintToStringParamName());

TEST_P(Ramps, PutTheCallsWhereTheRateIs) {
  // Given their number, the calls on a ramp are independent with the density of the rate. The
  // distribution function is (f t + (g - f) t^2 / 2 l) / ((f + g) l / 2).
  for (const auto& [from, to] : {std::pair{100.0, 900.0}, {900.0, 100.0}, {500.0, 500.0}}) {
    constexpr double l = 200;
    const auto starts = starts_s(Pacer(ramp(from, to, l), GetParam()), 120'000);
    std::vector<double> on_it;
    for (const double start : starts)
      if (start < l) on_it.push_back(start);
    // The area predicts 100 000 of them.
    EXPECT_NEAR(static_cast<double>(on_it.size()), 100'000, 4 * std::sqrt(100'000));
    const auto area = [&, f = from, g = to](double t) {
      return (f * t + (g - f) * t * t / 2 / l) / ((f + g) * l / 2);
    };
    EXPECT_LT(distance(on_it, area), limit(on_it.size())) << from << " to " << to;
    if (from == to) continue;
    const auto even = [&](double t) { return t / l; };
    EXPECT_GT(distance(on_it, even), 10 * limit(on_it.size()));
  }
}

TEST_P(Ramps, AreIndependentCallersAllAlong) {
  // Rescaled by the area of the rate, the gaps are exponential with mean 1.
  constexpr double f = 100;
  constexpr double g = 900;
  constexpr double l = 100;
  const auto starts = starts_s(Pacer(ramp(f, g, l), GetParam()), 60'000);  // some lie after its end
  std::vector<double> gaps;
  double former = 0;
  for (const double t : starts) {
    const double area = t < l ? f * t + (g - f) * t * t / 2 / l : (f + g) * l / 2 + (t - l) * g;
    gaps.push_back(area - former);
    former = area;
  }
  EXPECT_LT(distance(gaps, [](double gap) { return -std::expm1(-gap); }), limit(gaps.size()));
}

TEST(Arrivals, ALevelRampIsThePoissonPlanOfTheSeed) {
  const auto level = starts_s(Pacer(ramp(200, 200, 10), 3), 5000);
  const auto poisson = starts_s(Pacer(Arrivals::kPoisson, 200, 3), 5000);
  for (std::size_t i = 0; i < level.size(); ++i) EXPECT_NEAR(level[i], poisson[i], 1e-5);
}

TEST(Arrivals, ASteepFallGoesNeitherBackNorAstray) {
  const auto starts = starts_s(Pacer(ramp(1e6, 0.001, 1), 1), 500'002);
  EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  for (const double start : starts) ASSERT_TRUE(std::isfinite(start));
}

TEST(Arrivals, ARampHasItsMeanAndItsTop) {
  EXPECT_DOUBLE_EQ(mean_rate(ramp(100, 900, 10)), 500);
  EXPECT_DOUBLE_EQ(peak_rate(ramp(900, 100, 10)), 900);
  EXPECT_FALSE(gap_variation(ramp(100, 900, 10)));
}

// ===== traces, and the number of calls =====

TEST(Arrivals, ATraceIsPlayedAsItStandsAndThenStandsStill) {
  ArrivalPlan plan;
  plan.arrivals = Arrivals::kTrace;
  plan.trace = std::make_shared<const Trace>(parse_trace("0.5\n0.5\n2\n", "t").value());
  Pacer pacer(plan, 1);
  EXPECT_EQ(pacer.next_start(), 500ms);
  EXPECT_EQ(pacer.next_start(), 500ms);
  EXPECT_EQ(pacer.next_start(), 2s);
  EXPECT_EQ(pacer.next_start(), Pacer::kEndOfTime);
  EXPECT_DOUBLE_EQ(mean_rate(plan), 1.5);
  EXPECT_EQ(calls_before(2s, plan, 1, 100), 2u);
  EXPECT_EQ(calls_before(1h, plan, 1, 100), 3u);
}

TEST(Arrivals, CallsBeforeAMomentAreThoseOfThePlan) {
  const ArrivalPlan plan{.calls_per_s = 200};
  Pacer pacer(plan, 9);
  std::uint64_t calls = 0;
  while (pacer.next_start() < 10s) ++calls;
  EXPECT_EQ(calls_before(10s, plan, 9, 1'000'000), calls);
  EXPECT_EQ(calls_before(10s, plan, 9, 7), 7u);
  EXPECT_EQ(calls_before(0s, plan, 9, 7), 0u);
}

TEST(Arrivals, StandStillAtTheEndOfTimeInsteadOfOverflowing) {
  for (ArrivalPlan plan : {bursts(), ramp(1, 1, 1)}) {
    plan.calls_per_s = 1e-9;
    plan.ramp_to = 1e-9;
    plan.burst_on_s = plan.burst_off_s = 1e6;
    Pacer pacer(plan, 1);
    Duration last{};
    for (int i = 0; i < 100; ++i) last = pacer.next_start();
    EXPECT_EQ(last, Pacer::kEndOfTime);
  }
}

TEST(ArrivalsDeathTest, ImpossibleNumbersAreOurOwnBug) {
  ArrivalPlan plan = bursts();
  plan.burst_on_s = 0;
  EXPECT_DEATH(Pacer(plan, 1), "burst_on_s");
  EXPECT_DEATH(Pacer(ramp(1, 0, 1), 1), "ramp_to");
}

}  // namespace
}  // namespace xbind::callgen
