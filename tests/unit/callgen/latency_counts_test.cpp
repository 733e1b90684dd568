#include "callgen/statistics/latency_counts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;

std::map<Duration, std::uint32_t> all_of(const LatencyCounts& counts) {
  std::map<Duration, std::uint32_t> all;
  Duration before{-1};
  for (const auto& [highest, count] : counts) {
    EXPECT_GT(highest, before) << "from the least";
    before = highest;
    all[highest] = count;
  }
  return all;
}

TEST(LatencyCountsTest, WithoutLatenciesThereIsNoBucket) {
  EXPECT_TRUE(LatencyCounts{}.empty());
  EXPECT_TRUE(all_of(LatencyCounts{}).empty());
}

TEST(LatencyCountsTest, EveryBucketIsThatOfAHistogram) {
  constexpr std::uint64_t kSeed = 20;
  std::mt19937_64 bits(kSeed);
  LatencyCounts counts;
  std::map<Duration, std::uint32_t> expected;
  for (int i = 0; i < 20'000; ++i) {
    // Each octave has the same number of samples.
    const Duration latency{static_cast<std::int64_t>(bits() >> 20 >> bits() % 45)};
    counts.add(latency);
    ++expected[Histogram::bucket_end(latency)];
  }
  EXPECT_EQ(all_of(counts), expected) << "seed " << kSeed;
}

TEST(LatencyCountsTest, TheEdgesOfBucketsAreWhereTheHistogramHasThem) {
  for (std::int64_t edge = 128; edge < Histogram::kHighest.count(); edge = edge * 2 + 3) {
    for (const std::int64_t value : {edge - 1, edge, edge + 1}) {
      LatencyCounts counts;
      counts.add(Duration{value});
      EXPECT_EQ((*counts.begin()).highest, Histogram::bucket_end(Duration{value})) << value;
    }
  }
}

TEST(LatencyCountsTest, WhatIsOutsideOfTheRangeIsAtItsEnd) {
  LatencyCounts counts;
  counts.add(-1ms);
  counts.add(24h);
  const std::map<Duration, std::uint32_t> ends{{0ns, 1}, {Histogram::kHighest, 1}};
  EXPECT_EQ(all_of(counts), ends);
}

TEST(LatencyCountsTest, TheyAddUpBucketByBucket) {
  LatencyCounts some;
  some.add(1ms, 3);
  some.add(1s);
  LatencyCounts others;
  others.add(1us);
  others.add(1ms);
  some += others;
  const std::map<Duration, std::uint32_t> sum{{Histogram::bucket_end(1us), 1},
                                              {Histogram::bucket_end(1ms), 4},
                                              {Histogram::bucket_end(1s), 1}};
  EXPECT_EQ(all_of(some), sum);
}

}  // namespace
}  // namespace xbind::callgen
