#include "bench/search/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "callgen/load/random.hpp"

namespace xbind::callgen {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A run whose batches vary by a tenth around a centre, which itself deviates
// from `value` by up to `off`.
MetricOfRun run_of(double value, std::size_t batches, std::uint64_t seed, double off = 0) {
  RandomBits bits = bits_for(seed, Stream::kWorkload);
  MetricOfRun run;
  const double centre = value * (1 + off * (2 * unit_interval(bits) - 1));
  for (std::size_t i = 0; i < batches; ++i) {
    run.batches.push_back(centre * (0.9 + 0.2 * unit_interval(bits)));
    run.whole += run.batches.back() / static_cast<double>(batches);
  }
  if (batches == 0) run.whole = centre;
  return run;
}

std::vector<MetricOfRun> runs_of(double value, std::size_t runs, std::size_t batches,
                                 std::uint64_t seed, double off = 0) {
  std::vector<MetricOfRun> made;
  for (std::size_t i = 0; i < runs; ++i) made.push_back(run_of(value, batches, seed + i, off));
  return made;
}

TEST(Compare, TheSameSystemTwiceShowsNoDifference) {
  int shown = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const CompareLine line =
        compare("p50", Better::kLower, runs_of(300, 1, 20, seed), runs_of(300, 1, 20, 1000 + seed));
    shown += line.verdict != CompareVerdict::kNoDifference ? 1 : 0;
    EXPECT_EQ(exit_code({line}, 0.1), 0);
  }
  EXPECT_LE(shown, 16);  // 5 in 100, and five standard deviations
}

TEST(Compare, ASlowerSystemIsWorse) {
  const CompareLine line =
      compare("p50", Better::kLower, runs_of(300, 1, 20, 1), runs_of(420, 1, 20, 2));
  EXPECT_EQ(line.verdict, CompareVerdict::kWorse);
  EXPECT_NEAR(line.ratio, 1.4, 0.1);
  EXPECT_THAT(line.method, AllOf(HasSubstr("bootstrap"), HasSubstr("20 batches of 1 run ")));
  EXPECT_EQ(exit_code({line}, 0.1), 1);
  EXPECT_EQ(exit_code({line}, 0.6), 0);
  // In the other direction it is better, and for throughput everything is reversed.
  EXPECT_EQ(compare("p50", Better::kLower, runs_of(420, 1, 20, 2), runs_of(300, 1, 20, 1)).verdict,
            CompareVerdict::kBetter);
  EXPECT_EQ(compare("operations", Better::kHigher, runs_of(300, 1, 20, 1), runs_of(420, 1, 20, 2))
                .verdict,
            CompareVerdict::kBetter);
  const CompareLine slower =
      compare("operations", Better::kHigher, runs_of(420, 1, 20, 2), runs_of(300, 1, 20, 1));
  EXPECT_EQ(slower.verdict, CompareVerdict::kWorse);
  EXPECT_EQ(exit_code({slower}, 0.1), 1);
}

TEST(Compare, SixPairsAreJudgedByTheSignsAlone) {
  // All six runs of B are above those of A: a chance of one in 32 if they were alike.
  const std::vector<MetricOfRun> a{{10, {}}, {11, {}}, {50, {}}, {12, {}}, {13, {}}, {10, {}}};
  const std::vector<MetricOfRun> b{{12, {}}, {12, {}}, {70, {}}, {13, {}}, {99, {}}, {11, {}}};
  const CompareLine line = compare("p99", Better::kLower, a, b);
  EXPECT_EQ(line.verdict, CompareVerdict::kWorse);
  EXPECT_DOUBLE_EQ(line.low, 13.0 / 12);
  EXPECT_DOUBLE_EQ(line.high, 99.0 / 13);
  EXPECT_EQ(line.method, "median of 6 pairs of runs");
}

TEST(Compare, TheIntervalOfAMedianLeavesOutAsManyAsItMay) {
  // n: the number of values that may be excluded at each end of the sign test's 95 % interval.
  std::vector<MetricOfRun> a(15, MetricOfRun{1, {}});
  std::vector<MetricOfRun> b;
  for (int i = 1; i <= 15; ++i) b.push_back({static_cast<double>(i), {}});
  const CompareLine line = compare("p50", Better::kLower, a, b);
  EXPECT_DOUBLE_EQ(line.ratio, 8);
  EXPECT_DOUBLE_EQ(line.low, 4);  // from tables of the sign test: ranks 4 and 12 of 15
  EXPECT_DOUBLE_EQ(line.high, 12);
}

