// Runner::stop(): the operator ends a run early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "callgen/report/report.hpp"
#include "tests/unit/callgen/runner_rig.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

RequestId id(std::uint64_t number) { return RequestId{number}; }

TEST(RunnerStop, NoFurtherCallIsOfferedAndThoseThatAreUpAreReleasedAtOnce) {
  RunPlan plan = plan_of(Scenario::kSetup, 100);
  plan.hold_mean = 600s;
  Rig rig(plan);
  EXPECT_THAT(rig.advance(30ms).connects, SizeIs(3));
  rig.answer(id(1), OutcomeKind::kConnected, 31ms, 11);
  rig.answer(id(3), OutcomeKind::kConnected, 32ms, 12);
  rig.runner.stop(at(35ms));
  EXPECT_EQ(rig.runner.next_deadline(), at(35ms));
  const RequestBatch sent = rig.advance(50ms);
  EXPECT_THAT(sent.connects, IsEmpty());
  EXPECT_THAT(sent.releases, SizeIs(2));
  EXPECT_FALSE(rig.runner.finished());
  // The third setup was under way: its answer still counts, and the call is released as well.
  rig.answer(id(5), OutcomeKind::kConnected, 60ms, 13);
  EXPECT_THAT(rig.advance(60ms).releases, SizeIs(1));
  for (const std::uint64_t release : {2U, 4U, 6U})
    rig.answer(id(release), OutcomeKind::kReleased, 70ms, 11);
  EXPECT_TRUE(rig.runner.finished());
  const RunFigures& figures = rig.runner.figures();
  EXPECT_TRUE(figures.interrupted);
  EXPECT_FALSE(figures.target_lost);
  EXPECT_EQ(figures.setups, (SetupCounts{.attempted = 3, .connected = 3}));
  EXPECT_EQ(figures.releases, (ReleaseCounts{.attempted = 3, .released = 3}));
  // The release of the first call was planned for the moment of the stop, not for the end of its
  // holding time ten minutes later.
  EXPECT_EQ(rig.records.all[3].planned, 35ms);
}

TEST(RunnerStop, WaitsForAnswersNoLongerThanTheDrainTimeout) {
  Rig rig(plan_of(Scenario::kSetup, 100));
  rig.advance(20ms);
  rig.answer(id(1), OutcomeKind::kConnected, 21ms, 11);
  rig.runner.stop(at(25ms));
  rig.advance(25ms);
  rig.runner.stop(at(5s));  // only the first stop() has an effect
  EXPECT_EQ(rig.runner.next_deadline(), at(25ms + 10s));
  rig.advance(25ms + 10s);
  EXPECT_TRUE(rig.runner.finished());
  EXPECT_EQ(rig.runner.figures().setups,
            (SetupCounts{.attempted = 2, .connected = 1, .unanswered = 1}));
  EXPECT_EQ(rig.runner.figures().releases, (ReleaseCounts{.attempted = 1, .unanswered = 1}));
}

TEST(RunnerStop, WhatElseACallHadPlannedIsLeftOut) {
  RunPlan plan = plan_of(Scenario::kModify, 1);
  plan.calls = 2;
  Rig rig(plan);
  rig.advance(10ms);
  rig.answer(id(1), OutcomeKind::kConnected, 12ms);
  rig.runner.stop(at(14ms));
  const RequestBatch sent = rig.advance(14ms);
  EXPECT_THAT(sent.modifies, IsEmpty());
  ASSERT_THAT(sent.releases, SizeIs(1));
  rig.answer(sent.releases.front().request, OutcomeKind::kReleased, 15ms);
  EXPECT_TRUE(rig.runner.finished());
  EXPECT_THAT(rig.records.reported, ElementsAre("setup done", "release done"));
}

