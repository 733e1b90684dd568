#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "bench/model/claims.hpp"
#include "bench/model/point.hpp"

namespace xbind::model {
namespace {

cmgr::Config fixed(std::size_t threshold) {
  cmgr::Config config;
  config.label_cache_target = 1'024;
  config.aggregation.threshold = threshold;
  return config;
}
cmgr::Config adaptive() {
  cmgr::Config config = fixed(1);
  config.aggregation.mode = cmgr::AggregationMode::kAdaptive;
  return config;
}
PointPlan plan_of(double rate, std::uint64_t calls, const cmgr::Config& manager) {
  PointPlan plan;
  plan.rate = rate;
  plan.calls = calls;
  plan.manager = manager;
  return plan;
}

TEST(Model, APlanHasOneResult) {
  PointPlan plan = plan_of(20'000, 5'000, fixed(10));
  const PointResult first = run_point(plan);
  const PointResult second = run_point(plan);
  EXPECT_EQ(first.events, second.events);
  EXPECT_EQ(first.mean_us, second.mean_us);
  EXPECT_EQ(first.invocations.sum(), second.invocations.sum());
  EXPECT_EQ(first.achieved_per_s, second.achieved_per_s);
  plan.seed = 2;
  EXPECT_NE(run_point(plan).mean_us, first.mean_us);
}

TEST(Model, EveryCallOfferedIsAnsweredAndEveryCallConnectedIsReleased) {
  PointPlan plan = plan_of(5'000, 5'000, adaptive());
  plan.hold_distribution = callgen::HoldDistribution::kExponential;
  const PointResult easy = run_point(plan);
  EXPECT_TRUE(easy.ended);
  EXPECT_EQ(easy.offered, 5'000U);
  EXPECT_EQ(easy.connected, easy.offered);
  EXPECT_EQ(easy.released, easy.connected);

  // The holding time is a tenth of a second: without the limit 500 calls would be up.
  plan.manager.connections_max = 100;
  const PointResult narrow = run_point(plan);
  EXPECT_TRUE(narrow.ended);
  EXPECT_GT(narrow.refused, 1'000U);
  EXPECT_EQ(narrow.connected + narrow.refused, narrow.offered);
  EXPECT_EQ(narrow.released, narrow.connected);
}

// The formula: 2 r + 2 r N / T for r operations per second, N switches and client batches of one.
// For T above 1 the client's leg is not counted, because outcomes share messages when results do.
TEST(Model, InvocationsAreThoseOfThePapersFormula) {
  const auto operations = [](const PointResult& result) {
    return static_cast<double>(result.offered + result.released);
  };
  PointPlan plan = plan_of(100, 2'000, fixed(1));
  plan.client_batch = 1;
  plan.hold_distribution = callgen::HoldDistribution::kExponential;
  const PointResult one = run_point(plan);
  EXPECT_NEAR(static_cast<double>(one.invocations.sum()) / operations(one), 2 + 2 * 3, 0.1);

  plan.manager = fixed(10);
  plan.rate = 20'000;
  plan.calls = 10'000;
  const PointResult ten = run_point(plan);
  const Legs& legs = ten.invocations;
  EXPECT_NEAR(
      static_cast<double>(legs.manager_to_switches + legs.switches_to_manager) / operations(ten),
      2 * 3 / 10.0, 0.02);
  EXPECT_NEAR(ten.commands_per_batch, 10, 0.2);
}

TEST(Model, AgreesWithWhatWasMeasuredOnTwoCores) {
  const PointResult idle = run_point(plan_of(100, 1'000, fixed(1)));
  EXPECT_GT(idle.p50_us, 300);
  EXPECT_LT(idle.p50_us, 700);
  EXPECT_GT(idle.hit_ratio, 0.99);
  EXPECT_TRUE(run_point(plan_of(20'000, 20'000, fixed(10))).sustained());

  // Processor time per operation: measured 9.0 to 9.4 us and 17.5 us (calibration.hpp).
  const PointResult busy = run_point(plan_of(16'000, 16'000, fixed(1)));
  EXPECT_NEAR(busy.processes[1].us_per_operation, 17.5, 0.2 * 17.5);
  EXPECT_NEAR(busy.processes[3].us_per_operation, 9.0, 0.2 * 9.0);
}

// ===== what the adaptive mode must achieve =====

TEST(Adaptive, MeanLatencyIsNearTheBestThresholdsAtEveryLoad) {
  for (const double load : kLoads) {
    double best_us = std::numeric_limits<double>::infinity();
    std::size_t best = 0;
    for (const std::size_t threshold : kThresholds) {
      const double mean_us =
          run_point(plan_of(load * kBestSaturation, 10'000, fixed(threshold))).mean_us;
      if (mean_us < best_us) best = threshold;
      best_us = std::min(best_us, mean_us);
    }
    const PointResult result = run_point(plan_of(load * kBestSaturation, 10'000, adaptive()));
    EXPECT_EQ(result.refused, 0U);
    EXPECT_LE(result.mean_us, kLatencyBound * best_us) << "load " << load << ", best T " << best;
  }
}

TEST(Adaptive, PeakThroughputIsNearTheBestThresholds) {
  double best = 0;
  for (const std::size_t threshold : {std::size_t{32}, std::size_t{64}}) {
    best = std::max(best, saturation(plan_of(kBestSaturation, 40'000, fixed(threshold))));
  }
  EXPECT_NEAR(best, kBestSaturation, 0.05 * kBestSaturation);
  EXPECT_GE(saturation(plan_of(kBestSaturation, 40'000, adaptive())), kThroughputBound * best);
}

// ===== what xbind must gain over the paper's baselines =====

TEST(Engines, ACallOfXbindIsFasterThanOneOfTheSequentialManager) {
  const PointResult sequential = run_point(plan_of(kLowRate, 1'000, baseline(1)));
  const PointResult xbind = run_point(plan_of(kLowRate, 1'000, fixed(1)));
  EXPECT_EQ(sequential.connected, 1'000U);
  EXPECT_EQ(sequential.hit_ratio, 0);
  EXPECT_LE(xbind.mean_us, kSequentialLatencyBound * sequential.mean_us);
}

TEST(Engines, XbindSustainsManyTimesTheRateOfTheBaselines) {
  double best = 0;
  for (const std::size_t at_once : {std::size_t{1}, kThreads}) {
    best = std::max(best, saturation(plan_of(3'000, 5'000, baseline(at_once))));
  }
  const PointPlan plan = plan_of(kBaselineThroughputBound * best, 40'000, adaptive());
  EXPECT_TRUE(run_point(plan).sustained()) << best;
}

}  // namespace
}  // namespace xbind::model
