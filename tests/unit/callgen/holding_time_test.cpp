#include "callgen/holding_time.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

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

TEST(HoldingTime, ExponentialHasItsMeanAndVariance) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    HoldingTime holding(HoldDistribution::kExponential, std::chrono::seconds{5}, seed);
    constexpr int kSample = 100'000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kSample; ++i) {
      const double held_s = std::chrono::duration<double>(holding.next()).count();
      ASSERT_GE(held_s, 0);
      sum += held_s;
      squares += held_s * held_s;
    }
    const double mean = sum / kSample;
    EXPECT_NEAR(mean, 5, 5 * 0.0127);
    EXPECT_NEAR(squares / kSample - mean * mean, 25, 25 * 0.036);
  }
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
    for (const Stream stream : {Stream::kArrivals, Stream::kHolding, Stream::kWorkload})
      first_draws.insert(bits_for(seed, stream)());
  }
  EXPECT_EQ(first_draws.size(), 12u);
}

TEST(Random, SplitmixGivesItsPublishedSequence) {
  // The generator whose state is raised by the golden ratio, from state 0.
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
