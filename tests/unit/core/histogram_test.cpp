#include "core/metrics/histogram.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace xbind {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// The definition of the nearest rank, applied to the values themselves.
std::int64_t exact_percentile(std::vector<std::int64_t> values, std::size_t permille) {
  std::sort(values.begin(), values.end());
  const std::size_t rank = (values.size() * permille + 999) / 1000;
  return values[std::max<std::size_t>(rank, 1) - 1];
}

TEST(Histogram, IsAllZerosBeforeTheFirstValue) {
  const Histogram empty;
  EXPECT_EQ(empty.count(), 0u);
  EXPECT_EQ(empty.min(), Duration{0});
  EXPECT_EQ(empty.max(), Duration{0});
  EXPECT_EQ(empty.mean_ns(), 0);
  EXPECT_EQ(empty.percentile(99), Duration{0});
}

TEST(Histogram, KeepsCountMinMaxAndMeanExactly) {
  Histogram histogram;
  for (const int ns : {1'000'003, 7, 123'456'789}) histogram.record(Duration{ns});
  EXPECT_EQ(histogram.count(), 3u);
  EXPECT_EQ(histogram.min(), Duration{7});
  EXPECT_EQ(histogram.max(), Duration{123'456'789});
  EXPECT_DOUBLE_EQ(histogram.mean_ns(), (1'000'003.0 + 7 + 123'456'789) / 3);
}

TEST(Histogram, IsExactBelow256Nanoseconds) {
  Histogram histogram;
  for (int ns = 1; ns <= 200; ++ns) histogram.record(Duration{ns});
  EXPECT_EQ(histogram.percentile(0), Duration{1});
  EXPECT_EQ(histogram.percentile(0.5), Duration{1});
  EXPECT_EQ(histogram.percentile(50), Duration{100});
  EXPECT_EQ(histogram.percentile(99), Duration{198});
  EXPECT_EQ(histogram.percentile(100), Duration{200});
}

TEST(Histogram, TakesTheRankOfADecimalPercentageAtItsWord) {
  // 99.9 % of 1000 values is the 999th, not the 1000th, though 99.9 has no exact binary form.
  Histogram histogram;
  for (int i = 0; i < 999; ++i) histogram.record(Duration{10});
  histogram.record(Duration{200});
  EXPECT_EQ(histogram.percentile(99.9), Duration{10});
  EXPECT_EQ(histogram.percentile(99.91), Duration{200});
}

