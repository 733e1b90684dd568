#include "callgen/statistics/distributions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "callgen/load/random.hpp"

namespace xbind::callgen {
namespace {

TEST(Student, IsThatOfThePrintedTables) {
  const std::array<double, 30> table{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                     2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                     2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                     2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_NEAR(student_half_width(static_cast<double>(i + 1), 0.95), table[i], 0.0005);
  EXPECT_NEAR(student_half_width(60, 0.95), 2.000, 0.0005);
  EXPECT_NEAR(student_half_width(1e6, 0.95), 1.960, 0.0005);
  EXPECT_NEAR(student_half_width(9, 0.99), 3.250, 0.0005);
  // Between two rows of the table.
  EXPECT_GT(student_half_width(9.5, 0.95), student_half_width(10, 0.95));
  EXPECT_LT(student_half_width(9.5, 0.95), student_half_width(9, 0.95));
}

TEST(Ranks, OfTheMedianAreThoseOfTheSignTest) {
  // Tables of the sign test: how many values may be left out at each end.
  for (const auto& [count, out] : {std::pair{6U, 0U}, {8U, 0U}, {9U, 1U}, {15U, 3U}, {20U, 5U}}) {
    const auto ranks = quantile_ranks(count, 0.5, 0.95);
    ASSERT_TRUE(ranks) << count;
    EXPECT_EQ(ranks->low, out + 1) << count;
    EXPECT_EQ(ranks->high, count - out) << count;
    EXPECT_GE(ranks->confidence, 0.95);
  }
  EXPECT_NEAR(quantile_ranks(9, 0.5, 0.95)->confidence, 1 - 2 * 10.0 / 512, 1e-12);
  EXPECT_FALSE(quantile_ranks(5, 0.5, 0.95));
  EXPECT_FALSE(quantile_ranks(0, 0.5, 0.95));
}

TEST(Ranks, OfAPercentileAreNotSymmetric) {
  // P(N <= 1) of 100 tries at 0.05 is 0.037, P(N = 0) is 0.006; P(N >= 10) is 0.028, of 11 0.011.
  const auto ranks = quantile_ranks(100, 0.05, 0.95);
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->low, 1U);
  EXPECT_EQ(ranks->high, 11U);
  EXPECT_NEAR(ranks->confidence, 0.98853 - 0.00592, 1e-5);
  // p99 needs a rank above 99 % of the values: with 100 there is none.
  EXPECT_FALSE(quantile_ranks(100, 0.99, 0.95));
  EXPECT_TRUE(quantile_ranks(1000, 0.99, 0.95));
}

TEST(Ranks, OfLargeSamplesAreNearTheNormalForm) {
  for (const std::uint64_t count : {100'000U, 100'000'000U}) {
    for (const double share : {0.5, 0.9, 0.999}) {
      const auto ranks = quantile_ranks(count, share, 0.95);
      ASSERT_TRUE(ranks);
      const auto n = static_cast<double>(count);
      const double half = 1.96 * std::sqrt(n * share * (1 - share));
      EXPECT_NEAR(static_cast<double>(ranks->low), n * share - half, 0.02 * half + 2);
      EXPECT_NEAR(static_cast<double>(ranks->high), n * share + half, 0.02 * half + 2);
    }
  }
}

TEST(Ranks, HoldTheTrueMedianAsOftenAsTheySay) {
  RandomBits bits = bits_for(1, Stream::kWorkload);
  const auto ranks = quantile_ranks(15, 0.5, 0.95);
  ASSERT_TRUE(ranks);
  int held = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> values;
    for (int i = 0; i < 15; ++i) values.push_back(exponential(bits, 1));
    std::sort(values.begin(), values.end());
    held += values[ranks->low - 1] <= std::log(2.0) && std::log(2.0) <= values[ranks->high - 1];
  }
  EXPECT_NEAR(held / 2000.0, ranks->confidence, 0.02);
}

}  // namespace
}  // namespace xbind::callgen
