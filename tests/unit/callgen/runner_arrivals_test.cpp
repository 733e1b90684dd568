// Calls one at a time, calls of a trace, and a clock that is set back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "callgen/report/report.hpp"
#include "callgen/run/runner.hpp"
#include "tests/unit/callgen/runner_rig.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

// ===== one at a time ============================================================================

RunPlan one_at_a_time(std::uint64_t calls) {
  RunPlan plan = plan_of(Scenario::kSetup, calls);
  plan.arrivals = Arrivals::kOneAtATime;
  plan.hold_mean = 0ms;
  return plan;
}

TEST(RunnerOneAtATime, TheNextCallStartsWhenTheReleaseBeforeIsAnswered) {
  Rig run(one_at_a_time(2));
  run.answer(run.advance(0ms).connects.at(0).request, OutcomeKind::kConnected, 20ms);
  run.answer(run.advance(20ms).releases.at(0).request, OutcomeKind::kReleased, 23ms);
  EXPECT_EQ(run.runner.next_deadline(), at(23ms));
  const RequestBatch second = run.advance(24ms);
  ASSERT_THAT(second.connects, SizeIs(1));
  run.answer(second.connects[0].request, OutcomeKind::kConnected, 44ms);
  run.answer(run.advance(44ms).releases.at(0).request, OutcomeKind::kReleased, 46ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.records.all[2].planned, 23ms);
  EXPECT_EQ(run.records.all[2].sent, 24ms);
  EXPECT_EQ(run.figures().calls_up_peak, 1u);
}

TEST(RunnerOneAtATime, ARefusalStartsTheNextAsWell) {
  Rig run(one_at_a_time(3));
  for (int call = 0; call < 3; ++call) {
    const Duration now = 10ms * call;
    run.answer(run.advance(now).connects.at(0).request, OutcomeKind::kRefused, now + 1ms, 0,
               Cause::kNoRoute);
  }
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 3, .refused = 3}));
}

TEST(RunnerOneAtATime, EndsWhenItsTimeIsOverAndSaysHowManyItMade) {
  RunPlan plan = one_at_a_time(1'000'000);
  plan.closed_loop_ends = 25ms;
  Rig run(plan);
  for (int call = 0; call < 3; ++call) {
    const Duration now = 10ms * call;
    ASSERT_FALSE(run.runner.finished());
    run.answer(run.advance(now).connects.at(0).request, OutcomeKind::kRefused, now + 10ms, 0,
               Cause::kNoRoute);
  }
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().planned_calls, 3u);
  EXPECT_EQ(run.figures().setups.attempted, 3u);
}

TEST(RunnerOneAtATime, AnAnswerThatDoesNotComeEndsTheRun) {
  Rig run(one_at_a_time(5));
  run.advance(0ms);
  EXPECT_EQ(run.runner.next_deadline(), at(10s));
  run.advance(10s);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().planned_calls, 5u);
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 1, .unanswered = 1}));
}

// ===== a trace ==================================================================================

TEST(RunnerTrace, PlaysTheCallsOfTheFileAndDrawsWhatItLeavesOut) {
  RunPlan plan = plan_of(Scenario::kSetup, 3);
  plan.arrivals = Arrivals::kTrace;
  plan.trace = std::make_shared<const Trace>(
      parse_trace("0.001\n0.005 0.5\n0.005 host-3 host-1\n", "calls.txt").value());
  Rig run(plan);
  EXPECT_EQ(run.runner.next_deadline(), at(1ms));
  const RequestBatch first = run.advance(1ms);
  ASSERT_THAT(first.connects, SizeIs(1));
  EXPECT_EQ(first.connects[0].from, "host-1");
  run.answer(first.connects[0].request, OutcomeKind::kConnected, 2ms);
  const RequestBatch others = run.advance(5ms);
  ASSERT_THAT(others.connects, SizeIs(2));
  EXPECT_EQ(others.connects[1].from, "host-3");
  EXPECT_EQ(others.connects[1].to, "host-1");
  run.answer(others.connects[1].request, OutcomeKind::kRefused, 6ms, 0, Cause::kNoRoute);
  run.answer(others.connects[0].request, OutcomeKind::kConnected, 6ms, 8);
  EXPECT_EQ(run.runner.next_deadline(), at(62ms));  // of the first call: the plan's holding time
  run.answer(run.advance(62ms).releases.at(0).request, OutcomeKind::kReleased, 63ms);
  EXPECT_EQ(run.runner.next_deadline(), at(506ms));  // of the second call: its own holding time
}

// ===== a clock that is set back =================================================================

TEST(RunnerClock, TimeThatGoesBackStandsStill) {
  Rig run(plan_of(Scenario::kSetup, 2));
  run.connect_first();  // answered at 12 ms
  const RequestBatch second = run.advance(20ms);
  EXPECT_THAT(run.advance(-3600s).connects, IsEmpty());
  run.answer(second.connects.at(0).request, OutcomeKind::kConnected, -3600s, 8);
  for (const auto& release : run.advance(90ms).releases)
    run.answer(release.request, OutcomeKind::kReleased, 0s);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().duration, 90ms);
  for (const RequestRecord& record : run.records.all) {
    EXPECT_GE(record.sent, record.planned);
    EXPECT_GE(record.answered, record.sent);
  }
}

// ===== calls that are not sent ==================================================================

// Six calls, one every 10 ms. The first stays open, and the limit is one open call.
TEST(RunnerShed, CallsThatAreNotSentAreNoneOfTheRateThatWasSent) {
  RunPlan plan = plan_of(Scenario::kSetup, 6);
  plan.max_open_calls = 1;
  Rig run(plan);
  const RequestId first = run.advance(10ms).connects.at(0).request;
  run.advance(30ms);
  EXPECT_EQ(run.figures().shed, 2U);
  EXPECT_DOUBLE_EQ(run.runner.progress(at(30ms)).offered_per_s, 1 / 0.030);
  run.advance(60ms);
  run.answer(first, OutcomeKind::kConnected, 65ms);
  EXPECT_EQ(run.figures().shed, 5U);
  const double span_s = std::chrono::duration<double>(run.figures().sent_span).count();
  ASSERT_GT(span_s, 0);
  EXPECT_DOUBLE_EQ(report_of(plan, run.figures()).sent_setups_per_s, 1 / span_s);
}

}  // namespace
}  // namespace xbind::callgen