TEST(Histogram, PercentilesAreNeverBelowAndAtMostOne128thAboveTheTruth) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    std::mt19937_64 rng(seed);
    std::vector<std::int64_t> values;
    Histogram histogram;
    for (int i = 0; i < 20'000; ++i) {  // spread evenly over the octaves of the whole range
      const auto value =
          static_cast<std::int64_t>(std::exp2(static_cast<double>(rng() % 43'999) / 1000));
      values.push_back(value);
      histogram.record(Duration{value});
    }
    for (const std::size_t permille : {1u, 50u, 250u, 500u, 950u, 990u, 999u, 1000u}) {
      SCOPED_TRACE(permille);
      const double truth = static_cast<double>(exact_percentile(values, permille));
      const double reported =
          static_cast<double>(histogram.percentile(static_cast<double>(permille) / 10).count());
      EXPECT_GE(reported, truth);
      EXPECT_LE(reported, truth * (1 + Histogram::kRelativeError));
    }
  }
}

TEST(Histogram, EveryBucketEdgeKeepsThePromise) {
  // Two values in each histogram: otherwise the maximum would hide the
  // bucket edge of the lower one.
  for (int bits = 0; bits < 44; ++bits) {
    for (const std::int64_t off : {-1, 0, 1}) {
      const std::int64_t value = (std::int64_t{1} << bits) + off;
      if (value > Histogram::kHighest.count()) continue;
      Histogram histogram;
      histogram.record(Duration{value});
      histogram.record(Histogram::kHighest);
      const auto reported = histogram.percentile(50).count();
      EXPECT_GE(reported, value);
      EXPECT_LE(static_cast<double>(reported), static_cast<double>(value) * (1 + 1.0 / 128));
    }
  }
}

TEST(Histogram, ClampsAndCountsWhatLiesOutsideTheRange) {
  Histogram histogram;
  histogram.record(Duration{-5});  // a clock that ran backwards
  histogram.record(hours{24});     // longer than the range
  histogram.record(milliseconds{1});
  EXPECT_EQ(histogram.count(), 3u);
  EXPECT_EQ(histogram.clamped(), 2u);
  EXPECT_EQ(histogram.min(), Duration{0});
  EXPECT_EQ(histogram.max(), Histogram::kHighest);
  EXPECT_EQ(histogram.percentile(100), Histogram::kHighest);
}

TEST(Histogram, TheEndsOfTheRangeAreNotClamped) {
  Histogram histogram;
  histogram.record(Duration{0});
  histogram.record(Histogram::kHighest);
  EXPECT_EQ(histogram.clamped(), 0u);
  EXPECT_GT(Histogram::kHighest, hours{4});
}

TEST(Histogram, MergedHistogramsEqualOneThatSawEverything) {
  Histogram all;
  Histogram odd;
  Histogram even;
  for (int i = 0; i < 5'000; ++i) {
    const Duration value{i * i * 37L - 3};
    all.record(value);
    (i % 2 == 0 ? even : odd).record(value);
  }
  odd.merge(even);
  EXPECT_EQ(odd.count(), all.count());
  EXPECT_EQ(odd.clamped(), all.clamped());
  EXPECT_EQ(odd.min(), all.min());
  EXPECT_EQ(odd.max(), all.max());
  EXPECT_EQ(odd.mean_ns(), all.mean_ns());
  for (const double percent : {0.0, 5.0, 50.0, 95.0, 99.0, 99.9, 100.0})
    EXPECT_EQ(odd.percentile(percent), all.percentile(percent)) << percent;
}

TEST(Histogram, MergingAnEmptyOneChangesNothing) {
  Histogram histogram;
  histogram.record(Duration{40});
  histogram.merge(Histogram{});
  EXPECT_EQ(histogram.min(), Duration{40});
  EXPECT_EQ(histogram.max(), Duration{40});
  EXPECT_EQ(histogram.count(), 1u);
}

TEST(Histogram, TheMeanSurvivesASumBeyond64Bits) {
  // 2^40 values of almost five hours: their sum has 84 bits.
  Histogram histogram;
  histogram.record(Histogram::kHighest);
  for (int doubling = 0; doubling < 40; ++doubling) histogram.merge(Histogram{histogram});
  EXPECT_EQ(histogram.count(), std::uint64_t{1} << 40);
  EXPECT_DOUBLE_EQ(histogram.mean_ns(), static_cast<double>(Histogram::kHighest.count()));
}

TEST(HistogramDeathTest, APercentageAbove100IsOurOwnBug) {
  EXPECT_DEATH(static_cast<void>(Histogram{}.percentile(101)), "101");
}

// ===== spread, buckets, parts ===================================================================

TEST(Histogram, HasTheDeviationOfTheSample) {
  Histogram histogram;
  EXPECT_EQ(histogram.deviation_ns(), 0);
  histogram.record(milliseconds{2});
  EXPECT_EQ(histogram.deviation_ns(), 0);  // a single value has no deviation
  for (const int value : {4, 4, 4, 5, 5, 7, 9}) histogram.record(milliseconds{value});
  EXPECT_NEAR(histogram.deviation_ns(), std::sqrt(32.0 / 7) * 1e6, 1e-3);
}

TEST(Histogram, MergedHasTheDeviationOfAllValues) {
  Histogram all;
  Histogram odd;
  Histogram even;
  for (int i = 1; i <= 1000; ++i) {
    all.record(milliseconds{i * i});
    (i % 2 == 0 ? even : odd).record(milliseconds{i * i});
  }
  odd.merge(even);
  EXPECT_NEAR(odd.deviation_ns(), all.deviation_ns(), 1e-9 * all.deviation_ns());
  Histogram empty;
  empty.merge(odd);
  EXPECT_DOUBLE_EQ(empty.deviation_ns(), odd.deviation_ns());
}

TEST(Histogram, TellsItsBucketsAndItsRanks) {
  Histogram histogram;
  for (const int value : {7, 300, 301, 1000}) histogram.record(Duration{value});
  using Bucket = Histogram::Bucket;
  EXPECT_THAT(histogram.filled(),
              testing::ElementsAre(Bucket{Duration{7}, 1}, Bucket{Duration{301}, 2},
                                   Bucket{Duration{1003}, 1}));
  EXPECT_EQ(histogram.ranked(1), Duration{7});
  EXPECT_EQ(histogram.ranked(3), Duration{301});
  EXPECT_EQ(histogram.ranked(4), Duration{1000});  // never above the maximum
  EXPECT_EQ(Histogram::bucket_end(Duration{300}), Duration{301});
  EXPECT_EQ(Histogram::bucket_end(Duration{-1}), Duration{0});
}

TEST(Histogram, IsMadeAgainFromItsParts) {
  Histogram histogram;
  histogram.record(Duration{-5});
  for (int i = 1; i <= 500; ++i) histogram.record(milliseconds{i});
  const auto again = Histogram::from(histogram.parts());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->filled(), histogram.filled());
  EXPECT_EQ(again->clamped(), 1u);
  EXPECT_EQ(again->min(), histogram.min());
  EXPECT_EQ(again->max(), histogram.max());
  EXPECT_DOUBLE_EQ(again->mean_ns(), histogram.mean_ns());
  EXPECT_DOUBLE_EQ(again->deviation_ns(), histogram.deviation_ns());
  EXPECT_EQ(Histogram::from({})->count(), 0u);
}

TEST(Histogram, IsNotMadeFromPartsThatContradictEachOther) {
  Histogram histogram;
  for (int i = 1; i <= 5; ++i) histogram.record(milliseconds{i});
  const Histogram::Parts good = histogram.parts();
  ASSERT_TRUE(Histogram::from(good));
  const auto spoilt = [&good](auto&& spoil) {
    Histogram::Parts parts = good;
    spoil(parts);
    return Histogram::from(parts).has_value();
  };
  using Parts = Histogram::Parts;
  EXPECT_FALSE(spoilt([](Parts& parts) { parts.buckets[0].highest += Duration{1}; }));
  EXPECT_FALSE(spoilt([](Parts& parts) { parts.buckets[0].count = 0; }));
  EXPECT_FALSE(spoilt([](Parts& parts) { parts.buckets[1] = parts.buckets[0]; }));
  EXPECT_FALSE(spoilt([](Parts& parts) { parts.buckets[0].highest = Duration{-1}; }));
  EXPECT_FALSE(spoilt([](Parts& parts) { parts.min = milliseconds{9}; }));
  EXPECT_FALSE(spoilt([](Parts& parts) { parts.max = milliseconds{9}; }));
  EXPECT_FALSE(spoilt([](Parts& parts) { parts.clamped = 6; }));
  EXPECT_FALSE(spoilt([](Parts& parts) { parts.sum_ns = -1; }));
  EXPECT_FALSE(spoilt([](Parts& parts) { parts.squares_ns = std::nan(""); }));
}

}  // namespace
}  // namespace xbind
