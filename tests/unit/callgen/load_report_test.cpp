// The report and verdict of a load whose arrivals are neither Poisson nor constant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "callgen/report/report.hpp"
#include "callgen/run/run_plan.hpp"

namespace xbind::callgen {
namespace {

using testing::HasSubstr;
using testing::Not;

using Manifest = std::map<std::string, std::string>;

TEST(LoadManifest, TellsWhatThePlanMakesUseOfAndNothingElse) {
  EXPECT_EQ(manifest_of(RunPlan{}), (Manifest{{"arrivals", "poisson"},
                                              {"calls", "2000"},
                                              {"hold", "0.1"},
                                              {"hold-distribution", "constant"},
                                              {"rate", "200"},
                                              {"seed", "1"}}));
}

TEST(LoadManifest, TellsBurstsWithTheirPeak) {
  RunPlan plan;
  plan.arrivals = Arrivals::kBurst;
  plan.burst_on_s = 0.5;
  plan.burst_off_s = 1.5;
  const Manifest manifest = manifest_of(plan);
  EXPECT_EQ(manifest.at("burst-on"), "0.5");
  EXPECT_EQ(manifest.at("burst-off"), "1.5");
  EXPECT_EQ(manifest.at("rate"), "200");
  EXPECT_EQ(manifest.at("peak-rate"), "800");
}

TEST(LoadManifest, TellsScenariosPrioritiesAndSigma) {
  RunPlan plan;
  plan.mix = {{8, 1, 0, 1}};
  plan.priorities.weights[7] = 2;
  plan.hold_distribution = HoldDistribution::kLognormal;
  plan.hold_sigma = 0.7;
  const Manifest manifest = manifest_of(plan);
  EXPECT_EQ(manifest.at("mix"), "setup=8,modify=1,hold=1");
  EXPECT_EQ(manifest.at("priority"), "0=1,7=2");
  EXPECT_EQ(manifest.at("modify-cells-per-s"), "200");
  EXPECT_EQ(manifest.at("hold-ms"), "10000");
  EXPECT_EQ(manifest.at("hold-sigma"), "0.7");
}

TEST(LoadManifest, TellsNoRateWhereNoneIsAskedFor) {
  RunPlan plan;
  plan.arrivals = Arrivals::kOneAtATime;
  plan.closed_loop_ends = std::chrono::seconds{3};
  EXPECT_FALSE(manifest_of(plan).contains("rate"));
  EXPECT_EQ(manifest_of(plan).at("duration"), "3");
  plan.arrivals = Arrivals::kTrace;
  plan.trace = std::make_shared<const Trace>(parse_trace("1\n", "calls.txt").value());
  EXPECT_FALSE(manifest_of(plan).contains("rate"));
  EXPECT_EQ(manifest_of(plan).at("trace"), "calls.txt");
}

// All calls are connected and released as planned, but at twice the requested rate.
RunReport report_at_double_rate(const RunPlan& plan) {
  RunFigures figures;
  figures.planned_calls = plan.calls;
  figures.setups = {.attempted = plan.calls, .connected = plan.calls};
  figures.releases = {.attempted = plan.calls, .released = plan.calls};
  RunReport report = report_of(plan, figures);
  report.audit.made = report.audit.clean = true;
  report.sent_setups_per_s = 2 * plan.calls_per_s;
  return report;
}

TEST(LoadVerdict, ChanceIsGreaterWhereCallsComeInBursts) {
  RunPlan plan;
  plan.calls = 10'000;
  EXPECT_DOUBLE_EQ(rate_tolerance(report_at_double_rate(plan)), 0.05);
  EXPECT_TRUE(judge(report_at_double_rate(plan)).is_void);
  plan.arrivals = Arrivals::kBurst;  // on and off for one second each: 1 + 2 * 400 / 4
  const RunReport bursts = report_at_double_rate(plan);
  EXPECT_DOUBLE_EQ(rate_tolerance(bursts), 5 * std::sqrt(201.0 / 10'000));
}

TEST(LoadVerdict, OneAtATimeHasNoRateToBeJudged) {
  RunPlan plan;
  plan.arrivals = Arrivals::kOneAtATime;
  const RunReport report = report_at_double_rate(plan);
  EXPECT_EQ(report.offered_setups_per_s, 0);
  const Verdict verdict = judge(report);
  for (const std::string& reason : verdict.reasons)
    EXPECT_THAT(reason, Not(HasSubstr("calls/s were sent")));
  EXPECT_TRUE(std::isfinite(slip_limit_us(report)));
}

}  // namespace
}  // namespace xbind::callgen
