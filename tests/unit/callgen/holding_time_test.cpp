#include "callgen/load/holding_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace xbind::callgen {
namespace {

using std::chrono::milliseconds;

TEST(HoldingTime, ConstantIsAlwaysTheMean) {
  HoldingTime holding(HoldDistribution::kConstant, milliseconds{100}, 1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(holding.next(), milliseconds{100});
}

TEST(HoldingTime, ZeroIsAllowed) {
  EXPECT_EQ(HoldingTime(HoldDistribution::kConstant, Duration{0}, 1).next(), Duration{0});
  EXPECT_EQ(HoldingTime(HoldDistribution::kExponential, Duration{0}, 1).next(), Duration{0});
}

// The greatest distance of a sorted sample from a distribution (Kolmogorov-Smirnov), as a multiple
// of 1 / sqrt(n). One genuine sample in a thousand lies beyond 1.95.
template <class Distribution>
double ks_distance(const std::vector<double>& sorted, Distribution&& below) {
  const auto count = static_cast<double>(sorted.size());
  double greatest = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double theory = below(sorted[i]);
    greatest = std::max({greatest, theory - static_cast<double>(i) / count,
                         static_cast<double>(i + 1) / count - theory});
  }
  return greatest * std::sqrt(count);
}

TEST(HoldingTime, ExponentialHasItsMeanVarianceAndShape) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    HoldingTime holding(HoldDistribution::kExponential, std::chrono::seconds{5}, seed);
    constexpr int kSample = 100'000;
    double sum = 0;
    double squares = 0;
    std::vector<double> all;
    for (int i = 0; i < kSample; ++i) {
      const double held_s = std::chrono::duration<double>(holding.next()).count();
      ASSERT_GT(held_s, 0);
      sum += held_s;
      squares += held_s * held_s;
      all.push_back(held_s);
    }
    const double mean = sum / kSample;
    EXPECT_NEAR(mean, 5, 5 * 0.0127);
    EXPECT_NEAR(squares / kSample - mean * mean, 25, 25 * 0.036);
    std::sort(all.begin(), all.end());
    EXPECT_LT(ks_distance(all, [](double held_s) { return -std::expm1(-held_s / 5); }), 1.95);
  }
}

TEST(HoldingTime, LognormalHasItsMeanAndTheVarianceItsSigmaMakes) {
  // A lognormal of mean m has the variance m^2 (exp(sigma^2) - 1); its logarithm is normal with
  // mean ln m - sigma^2 / 2. Both formulas are from the textbook, independent of the code.
  for (const double sigma : {0.25, 1.0}) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(testing::Message() << "sigma " << sigma << " seed " << seed);
      HoldingTime holding(HoldDistribution::kLognormal, std::chrono::seconds{5}, seed, sigma);
      constexpr int kSample = 200'000;
      double sum = 0;
      std::vector<double> normal;
      for (int i = 0; i < kSample; ++i) {
        const double held_s = std::chrono::duration<double>(holding.next()).count();
        // Any number: a time is positive; the sample decides about mean and spread below.
        ASSERT_GT(held_s, 0);
        sum += held_s;
        normal.push_back((std::log(held_s) - std::log(5.0) + sigma * sigma / 2) / sigma);
      }
      // The mean's standard deviation is sqrt(exp(sigma^2) - 1) / sqrt(n);
      // the limit is four of them.
      const double spread = std::sqrt(std::expm1(sigma * sigma));
      EXPECT_NEAR(sum / kSample, 5, 5 * 4 * spread / std::sqrt(kSample));
      std::sort(normal.begin(), normal.end());
      const auto below = [](double value) { return std::erfc(-value / std::sqrt(2)) / 2; };
      EXPECT_LT(ks_distance(normal, below), 1.95);
    }
  }
}

TEST(HoldingTime, LognormalWithoutSpreadIsConstant) {
  HoldingTime holding(HoldDistribution::kLognormal, milliseconds{100}, 1, 0);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(holding.next(), milliseconds{100});
}

TEST(HoldingTime, WhatCouldBeLongerThanAYearDoesNotFit) {
  using std::chrono::hours;
  EXPECT_TRUE(HoldingTime::fits(HoldDistribution::kLognormal, hours{24}, 0.5));
  EXPECT_FALSE(HoldingTime::fits(HoldDistribution::kLognormal, hours{24}, 2));
  EXPECT_TRUE(HoldingTime::fits(HoldDistribution::kLognormal, std::chrono::seconds{1}, 2));
  EXPECT_FALSE(HoldingTime::fits(HoldDistribution::kLognormal, std::chrono::seconds{1}, -1));
  EXPECT_TRUE(HoldingTime::fits(HoldDistribution::kExponential, hours{24}, 2));
  // No normal draw is larger: unit_interval() is never below 2^-53.
  EXPECT_LT(std::sqrt(2 * 53 * std::log(2)), kNormalMost);
}

TEST(HoldingTime, TheLongestDrawIsNotCutShort) {
  // unit_interval() is never below 2^-53.
  EXPECT_LT(53 * std::log(2), 64);
}

TEST(HoldingTimeDeathTest, ANegativeMeanIsOurOwnBug) {
  EXPECT_DEATH(HoldingTime(HoldDistribution::kConstant, Duration{-1}, 1), "-1");
}

TEST(Random, EveryPurposeHasAStreamOfItsOwn) {
  std::set<std::uint64_t> first_draws;
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    for (const Stream stream :
         {Stream::kArrivals, Stream::kHolding, Stream::kWorkload, Stream::kMedia, Stream::kBursts,
          Stream::kScenario, Stream::kPriority, Stream::kLeaves, Stream::kRepeat, Stream::kGravity})
      first_draws.insert(bits_for(seed, stream)());
  }
  EXPECT_EQ(first_draws.size(), 40u);
}

TEST(Random, SplitmixGivesItsPublishedSequence) {
  // The state of SplitMix64 grows by the golden ratio, beginning with 0.
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(splitmix64(0x9e3779b97f4a7c15), 0x6e789e6aa1b965f4u);
}

TEST(Random, BelowFavoursNobody) {
  RandomBits bits = bits_for(1, Stream::kWorkload);
  std::uint64_t counts[3] = {};
  for (int i = 0; i < 30'000; ++i) ++counts[below(bits, 3)];
  for (const std::uint64_t count : counts) EXPECT_NEAR(static_cast<double>(count), 10'000, 330);
}

TEST(Random, BelowOneIsAlwaysZero) {
  RandomBits bits = bits_for(1, Stream::kWorkload);
  EXPECT_EQ(below(bits, 1), 0u);
}

}  // namespace
}  // namespace xbind::callgen
