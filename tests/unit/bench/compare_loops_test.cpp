#include "bench/search/compare_loops.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::callgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string written(int operations_per_s, int outstanding, const char* clean = "true") {
  return fmt::format(R"({{"schema": "xbind.ceiling/1", "outstanding": {}, "client_batch": 64,
      "operations_per_s": {}, "commands_per_operation": 3.5, "refused": 0, "unanswered": 0,
      "audit_clean": {}}})",
                     outstanding, operations_per_s, clean);
}

LoopRun loop(int operations_per_s, int outstanding, const char* clean = "true") {
  return loop_from_json(written(operations_per_s, outstanding, clean))->value();
}

Metric loop_metric(const char* name) { return parse_metrics({name})->front(); }

TEST(CompareLoops, MetricsAreReadFromWhatCeilingWrites) {
  const LoopRun run = loop(1000, 2048);
  EXPECT_TRUE(run.clean);
  EXPECT_DOUBLE_EQ(metric_of(run, loop_metric("operations")).whole, 1000);
  EXPECT_DOUBLE_EQ(metric_of(run, loop_metric("commands")).whole, 3500);
  EXPECT_DOUBLE_EQ(metric_of(run, loop_metric("p50")).whole, 0);
}

TEST(CompareLoops, OtherFilesAreNotTakenForLoops) {
  EXPECT_FALSE(loop_from_json("nonsense"));
  EXPECT_FALSE(loop_from_json("[1]"));
  EXPECT_FALSE(loop_from_json(R"({"schema": "xbind.callgen/1"})"));
  const auto lacking = loop_from_json(R"({"schema": "xbind.ceiling/1"})");
  ASSERT_TRUE(lacking);
  ASSERT_FALSE(*lacking);
  EXPECT_THAT(lacking->error().text, HasSubstr("operations_per_s"));
}

TEST(CompareLoops, RoundsArePairsAndTheirMedianCounts) {
  std::vector<MetricOfRun> three;
  std::vector<MetricOfRun> wide;
  for (const auto& [few, many] :
       {std::pair{100, 90}, {110, 88}, {100, 80}, {90, 99}, {105, 84}, {100, 85}}) {
    three.push_back(metric_of(loop(few, 8), loop_metric("operations")));
    wide.push_back(metric_of(loop(many, 8), loop_metric("operations")));
  }
  const CompareLine line = compare("operations", Better::kHigher, three, wide);
  EXPECT_NEAR(line.ratio, (0.80 + 0.85) / 2, 1e-12);
  EXPECT_DOUBLE_EQ(line.low, 0.8);
  EXPECT_DOUBLE_EQ(line.high, 1.1);
}

TEST(CompareLoops, NamesOtherLoadsAndRunsThatFailed) {
  EXPECT_THAT(other_loads({loop(1, 8), loop(2, 8)}, {loop(1, 16)}),
              ElementsAre("requests under way: 8 in A, 16 in B"));
  EXPECT_THAT(other_loads({loop(1, 8)}, {loop(5, 8)}), IsEmpty());
  EXPECT_THAT(warnings_of({loop(1, 8)}, {loop(1, 8), loop(1, 8, "false")}),
              ElementsAre(HasSubstr("run 2 of B has failed")));
}

}  // namespace
}  // namespace xbind::callgen