TEST(Compare, APairWithoutAValueIsLeftOut) {
  std::vector<MetricOfRun> a(9, MetricOfRun{100, {}});
  std::vector<MetricOfRun> b(9, MetricOfRun{90, {}});
  a[1].whole = 0;  // no call was connected
  b[4].whole = 0;
  const CompareLine line = compare("mean", Better::kLower, a, b);
  EXPECT_EQ(line.verdict, CompareVerdict::kBetter);
  EXPECT_DOUBLE_EQ(line.ratio, 0.9);
  EXPECT_EQ(line.pairs, 7U);
  EXPECT_NEAR(line.confidence, 1 - 2 / 128.0, 1e-12);
  EXPECT_EQ(line.method, "median of 7 pairs of runs, 2 not measured");
  for (MetricOfRun& run : b) run.whole = run.whole > 0 && &run > &b[3] ? 0 : run.whole;
  const CompareLine few = compare("mean", Better::kLower, a, b);
  EXPECT_EQ(few.verdict, CompareVerdict::kCannotTell);
  EXPECT_EQ(few.method, "needs 6 pairs of runs that were measured");
}

TEST(Compare, PairsOfOneRoundShareWhatHurtsThemBoth) {
  // A machine that gets slower from round to round hurts both runs of a pair alike.
  std::vector<MetricOfRun> a;
  std::vector<MetricOfRun> b;
  for (int round = 1; round <= 9; ++round) {
    a.push_back({1.0 * round, {}});
    b.push_back({0.9 * round, {}});
  }
  const CompareLine line = compare("mean", Better::kLower, a, b);
  EXPECT_NEAR(line.low, 0.9, 1e-12);
  EXPECT_NEAR(line.high, 0.9, 1e-12);
  EXPECT_NEAR(line.confidence, 1 - 2 * 10.0 / 512, 1e-12);
}

TEST(Compare, RunsThatDifferAmongThemselvesWidenTheInterval) {
  const auto width = [](double off) {
    const CompareLine line =
        compare("p50", Better::kLower, runs_of(300, 4, 20, 1, off), runs_of(300, 5, 20, 101, off));
    return line.high - line.low;
  };
  EXPECT_GT(width(0.3), 2 * width(0));
}

TEST(Compare, TheSameFilesGiveTheSameInterval) {
  const auto a = runs_of(300, 1, 20, 1);
  const auto b = runs_of(310, 2, 20, 2);
  const CompareLine once = compare("p50", Better::kLower, a, b);
  const CompareLine again = compare("p50", Better::kLower, a, b);
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
}

TEST(Compare, WhatIsTooLittleToTellIsSaid) {
  const CompareLine one =
      compare("cpu", Better::kLower, runs_of(300, 1, 0, 1), runs_of(600, 1, 0, 2));
  EXPECT_EQ(one.verdict, CompareVerdict::kCannotTell);
  EXPECT_THAT(one.method, HasSubstr("needs"));
  EXPECT_EQ(exit_code({one}, 0.1), 3);
  const CompareLine none = compare("p50", Better::kLower, runs_of(300, 1, 20, 1), {{0, {}}});
  EXPECT_EQ(none.verdict, CompareVerdict::kCannotTell);
  EXPECT_EQ(none.method, "not measured in B");
  EXPECT_EQ(exit_code({}, 0.1), 3);
}

TEST(Compare, AWideIntervalIsNoProofThatNothingIsWorse) {
  const std::vector<MetricOfRun> a{{1, {10, 300, 20, 400, 15}}};
  const std::vector<MetricOfRun> b{{1, {30, 200, 25, 350, 10}}};
  const CompareLine line = compare("p99", Better::kLower, a, b);
  EXPECT_EQ(line.verdict, CompareVerdict::kNoDifference);
  EXPECT_EQ(exit_code({line}, 0.1), 3);
  EXPECT_THAT(to_text({line}, 0.1), HasSubstr("cannot tell"));
}

}  // namespace
}  // namespace xbind::callgen
