// A run in phases: what is drawn for each call, and the report by phases and classes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "callgen/report/report.hpp"
#include "callgen/report/report_from_json.hpp"
#include "callgen/run/call_source.hpp"
#include "tests/unit/callgen/runner_rig.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// 1 s of voice at 100 calls/s, then 1 s at 50, a fifth of it video that is held longer.
RunPlan two_phases() {
  RunPlan plan = plan_of(Scenario::kSetup, 150);
  plan.arrivals = Arrivals::kPhases;
  plan.offered_for = 2s;
  plan.classes = {{.name = "voice", .service = {.cells_per_s = 10}, .priority = 1},
                  {.name = "video", .service = {.cells_per_s = 900}, .priority = 5}};
  Phase first;
  first.name = "first";
  first.rate = {.length = 1s, .from = 100, .to = 100, .even = true};
  first.hold_mean = 10ms;
  first.classes = {1, 0};
  Phase second = first;
  second.name = "second";
  second.rate.from = second.rate.to = 50;
  second.hold_mean = 20ms;
  second.classes = {4, 1};
  plan.phases = {first, second};
  plan.calls_per_s = mean_rate(arrivals_of(plan));
  plan.calls = calls_before(2s, arrivals_of(plan), plan.seed, 1000);
  return plan;
}

TEST(CallSource, DrawsByThePhaseOfTheCall) {
  const RunPlan plan = two_phases();
  CallSource source(plan, Rig::workload());
  for (std::uint64_t call = 0; call < 100; ++call) {
    const NextCall drawn = source.next(call, 500ms);
    EXPECT_EQ(drawn.phase, 0);
    EXPECT_EQ(drawn.hold, 10ms);
    EXPECT_EQ(drawn.call_class, 0);
    EXPECT_EQ(drawn.priority, 1);
  }
  int video = 0;
  for (std::uint64_t call = 0; call < 1000; ++call) {
    const NextCall drawn = source.next(call, 1s);
    EXPECT_EQ(drawn.phase, 1);
    EXPECT_EQ(drawn.hold, 20ms);
    EXPECT_EQ(drawn.priority, drawn.call_class == 1 ? 5 : 1);
    video += drawn.call_class;
  }
  EXPECT_NEAR(video, 200, 5 * 13);
}

TEST(CallSource, APhaseHasItsOwnEnds) {
  RunPlan plan = two_phases();
  Workload ends = Rig::workload();
  ends.add_phase(1, Workload::weighted({{"host-3", "host-1", 1}}, 1).value());
  EXPECT_EQ(ends.every_end(), (std::vector<std::string>{"host-1", "host-2", "host-3"}));
  CallSource source(plan, std::move(ends));
  EXPECT_EQ(source.next(0, 0s).ends.from, "host-1");
  EXPECT_EQ(source.next(1, 1500ms).ends.from, "host-3");
}

Workload class_ends(const char* const to) {
  return Workload::weighted({{"host-3", to, 1}, {"host-2", to, 1}}, 1).value();
}

TEST(CallSource, AClassHasItsOwnEndsInEveryPhase) {
  RunPlan plan = two_phases();
  Workload ends = Rig::workload();
  ends.add_phase(1, Workload::weighted({{"host-2", "host-1", 1}}, 1).value());
  ends.add_class(1, class_ends("server"));
  EXPECT_THAT(ends.every_end(), testing::Contains("server"));
  CallSource source(plan, std::move(ends));
  EXPECT_EQ(source.next(0, 0s).ends.to, "host-2");
  int video = 0;
  for (std::uint64_t call = 1; call < 200; ++call) {
    const NextCall drawn = source.next(call, 1500ms);
    EXPECT_EQ(drawn.ends.to, drawn.call_class == 1 ? "server" : "host-1");
    video += drawn.call_class;
  }
  EXPECT_NEAR(video, 40, 5 * 6) << "a fifth of 199 calls, and five deviations";
}

TEST(CallSource, TheEndsOfAClassMoveNoOtherCall) {
  const auto voice_of = [](bool own_ends) {
    const RunPlan plan = two_phases();
    Workload ends = Workload::uniform({"a", "b", "c"}, 5).value();
    if (own_ends) ends.add_class(1, class_ends("server"));
    CallSource source(plan, std::move(ends));
    std::vector<std::string> voice;
    for (std::uint64_t call = 0; call < 200; ++call) {
      const NextCall drawn = source.next(call, 1s);
      if (drawn.call_class == 0) voice.push_back(fmt::format("{}: {}", call, drawn.ends.to));
    }
    return voice;
  };
  EXPECT_EQ(voice_of(true), voice_of(false));
}

