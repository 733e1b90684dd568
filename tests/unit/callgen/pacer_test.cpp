#include "callgen/load/pacer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace xbind::callgen {
namespace {

constexpr std::size_t kDrawn = 100'000;

std::vector<double> gaps_s(Pacer pacer, std::size_t count) {
  std::vector<double> gaps;
  Duration former{};
  for (std::size_t i = 0; i < count; ++i) {
    const Duration start = pacer.next_start();
    gaps.push_back(std::chrono::duration<double>(start - former).count());
    former = start;
  }
  return gaps;
}

std::vector<Duration> starts(Pacer pacer, std::size_t count) {
  std::vector<Duration> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(pacer.next_start());
  return all;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double variance(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum / static_cast<double>(values.size());
}

// Kolmogorov-Smirnov: the greatest distance between the sample's distribution and
// the exponential distribution.
double distance_from_exponential(std::vector<double> sample, double rate) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double greatest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double theory = -std::expm1(-rate * sample[i]);
    greatest = std::max(
        {greatest, theory - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - theory});
  }
  return greatest;
}

class PoissonArrivals : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, PoissonArrivals, testing::Values(1, 2, 3, 42, 4711),
                         testing::PrintToStringParamName());

TEST_P(PoissonArrivals, HaveTheMeanAndVarianceOfAnExponential) {
  // 100 000 gaps: the standard deviation of the mean is 0.32 %, of the
  // variance 0.9 %. The limit is four.
  constexpr double kRate = 200;
  const auto gaps = gaps_s(Pacer(Arrivals::kPoisson, kRate, GetParam()), kDrawn);
  EXPECT_NEAR(mean(gaps) * kRate, 1, 0.0127);
  EXPECT_NEAR(variance(gaps) * kRate * kRate, 1, 0.036);
}

TEST_P(PoissonArrivals, PassKolmogorovSmirnov) {
  // One genuine sample in a thousand lies beyond 1.95 / sqrt(n).
  const double limit = 1.95 / std::sqrt(static_cast<double>(kDrawn));
  for (const double rate : {0.5, 200.0, 10'000.0}) {
    const auto gaps = gaps_s(Pacer(Arrivals::kPoisson, rate, GetParam()), kDrawn);
    EXPECT_LT(distance_from_exponential(gaps, rate), limit) << "rate " << rate;
    // The test detects a rate that is wrong by five per cent.
    EXPECT_GT(distance_from_exponential(gaps, rate * 1.05), limit) << "rate " << rate;
  }
}

TEST_P(PoissonArrivals, HaveIndependentGaps) {
  constexpr double kRate = 200;
  const auto gaps = gaps_s(Pacer(Arrivals::kPoisson, kRate, GetParam()), kDrawn);
  const double centre = mean(gaps);
  double sum = 0;
  for (std::size_t i = 1; i < gaps.size(); ++i) sum += (gaps[i] - centre) * (gaps[i - 1] - centre);
  const double correlation = sum / static_cast<double>(gaps.size()) / variance(gaps);
  EXPECT_NEAR(correlation, 0, 4 / std::sqrt(static_cast<double>(kDrawn)));
}

// A seed gives the same plan in every build. The numbers follow the papers on the 64-bit Mersenne
// Twister and on SplitMix64, and were computed independently of this code.
TEST(Pacer, TheSameSeedGivesTheSamePlan) {
  using Ns = std::chrono::nanoseconds;
  const auto plan = starts(Pacer(Arrivals::kPoisson, 200, 7), 1000);
  EXPECT_EQ(plan.at(0), Ns{2'674'154});
  EXPECT_EQ(plan.at(1), Ns{5'778'575});
  EXPECT_NEAR(std::chrono::duration<double>(plan.at(999)).count(), 4.631399650, 1e-6);
}

TEST(Pacer, AnotherSeedGivesAnotherPlan) {
  EXPECT_NE(starts(Pacer(Arrivals::kPoisson, 200, 7), 1000),
            starts(Pacer(Arrivals::kPoisson, 200, 8), 1000));
}

TEST(Pacer, TheFirstStartsOfSeed1AreTheOnesItAlwaysHad) {
  // A seed in an old report must still mean the same run: change these
  // values only with a release note.
  EXPECT_THAT(starts(Pacer(Arrivals::kPoisson, 200, 1), 4),
              testing::ElementsAre(Duration{812'423}, Duration{6'553'171}, Duration{8'804'418},
                                   Duration{13'282'180}));
}

TEST(Pacer, StartsNeverGoBack) {
  const auto plan = starts(Pacer(Arrivals::kPoisson, 1e6, 5), kDrawn);
  EXPECT_TRUE(std::is_sorted(plan.begin(), plan.end()));
  EXPECT_GE(plan.front(), Duration{0});
}

TEST(Pacer, ConstantArrivalsStandAtMultiplesOfTheGap) {
  EXPECT_THAT(starts(Pacer(Arrivals::kConstant, 200, 1), 3),
              testing::ElementsAre(std::chrono::milliseconds{5}, std::chrono::milliseconds{10},
                                   std::chrono::milliseconds{15}));
}

TEST(Pacer, ConstantArrivalsGatherNoRoundingError) {
  // A third of a second has no exact representation: after 300 000 calls the plan is still exact.
  Pacer pacer(Arrivals::kConstant, 3, 1);
  Duration last{};
  for (int i = 0; i < 300'000; ++i) last = pacer.next_start();
  EXPECT_EQ(last, std::chrono::seconds{100'000});
}

TEST(Pacer, StandsStillAtTheEndOfTimeInsteadOfOverflowing) {
  for (const Arrivals arrivals : {Arrivals::kPoisson, Arrivals::kConstant}) {
    Pacer pacer(arrivals, 1e-9, 1);
    Duration last{};
    for (int i = 0; i < 1000; ++i) last = pacer.next_start();
    EXPECT_EQ(last, Pacer::kEndOfTime);
  }
}

TEST(PacerDeathTest, ARateOfZeroIsOurOwnBug) {
  EXPECT_DEATH(Pacer(Arrivals::kPoisson, 0, 1), "calls_per_s");
}

}  // namespace
}  // namespace xbind::callgen
