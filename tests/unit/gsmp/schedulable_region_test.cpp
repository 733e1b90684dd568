// The schedulable region: admission compared with regions computed by hand, exactness on its
// surface, and the measure of change.
#include "gsmp/messages/schedulable_region.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace xbind::gsmp {
namespace {

using Calls = std::vector<std::uint32_t>;

SchedulableRegion region(std::uint8_t classes, std::vector<Plane> any_of,
                         std::vector<Plane> all_of = {}) {
  return {classes, std::move(any_of), std::move(all_of)};
}

TEST(SchedulableRegion, HoldsWhatLiesUnderItsPlane) {
  const SchedulableRegion one = region(2, {{78, 31}});
  EXPECT_TRUE(contains(one, Calls{0, 0}));
  EXPECT_TRUE(contains(one, Calls{78, 0}));
  EXPECT_FALSE(contains(one, Calls{79, 0}));
  EXPECT_TRUE(contains(one, Calls{0, 31}));
  EXPECT_FALSE(contains(one, Calls{0, 32}));
  // 39/78 + 15/31 = 0.9839; with 16: 1.0161.
  EXPECT_TRUE(contains(one, Calls{39, 15}));
  EXPECT_FALSE(contains(one, Calls{39, 16}));
}

TEST(SchedulableRegion, IsTheUnionOfTheAPlanes) {
  const SchedulableRegion two = region(2, {{10, 100}, {100, 10}});
  EXPECT_TRUE(contains(two, Calls{5, 50}));
  EXPECT_TRUE(contains(two, Calls{50, 5}));
  EXPECT_FALSE(contains(two, Calls{50, 50}));
}

TEST(SchedulableRegion, AndOfTheIntersectionOfTheBPlanes) {
  const SchedulableRegion both = region(2, {{10, 10}}, {{100, 40}, {80, 60}});
  EXPECT_TRUE(contains(both, Calls{40, 20}));   // B: 0.4 + 0.5 = 0.9 and 0.5 + 0.333 = 0.833
  EXPECT_FALSE(contains(both, Calls{40, 25}));  // B: 0.4 + 0.625 = 1.025
  EXPECT_FALSE(contains(both, Calls{72, 8}));   // B: 0.72 + 0.2 = 0.92, but 0.9 + 0.133 = 1.033
  EXPECT_TRUE(contains(both, Calls{5, 5}));     // on A's plane

  // Where an A plane reaches beyond a B plane, the union counts.
  const SchedulableRegion beyond = region(2, {{200, 1}}, {{100, 40}});
  EXPECT_TRUE(contains(beyond, Calls{200, 0}));
  EXPECT_TRUE(contains(beyond, Calls{0, 40}));
  EXPECT_FALSE(contains(beyond, Calls{150, 10}));
}

TEST(SchedulableRegion, WithoutAnyPlaneIsEmpty) {
  EXPECT_FALSE(contains(region(2, {}), Calls{0, 0}));
  EXPECT_TRUE(contains(region(2, {}, {{1, 1}}), Calls{0, 0}));
}

TEST(SchedulableRegion, AnInterceptOfZeroForbidsTheClass) {
  const SchedulableRegion no_video = region(2, {{10, 0}});
  EXPECT_TRUE(contains(no_video, Calls{10, 0}));
  EXPECT_FALSE(contains(no_video, Calls{0, 1}));
  EXPECT_FALSE(admits(no_video, Calls{0, 0}, 1));
}

// 1/49 + 1/3 + ... do not add up to 1 in floating point; in integer arithmetic they do.
TEST(SchedulableRegion, IsExactOnItsSurface) {
  for (std::uint32_t a = 1; a <= 60; ++a) {
    const SchedulableRegion three = region(3, {{a, a, a}});
    for (std::uint32_t x = 0; x <= a; ++x) {
      const std::uint32_t y = (a - x) / 2;
      EXPECT_TRUE(contains(three, Calls{x, y, a - x - y})) << a << " " << x << " " << y;
      EXPECT_FALSE(contains(three, Calls{x, y, a - x - y + 1})) << a << " " << x << " " << y;
    }
  }
  EXPECT_TRUE(contains(region(3, {{2, 3, 6}}), Calls{1, 1, 1}));
  EXPECT_FALSE(contains(region(3, {{2, 3, 5}}), Calls{1, 1, 1}));
}

TEST(SchedulableRegion, IsExactWithAsManyAndAsGreatNumbersAsThereAre) {
  constexpr std::uint32_t kMost = 0xffffffff;
  Plane plane;
  plane.fill(kMost);
  const SchedulableRegion full = region(kTrafficClassesMax, {plane});
  Calls calls(kTrafficClassesMax, kMost / kTrafficClassesMax);  // 15 divides 2^32 - 1
  EXPECT_TRUE(contains(full, calls));
  for (std::size_t j = 0; j < kTrafficClassesMax; ++j) EXPECT_FALSE(admits(full, calls, j));
  --calls[14];
  EXPECT_TRUE(admits(full, calls, 3));
  EXPECT_FALSE(contains(full, Calls(kTrafficClassesMax, kMost)));
}

// An independent computation for two classes: x * b + y * a <= a * b.
TEST(SchedulableRegion, AgreesWithTheCrossProductOfTwoClasses) {
  std::mt19937 random(7);
  int inside = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t a = 1 + random() % 1000;
    const std::uint64_t b = 1 + random() % 1000;
    const std::uint64_t x = random() % (a + 2);
    const std::uint64_t y = random() % (b + 2);
    const bool holds = x * b + y * a <= a * b;
    inside += holds ? 1 : 0;
    const Plane plane{static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
    EXPECT_EQ(contains(region(2, {plane}),
                       Calls{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)}),
              holds)
        << a << " " << b << " " << x << " " << y;
  }
  EXPECT_GT(inside, 5000);
  EXPECT_LT(inside, 15000);
}