// What a phase offers of a class does not depend on the phases before it.
TEST(CallSource, AClassDrawsAnewInEachPhase) {
  const auto callers_in_the_second = [](int calls_in_the_first) {
    RunPlan plan = two_phases();
    plan.phases[0].classes = {0, 1};
    plan.phases[1].classes = {0, 1};
    Workload ends = Rig::workload();
    ends.add_class(1, class_ends("server"));
    CallSource source(plan, std::move(ends));
    std::uint64_t call = 0;
    for (int i = 0; i < calls_in_the_first; ++i) source.next(call++, 0s);
    std::vector<std::string> callers;
    for (int i = 0; i < 50; ++i) callers.emplace_back(source.next(call++, 1s).ends.from);
    return callers;
  };
  const auto callers = callers_in_the_second(1);
  EXPECT_EQ(callers_in_the_second(8), callers);
  EXPECT_THAT(callers, testing::AllOf(testing::Contains("host-2"), testing::Contains("host-3")));
}

TEST(Phases, OfferTheirRatesAndContracts) {
  Rig rig(two_phases());
  std::map<std::uint64_t, int> by_cells;
  int in_first = 0;
  while (!rig.runner.finished()) {
    const Duration now = rig.runner.next_deadline() - kStart;
    const RequestBatch sent = rig.advance(now);
    for (const auto& connect : sent.connects) {
      if (now <= 1s) ++in_first;
      ++by_cells[connect.service.cells_per_s];
      EXPECT_EQ(connect.priority, connect.service.cells_per_s == 900 ? 5 : 1);
      rig.answer(
          connect.request,
          connect.service.cells_per_s == 900 ? OutcomeKind::kRefused : OutcomeKind::kConnected, now,
          connect.request.value(), Cause::kNoBandwidth);
    }
    for (const auto& release : sent.releases)
      rig.answer(release.request, OutcomeKind::kReleased, now, release.connection.value());
  }
  EXPECT_EQ(in_first, 100);
  EXPECT_EQ(by_cells[10] + by_cells[900], 149);  // the last one would begin with the end
  const RunReport report = report_of(two_phases(), rig.figures());
  ASSERT_EQ(report.phases.size(), 2U);
  EXPECT_EQ(report.phases[0].attempted + report.phases[1].attempted, 149U);
  EXPECT_EQ(report.phases[0].refused, 0U);
  EXPECT_EQ(report.phases[1].what, "50 calls/s for 1 s");
  ASSERT_EQ(report.classes.size(), 2U);
  EXPECT_EQ(report.classes[1].refused, static_cast<std::uint64_t>(by_cells[900]));
  EXPECT_EQ(report.classes[1].connected, 0U);
  EXPECT_NEAR(report.offered_setups_per_s, 75, 1);
  EXPECT_THAT(to_text(report), HasSubstr("50 calls/s for 1 s"));
  const auto again = report_from_json(to_json(report));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_text(*again), to_text(report));
}

TEST(Events, ThatFailedOrDidNotHappenFailTheRun) {
  RunReport report;
  report.events = {{.name = "good",
                    .command = "true",
                    .planned_s = 1,
                    .at_s = 1.02,
                    .duration_s = 0.1,
                    .exit_code = 0,
                    .said = {}},
                   {.name = "bad",
                    .command = "false",
                    .planned_s = 1,
                    .at_s = 1.02,
                    .duration_s = 0.1,
                    .exit_code = 3,
                    .said = {}},
                   {.name = "slow",
                    .command = "sleep",
                    .planned_s = 1,
                    .at_s = 1.02,
                    .duration_s = 0.1,
                    .exit_code = {},
                    .said = "took longer than 5 s"},
                   {.name = "missed",
                    .command = "true",
                    .planned_s = 9,
                    .at_s = {},
                    .duration_s = 0,
                    .exit_code = {},
                    .said = {}}};
  const std::vector<std::string> reasons = judge(report).reasons;
  EXPECT_THAT(reasons, testing::Contains("event bad ended with exit code 3"));
  EXPECT_THAT(reasons, testing::Contains("event slow: took longer than 5 s"));
  EXPECT_THAT(reasons, testing::Contains("event missed was not run"));
  EXPECT_THAT(reasons, testing::Not(testing::Contains(HasSubstr("good"))));
  EXPECT_THAT(to_text(report), HasSubstr("bad: at 1.02 s, took 0.10 s, exit code 3"));
}

}  // namespace
}  // namespace xbind::callgen
