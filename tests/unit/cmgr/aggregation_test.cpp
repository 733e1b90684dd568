#include "cmgr/parts/aggregation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "now.hpp"

namespace xbind::cmgr {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Aggregation with(const std::function<void(Aggregation&)>& change) {
  Aggregation settings;
  change(settings);
  return settings;
}

// Feeds `operations` a second at an even rate; returns the time of the last operation.
TimePoint run(AggregationPolicy& policy, double operations_per_s, Duration length, TimePoint from) {
  const auto gap =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / operations_per_s));
  for (TimePoint now = from; now < from + length; now += gap) policy.on_operation(now);
  return from + length;
}

TEST(AggregationTest, EveryValueHasItsRangeAndARefusalNamesBoth) {
  EXPECT_TRUE(check({}));
  const struct {
    std::function<void(Aggregation&)> change;
    const char* text;  // nullptr: the options are accepted
  } cases[] = {
      {[](Aggregation& a) { a.threshold = 1; }, nullptr},
      {[](Aggregation& a) { a.threshold = 4096; }, nullptr},
      {[](Aggregation& a) { a.threshold = 0; }, "threshold 0 is not in 1..4096"},
      {[](Aggregation& a) { a.threshold = 4097; }, "threshold 4097 is not in 1..4096"},
      {[](Aggregation& a) { a.flush_timeout = microseconds{50}; }, nullptr},
      {[](Aggregation& a) { a.flush_timeout = seconds{10}; }, nullptr},
      {[](Aggregation& a) { a.flush_timeout = microseconds{49}; },
       "flush timeout 0.049 ms is not in 0.05..10000 ms"},
      {[](Aggregation& a) { a.flush_timeout = milliseconds{10'001}; },
       "flush timeout 10001 ms is not in 0.05..10000 ms"},
      {[](Aggregation& a) { a.in_flight = 256; }, nullptr},
      {[](Aggregation& a) { a.in_flight = 0; }, "0 batches in flight are not 1..256"},
      {[](Aggregation& a) { a.in_flight = 257; }, "257 batches in flight are not 1..256"},
      {[](Aggregation& a) { a.mode = AggregationMode{3}; }, "aggregation mode 3 is not in 0..2"},
      {[](Aggregation& a) { a.regions.clear(); }, "0 regions are not 1..16"},
      {[](Aggregation& a) { a.regions = std::vector<Region>(17); }, "17 regions are not 1..16"},
      {[](Aggregation& a) { a.regions[1].threshold = 4097; }, "threshold 4097 is not in 1..4096"},
      {[](Aggregation& a) { a.regions[1].below_per_s = 50; },
       "a region ends at 50 calls/s, not above 50"},
      {[](Aggregation& a) { a.regions[0].below_per_s = 0; },
       "a region ends at 0 calls/s, not above 0"},
      {[](Aggregation& a) { a.regions.pop_back(); }, "no region has the rates above 100 calls/s"},
  };
  for (const auto& one : cases) {
    const auto checked = check(with(one.change));
    if (one.text == nullptr) {
      EXPECT_TRUE(checked) << checked.error().text;
    } else {
      ASSERT_FALSE(checked) << one.text;
      EXPECT_EQ(checked.error(), (Error{ErrorCode::kBadInput, one.text}));
    }
  }
}

TEST(AggregationTest, RegionsAreReadAsTheyAreWritten) {
  EXPECT_EQ(parse_regions("50:1,100:4,10"),
            (std::vector<Region>{{50, 1}, {100, 4}, {kInfinity, 10}}));
  EXPECT_EQ(to_string(Aggregation{}.regions), "50:1,100:4,10");
  EXPECT_EQ(to_string(*parse_regions("0.5:2,7")), "0.5:2,7");
  EXPECT_EQ(parse_regions("3"), (std::vector<Region>{{kInfinity, 3}}));
}

TEST(AggregationTest, WhatAreNoRegionsIsRefusedByName) {
  const struct {
    const char* text;
    const char* named;
  } cases[] = {
      {"", "\"\" in \"\" is not a threshold"},
      {"50:1,", "\"\" in \"50:1,\" is not a threshold"},
      {"50:1", "\"50:1\" in \"50:1\" is not a threshold"},
      {"50,10", "\"50\" in \"50,10\" is not RATE:T"},
      {"fast:1,10", "\"fast\" in \"fast:1,10\" is not a rate"},
      {"-5:1,10", "\"-5\" in \"-5:1,10\" is not a rate"},
      {"nan:1,10", "\"nan\" in"},
      {"inf:1,10", "\"inf\" in"},
      {"50:1x,10", "\"1x\" in"},
      {"50:-1,10", "\"-1\" in"},
      {"50:0,10", "\"0\" in"},
      {"50:5000,10", "threshold 5000"},
      {"100:1,50:4,10", "ends at 50 calls/s, not above 100"},
  };
  for (const auto& one : cases) {
    const auto parsed = parse_regions(one.text);
    ASSERT_FALSE(parsed) << one.text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(parsed.error().text, HasSubstr(one.named));
  }
}

TEST(AggregationPolicyTest, AFixedThresholdIsThatAtAnyRate) {
  AggregationPolicy policy(with([](Aggregation& a) { a.threshold = 7; }));
  EXPECT_EQ(policy.threshold(), 7U);
  run(policy, 1000, seconds{5}, kNow);
  EXPECT_EQ(policy.threshold(), 7U);
}

TEST(AggregationPolicyTest, AnAdaptiveOneHasNone) {
  AggregationPolicy policy(
      with([](Aggregation& a) { a.threshold = 7, a.mode = AggregationMode::kAdaptive; }));
  run(policy, 1000, seconds{5}, kNow);
  EXPECT_EQ(policy.threshold(), 1U);
}

// Regions are given in calls per second; each call counts as two operations.
TEST(AggregationPolicyTest, TheRegionOfTheRateChoosesT) {
  const struct {
    double operations_per_s;
    std::size_t threshold;
  } cases[] = {{2, 1}, {90, 1}, {110, 4}, {190, 4}, {210, 10}, {5000, 10}};
  for (const auto& one : cases) {
    AggregationPolicy policy(with([](Aggregation& a) { a.mode = AggregationMode::kRegions; }));
    run(policy, one.operations_per_s, seconds{15}, kNow);
    EXPECT_NEAR(policy.operations_per_s(), one.operations_per_s, 0.01 * one.operations_per_s + 0.5);
    EXPECT_EQ(policy.threshold(), one.threshold) << one.operations_per_s << " operations/s";
  }
}

TEST(AggregationPolicyTest, TFollowsTheLoadUpAndDown) {
  AggregationPolicy policy(with([](Aggregation& a) { a.mode = AggregationMode::kRegions; }));
  TimePoint now = run(policy, 20, seconds{10}, kNow);
  EXPECT_EQ(policy.threshold(), 1U);
  now = run(policy, 1000, seconds{1}, now);
  EXPECT_EQ(policy.threshold(), 10U) << "a second of 500 calls/s";
  now = run(policy, 150, seconds{6}, now);
  EXPECT_EQ(policy.threshold(), 4U);
  run(policy, 20, seconds{6}, now);
  EXPECT_EQ(policy.threshold(), 1U);
}

TEST(AggregationPolicyTest, TheFirstOperationAfterALullDoesNotWaitForOthers) {
  AggregationPolicy policy(with([](Aggregation& a) { a.mode = AggregationMode::kRegions; }));
  const TimePoint now = run(policy, 1000, seconds{5}, kNow);
  EXPECT_EQ(policy.threshold(), 10U);
  policy.on_operation(now + seconds{20});
  EXPECT_EQ(policy.threshold(), 1U);
  EXPECT_LT(policy.operations_per_s(), 1);
}

TEST(AggregationPolicyTest, TheEstimateOfPoissonArrivalsIsTheirRate) {
  AggregationPolicy policy({});
  std::mt19937_64 random(1998);
  std::exponential_distribution<double> gap_s(200);
  double at_s = 0;
  double sum = 0;
  for (int i = 0; i < 22'000; ++i) {
    at_s += gap_s(random);
    policy.on_operation(kNow +
                        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(at_s)));
    if (i >= 2'000) sum += policy.operations_per_s();
  }
  EXPECT_NEAR(sum / 20'000, 200, 4);
}

TEST(AggregationPolicyTest, SettingsChangeWhileItRunsOrNotAtAll) {
  AggregationPolicy policy({});
  run(policy, 1000, seconds{5}, kNow);
  EXPECT_EQ(policy.threshold(), 1U);
  const auto regions = with([](Aggregation& a) { a.mode = AggregationMode::kRegions; });
  EXPECT_TRUE(policy.set(regions));
  EXPECT_EQ(policy.threshold(), 10U) << "the rate is known in every mode";
  EXPECT_FALSE(policy.set(with([](Aggregation& a) { a.threshold = 0; })));
  EXPECT_EQ(policy.settings(), regions);
  EXPECT_EQ(policy.threshold(), 10U);
}

}  // namespace
}  // namespace xbind::cmgr