TEST(RunnerStop, ACallThatIsHeldIsCommittedAndReleased) {
  RunPlan plan = plan_of(Scenario::kHold, 2);
  plan.hold_mean = 600s;
  Rig rig(plan);
  rig.advance(10ms);
  rig.answer(id(1), OutcomeKind::kHeld, 12ms);
  rig.runner.stop(at(14ms));
  const RequestBatch sent = rig.advance(14ms);
  ASSERT_THAT(sent.commits, SizeIs(1));
  rig.answer(sent.commits.front().request, OutcomeKind::kConnected, 15ms);
  const RequestBatch last = rig.advance(15ms);
  ASSERT_THAT(last.releases, SizeIs(1));
  rig.answer(last.releases.front().request, OutcomeKind::kReleased, 16ms);
  EXPECT_TRUE(rig.runner.finished());
  EXPECT_EQ(rig.runner.figures().releases, (ReleaseCounts{.attempted = 1, .released = 1}));
}

TEST(RunnerStop, OneAtATimeBeginsNoFurtherCall) {
  RunPlan plan = plan_of(Scenario::kSetup, 5);
  plan.arrivals = Arrivals::kOneAtATime;
  Rig rig(plan);
  rig.advance(0ms);
  rig.answer(id(1), OutcomeKind::kConnected, 1ms);
  rig.runner.stop(at(2ms));
  EXPECT_THAT(rig.advance(2ms).releases, SizeIs(1));
  rig.answer(id(2), OutcomeKind::kReleased, 3ms);
  EXPECT_TRUE(rig.runner.finished());
  EXPECT_EQ(rig.runner.figures().setups.attempted, 1u);
}

TEST(RunnerStop, BeforeTheFirstCallAndAfterTheLastItChangesNothingElse) {
  Rig early(plan_of(Scenario::kSetup, 5));
  early.runner.stop(kStart - 1s);
  EXPECT_TRUE(early.runner.finished());
  EXPECT_EQ(early.runner.figures().setups, SetupCounts{});
  EXPECT_EQ(early.runner.figures().duration, 0s);

  Rig late(plan_of(Scenario::kSetup, 1));
  late.advance(10ms);
  late.answer(id(1), OutcomeKind::kRefused, 12ms);
  late.runner.stop(at(13ms));
  EXPECT_FALSE(late.runner.figures().interrupted);
}

RunReport interrupted_report() {
  RunReport report;
  report.planned_calls = 2000;
  report.duration_s = 3.21;
  report.setups = {.attempted = 640, .connected = 640};
  report.releases = {.attempted = 640, .released = 640};
  report.audit.made = report.audit.clean = true;
  report.interrupted = true;
  return report;
}

TEST(ReportOfAnInterruptedRun, IsMarkedAndHasAnExitCodeOfItsOwn) {
  const RunReport report = interrupted_report();
  const Verdict verdict = judge(report);
  EXPECT_FALSE(verdict.ok);
  EXPECT_FALSE(verdict.failed);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_EQ(exit_code(verdict), 4);
  EXPECT_THAT(to_text(report),
              HasSubstr("INTERRUPTED after 3.2 s: 640 of 2000 planned calls were offered\n"));
  EXPECT_THAT(to_text(report), HasSubstr("Verdict: INTERRUPTED."));
  EXPECT_THAT(to_json(report), HasSubstr("\"interrupted\": true"));
}

TEST(ReportOfAnInterruptedRun, OneThatLostAnythingHasFailedAllTheSame) {
  RunReport report = interrupted_report();
  report.releases = {.attempted = 640, .released = 639, .unanswered = 1};
  EXPECT_EQ(exit_code(judge(report)), 1);
  EXPECT_THAT(to_text(report), HasSubstr("INTERRUPTED after 3.2 s"));
}

TEST(ReportOfAnInterruptedRun, TheMeanRateOfAWholeRampIsNotAskedOfItsBeginning) {
  RunReport report = interrupted_report();
  report.setups = {.attempted = 1500, .connected = 1500};
  report.releases = {.attempted = 1500, .released = 1500};
  report.offered_setups_per_s = 500;
  report.sent_setups_per_s = 100;
  report.arrivals = Arrivals::kRamp;
  EXPECT_EQ(exit_code(judge(report)), 4);
  report.interrupted = false;
  report.planned_calls = 1500;
  EXPECT_EQ(exit_code(judge(report)), 3);
}

}  // namespace
}  // namespace xbind::callgen
