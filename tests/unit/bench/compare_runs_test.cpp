#include "bench/search/compare_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/search/windows.hpp"
#include "tests/unit/bench/queue_system.hpp"

namespace xbind::callgen {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A run of 1000 calls at 50/s, that is of 20 s, against a queue of that capacity.
RunReport run_with(double capacity, std::uint64_t seed = 1) {
  QueueSystem system(seed);
  system.capacity = capacity;
  RunOptions options = default_options();
  options.calls = 1000;
  options.rate = 50;
  options.seed = seed;
  return *system.run(options);
}

Metric metric(const char* name) { return parse_metrics({name})->front(); }

TEST(Windows, LeaveOutTheIntervalInWhichThePlanEndsAndTheDrain) {
  const RunReport report = run_with(500);
  const auto windows = windows_of(report.series, 0, 5);
  ASSERT_THAT(windows, testing::SizeIs(testing::Le(5)));
  std::uint64_t planned = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    EXPECT_DOUBLE_EQ(windows[i].length_s, windows[0].length_s);
    EXPECT_DOUBLE_EQ(windows[i].begin_s, windows[0].length_s * static_cast<double>(i));
    planned += windows[i].row.planned;
  }
  EXPECT_LT(planned, 1000u);
  EXPECT_GT(planned, 700u);
}

TEST(Windows, BeginAfterTheWarmUp) {
  const RunReport report = run_with(500);
  const auto windows = windows_of(report.series, 4.5, 100);
  ASSERT_FALSE(windows.empty());
  EXPECT_DOUBLE_EQ(windows.front().begin_s, 5);
  EXPECT_THAT(windows_of(report.series, 1000, 5), IsEmpty());
  EXPECT_THAT(windows_of(Series{}, 0, 5), IsEmpty());
}

TEST(CompareRuns, MetricsAreReadFromTheReport) {
  const RunReport report = run_with(500);
  const Histogram& setups = report.kinds.at(RequestKind::kSetup).latency;
  const auto p50 = metric_of(report, metric("p50"));
  EXPECT_DOUBLE_EQ(p50.whole, static_cast<double>(setups.percentile(50).count()) / 1000);
  EXPECT_GE(p50.batches.size(), 15u);
  EXPECT_LE(p50.batches.size(), 20u);
  EXPECT_DOUBLE_EQ(metric_of(report, metric("mean")).whole, setups.mean_ns() / 1000);
  const auto operations = metric_of(report, metric("operations"));
  EXPECT_NEAR(operations.whole, 100, 15);  // 50 setups and 50 releases
  EXPECT_EQ(metric("operations").better, Better::kHigher);
  const Histogram& releases = report.kinds.at(RequestKind::kRelease).latency;
  EXPECT_DOUBLE_EQ(metric_of(report, metric("release-p99")).whole,
                   static_cast<double>(releases.percentile(99).count()) / 1000);
  EXPECT_THAT(metric_of(report, metric("release-p99")).batches, IsEmpty());
}

TEST(CompareRuns, CpuIsOfTheProcessesThatServe) {
  RunReport report = run_with(500);
  report.processes["xbind-cmgr"].cpu_s = 1.5;
  report.processes["xbind-switch 1"].cpu_s = 0.5;
  report.processes["xbind-callgen"].cpu_s = 100;
  report.processes["xbind-callgen 2"].cpu_s = 100;
  EXPECT_DOUBLE_EQ(metric_of(report, metric("cpu")).whole, 1e6 * 2 / 2000);
}

TEST(CompareRuns, ASlowerQueueIsWorseAndTheSameIsNot) {
  const auto line = [](double capacity) {
    return compare("p50", Better::kLower, {metric_of(run_with(500, 1), metric("p50"))},
                   {metric_of(run_with(capacity, 2), metric("p50"))});
  };
  EXPECT_EQ(line(500).verdict, CompareVerdict::kNoDifference);
  EXPECT_EQ(line(250).verdict, CompareVerdict::kWorse);
  EXPECT_EQ(line(1000).verdict, CompareVerdict::kBetter);
}

TEST(CompareRuns, UnknownMetricsAreNamed) {
  for (const char* const name : {"speed", "p", "p100", "p0", "release-", "release-cpu", "P50"}) {
    const auto metrics = parse_metrics({name});
    ASSERT_FALSE(metrics) << name;
    EXPECT_THAT(metrics.error().text, HasSubstr(std::string{"'"} + name + "'"));
  }
}

TEST(CompareRuns, OtherLoadsAndOtherSystemsAreReported) {
  const RunReport a = run_with(500);
  RunReport b = run_with(500);
  EXPECT_THAT(other_loads({a}, {b}), IsEmpty());
  EXPECT_THAT(warnings_of({a}, {b}), Each(testing::Not(HasSubstr("engine"))));
  b.engine = "sequential";
  EXPECT_THAT(warnings_of({a}, {b}), Contains("engine: xbind in A, sequential in B"));
  EXPECT_THAT(other_loads({a}, {b}), IsEmpty());
  b.offered_setups_per_s = 100;
  EXPECT_THAT(other_loads({a}, {b}), ElementsAre("calls a second: 50 in A, 100 in B"));
  b.audit.made = false;
  EXPECT_THAT(warnings_of({a}, {a, b}), Contains(HasSubstr("run 2 of B has failed")));
}

TEST(CompareRuns, ARunThatRefusesManyIsReported) {
  const RunReport a = run_with(500);
  RunReport b = run_with(500);
  b.setups.refused = b.setups.attempted / 4;
  b.setups.connected = b.setups.attempted - b.setups.refused;
  EXPECT_THAT(warnings_of({a}, {b}),
              Contains(HasSubstr("run 1 of B: 250 of 1 000 calls (25.0 %) were refused or busy")));
  EXPECT_THAT(warnings_of({a}, {a}), Each(testing::Not(HasSubstr("refused"))));
}

}  // namespace
}  // namespace xbind::callgen
