#include "bench/figures/poisson.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace xbind::figures {
namespace {

// Values from tables of the Poisson distribution.
TEST(Poisson, AgreesWithTheTables) {
  const Distribution law = poisson(4, 40);
  EXPECT_NEAR(law[0], 0.018316, 1e-6);
  EXPECT_NEAR(law[4], 0.195367, 1e-6);
  EXPECT_NEAR(below(law, 5), 0.628837, 1e-6);  // P(N <= 4)
  EXPECT_NEAR(below(law, 10), 0.991868, 1e-6);
  EXPECT_NEAR(mean_of(law), 4, 1e-9);
  EXPECT_NEAR(variance_of(law), 4, 1e-9);
  EXPECT_NEAR(poisson(500, 501)[500], 0.017838, 1e-5);  // 1 / sqrt(2 pi 500)
}

TEST(Poisson, OfMeanZeroIsAlwaysZero) {
  EXPECT_EQ(poisson(0, 3), (Distribution{1, 0, 0}));
  EXPECT_EQ(below(poisson(0, 3), 0), 0);
}

TEST(Shares, AreOfTheSumAndNothingOfNothing) {
  EXPECT_EQ(shares({1, 0, 3}), (Distribution{0.25, 0, 0.75}));
  EXPECT_TRUE(shares({}).empty());
  EXPECT_TRUE(shares({0, 0}).empty());
}

TEST(Distances, AreZeroForTheSameAndOneForStrangers) {
  const Distribution low{1};
  const Distribution high{0, 0, 1};
  EXPECT_EQ(total_variation(low, low), 0);
  EXPECT_EQ(total_variation(low, high), 1);
  EXPECT_EQ(greatest_difference(low, high), 1);
  // Computed by hand: |0.2| + |0.1| + |0.3| = 0.6, half of it 0.3; the sums differ by 0.2, 0.3, 0.
  const Distribution a{0.5, 0.3, 0.2};
  const Distribution b{0.3, 0.2, 0.5};
  EXPECT_NEAR(total_variation(a, b), 0.3, 1e-12);
  EXPECT_NEAR(greatest_difference(a, b), 0.3, 1e-12);
}

TEST(Distances, CountWhatLiesBeyondTheEnd) {
  EXPECT_NEAR(total_variation({0.5}, {0.5, 0.5}), 0.5, 1e-12);
}

TEST(FitPlane, FindsTheNumbersThatMadeTheRows) {
  std::vector<Row> rows;
  for (double n = 1; n <= 8; ++n) {
    for (const double t : {1.0, 5.0, 10.0}) rows.push_back({1, n / t, 2.5 + 1.75 * n / t});
  }
  const auto plane = fit_plane(rows);
  ASSERT_TRUE(plane);
  EXPECT_NEAR(plane->a, 2.5, 1e-9);
  EXPECT_NEAR(plane->b, 1.75, 1e-9);
  EXPECT_LT(plane->greatest_error, 1e-9);
}

TEST(FitPlane, RefusesRowsThatDoNotTellTheTwoApart) {
  EXPECT_FALSE(fit_plane({}));
  EXPECT_FALSE(fit_plane({{1, 2, 3}, {2, 4, 6}}));
}

}  // namespace
}  // namespace xbind::figures