TEST(SchedulableRegion, AdmitsUntilItIsFull) {
  const SchedulableRegion one = region(2, {{4, 2}});
  Calls calls{0, 1};  // half of the region
  EXPECT_TRUE(admits(one, calls, 0));
  calls[0] = 2;  // all of the region
  EXPECT_FALSE(admits(one, calls, 0));
  EXPECT_FALSE(admits(one, calls, 1));
  EXPECT_EQ(refusal(one, calls, 1), FailureCode::kOutsideRegion);
  EXPECT_EQ(refusal(one, calls, 2), FailureCode::kNoSuchClass);
  EXPECT_EQ(refusal(one, Calls{0, 0}, 1), FailureCode::kNone);
  EXPECT_EQ(refusal(one, Calls{0xffffffff, 0}, 0), FailureCode::kOutsideRegion);
}

TEST(SchedulableRegion, OfPeakRatesAlone) {
  // 353207 / 4528 = 78.005, 353207 / 11320 = 31.2: the numbers of the worked message X1.
  EXPECT_EQ(peak_rate_region(353207, Calls{4528, 11320}), region(2, {{78, 31}}));
  EXPECT_EQ(peak_rate_region(353207, Calls{353207}), region(1, {{1}}));
  EXPECT_EQ(peak_rate_region(353207, Calls{353208}), region(1, {{0}}));
}

TEST(SchedulableRegion, CountsTheMostCallsOfOneClassAlone) {
  const SchedulableRegion both = region(2, {{10, 70}, {90, 10}}, {{100, 40}, {80, 60}});
  EXPECT_EQ(most_alone(both, 0), 90U);
  EXPECT_EQ(most_alone(both, 1), 70U);
  EXPECT_EQ(most_alone(region(2, {}, {{100, 40}, {80, 60}}), 0), 80U);
  EXPECT_EQ(most_alone(region(2, {}, {{100, 40}, {80, 60}}), 1), 40U);
  EXPECT_EQ(most_alone(region(2, {}), 0), 0U);
}

TEST(SchedulableRegion, ChangesByTheClassThatChangesMost) {
  const SchedulableRegion before = region(2, {{100, 40}});
  EXPECT_EQ(change(before, before), 0.0);
  EXPECT_DOUBLE_EQ(change(before, region(2, {{95, 40}})), 0.05);
  EXPECT_DOUBLE_EQ(change(before, region(2, {{105, 30}})), 0.25);
  EXPECT_DOUBLE_EQ(change(before, region(2, {{300, 40}})), 2.0);
  EXPECT_DOUBLE_EQ(change(before, region(2, {})), 1.0);
  EXPECT_TRUE(std::isinf(change(region(2, {{100, 0}}), before)));
  EXPECT_TRUE(std::isinf(change(before, region(1, {{100}}))));
}

TEST(SchedulableRegion, ChangesBeyondAThresholdOnlyAboveIt) {
  const SchedulableRegion before = region(1, {{100}});
  // a change of exactly the threshold, 5.00 %.
  EXPECT_FALSE(changed_beyond(before, region(1, {{95}}), 500));
  EXPECT_TRUE(changed_beyond(before, region(1, {{94}}), 500));
  EXPECT_TRUE(changed_beyond(before, region(1, {{106}}), 500));
  EXPECT_FALSE(changed_beyond(before, before, 0));
  EXPECT_TRUE(changed_beyond(before, region(1, {{99}}), 0));
  EXPECT_TRUE(changed_beyond(region(1, {{0}}), before, 2000));
  EXPECT_TRUE(changed_beyond(before, region(2, {{100, 0}}), 2000));
}

TEST(SchedulableRegionDeath, AnOperatingPointOfOtherClassesIsOurOwnBug) {
  EXPECT_DEATH(contains(region(2, {{1, 1}}), Calls{1}), "classes");
  EXPECT_DEATH(peak_rate_region(100, Calls{0}), "peak_cells_per_s");
}

}  // namespace
}  // namespace xbind::gsmp
