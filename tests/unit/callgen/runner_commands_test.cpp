// A run whose rate is changed, paused and ended while it goes on, and what its report says of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "callgen/report/model_checks.hpp"
#include "callgen/report/report.hpp"
#include "callgen/report/report_from_json.hpp"
#include "tests/unit/callgen/runner_rig.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using What = RunCommand::What;

struct Steered : Rig {
  explicit Steered(const RunPlan& the_plan) : Rig(the_plan), plan(the_plan) {}
  std::string ask(RunCommand command, Duration when) {
    const auto done = runner.perform(command, at(when));
    return done ? *done : "refused: " + done.error().text;
  }
  // Every call that is due by this moment, connected at once; nothing is left open.
  std::size_t play_until(Duration when) {
    std::size_t calls = 0;
    while (!runner.finished() && runner.next_deadline() <= at(when)) {
      const Duration now = runner.next_deadline() - kStart;
      const RequestBatch sent = advance(now);
      for (const auto& connect : sent.connects) {
        ++calls;
        answer(connect.request, OutcomeKind::kConnected, now, connect.request.value());
      }
      for (const auto& release : sent.releases)
        answer(release.request, OutcomeKind::kReleased, now, release.connection.value());
    }
    return calls;
  }
  RunReport report() { return report_of(plan, figures()); }

  RunPlan plan;
};

TEST(Steering, TheNextCallComesAtTheNewRate) {
  Steered run(plan_of(Scenario::kSetup, 1000));
  EXPECT_EQ(run.play_until(1s), 100U);
  EXPECT_EQ(run.ask({What::kRate, 10}, 1s), "10 calls/s at 1.0 s");
  EXPECT_EQ(run.play_until(2s), 10U);
  EXPECT_EQ(run.ask({What::kFaster, 190}, 2s), "200 calls/s at 2.0 s");
  EXPECT_EQ(run.play_until(3s), 200U);
  EXPECT_EQ(run.runner.offer(at(3s)).offered, 310U);
}

TEST(Steering, APauseMovesTheRestOfThePlan) {
  Steered run(plan_of(Scenario::kSetup, 300));
  EXPECT_EQ(run.play_until(1s), 100U);
  EXPECT_EQ(run.ask({What::kPauseOrResume}, 1s), "paused at 1.0 s, 100 calls/s when resumed");
  EXPECT_EQ(run.play_until(6s), 0U);
  EXPECT_TRUE(run.runner.progress(at(6s)).paused);
  EXPECT_FALSE(run.runner.finished());
  EXPECT_EQ(run.ask({What::kPauseOrResume}, 6s), "100 calls/s at 6.0 s");
  EXPECT_EQ(run.runner.offer(at(6s)).plan, 1s);
  EXPECT_EQ(run.play_until(7s), 100U);
  EXPECT_EQ(run.play_until(60s), 100U);
  EXPECT_TRUE(run.runner.finished());
  // The slip is that against the moved plan.
  EXPECT_EQ(run.figures().statistics.slip().max(), Duration::zero());
}

TEST(Steering, ARateCanBeChangedDuringAPause) {
  Steered run(plan_of(Scenario::kSetup, 1000));
  run.play_until(1s);
  run.ask({What::kPause}, 1s);
  EXPECT_EQ(run.ask({What::kRate, 20}, 2s), "paused at 2.0 s, 20 calls/s when resumed");
  EXPECT_EQ(run.play_until(3s), 0U);
  run.ask({What::kResume}, 3s);
  EXPECT_EQ(run.play_until(4s), 20U);
}

TEST(Steering, ARunOfADurationKeepsItsDuration) {
  RunPlan plan = plan_of(Scenario::kSetup, 999);
  plan.offered_for = 10s;
  Steered run(plan);
  run.play_until(5s);
  run.ask({What::kRate, 10}, 5s);
  EXPECT_EQ(run.play_until(60s), 49U);  // those planned before 10 s
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().planned_calls, 549U);
  EXPECT_EQ(run.figures().setups.attempted, 549U);
}

TEST(Steering, QuitLetsCallsLiveAndTheSecondReleasesThem) {
  RunPlan plan = plan_of(Scenario::kSetup, 1000);
  plan.hold_mean = 1min;
  Steered run(plan);
  run.play_until(1s);
  EXPECT_EQ(run.ask({What::kQuit}, 1s), "all calls are offered, 100 of them, at 1.0 s");
  EXPECT_EQ(run.play_until(5s), 0U);
  EXPECT_EQ(run.figures().calls_up, 100U);
  EXPECT_EQ(run.ask({What::kQuit}, 5s), "all calls are offered, 100 of them, at 5.0 s");
  run.play_until(6s);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().releases.released, 100U);
  EXPECT_TRUE(run.figures().interrupted);
  EXPECT_EQ(run.figures().planned_calls, 1000U);
}

TEST(Steering, RefusalsNameTheirReason) {
  Steered run(plan_of(Scenario::kSetup, 10));
  EXPECT_THAT(run.ask({What::kResume}, 0s), HasSubstr("resume: no calls are held back"));
  EXPECT_THAT(run.ask({What::kRate, 2e6}, 0s), HasSubstr("rate 2e+06: 0.001 to 1000000"));
  EXPECT_THAT(run.ask({What::kFaster, -100}, 0s), HasSubstr("rate 0: 0.001 to 1000000"));
  run.ask({What::kPause}, 0s);
  EXPECT_THAT(run.ask({What::kPause}, 0s), HasSubstr("pause: calls are held back already"));
  run.ask({What::kResume}, 0s);
  run.play_until(1s);
  EXPECT_THAT(run.ask({What::kRate, 7}, 1s), HasSubstr("the run is over"));

  RunPlan bursts = plan_of(Scenario::kSetup, 10);
  bursts.arrivals = Arrivals::kBurst;
  Steered other(bursts);
  EXPECT_THAT(other.ask({What::kRate, 7}, 0s), HasSubstr("calls of --arrivals burst have no rate"));
  EXPECT_EQ(other.ask({What::kPause}, 0s), "paused at 0.0 s, calls as planned when resumed");
}

TEST(Steering, ChangesHaveABound) {
  Steered run(plan_of(Scenario::kSetup, 10));
  for (std::size_t i = 0; i < Offer::kChangesMax; ++i) run.ask({What::kRate, 100}, 0s);
  EXPECT_THAT(run.ask({What::kRate, 100}, 0s), HasSubstr("changed 1000 times already"));
  EXPECT_THAT(run.ask({What::kQuit}, 0s), HasSubstr("all calls are offered"));
}

TEST(Steering, OneAtATimeIsPausedBetweenCalls) {
  RunPlan plan = plan_of(Scenario::kSetup, 3);
  plan.arrivals = Arrivals::kOneAtATime;
  Steered run(plan);
  EXPECT_EQ(run.play_until(0s), 1U);
  run.ask({What::kPause}, 10ms);
  EXPECT_EQ(run.play_until(1s), 0U);  // its end comes in the pause
  run.ask({What::kResume}, 2s);
  EXPECT_EQ(run.play_until(2s), 1U);
}

TEST(SteeredReport, JudgesTheRateAsItWasChanged) {
  RunPlan plan = plan_of(Scenario::kSetup, 100'000);
  plan.arrivals = Arrivals::kPoisson;
  plan.calls_per_s = 1000;
  plan.offered_for = 30s;
  plan.hold_mean = 1ms;
  Steered run(plan);
  run.play_until(10s);
  run.ask({What::kRate, 3000}, 10s);
  run.play_until(20s);
  run.ask({What::kPause}, 20s);
  run.ask({What::kResume}, 30s);
  run.play_until(100s);
  ASSERT_TRUE(run.runner.finished());
  const RunReport report = run.report();
  // (10 s x 1000 + 20 s x 3000) calls in 40 s.
  EXPECT_NEAR(report.offered_setups_per_s, 1750, 5);
  EXPECT_EQ(report.peak_setups_per_s, 3000);
  EXPECT_EQ(report.rate_changes.size(), 3U);
  for (const ModelCheck& check : all_checks(report)) {
    EXPECT_TRUE(check.passed) << sentence_of(check);
    const bool pasta = check.name.find("PASTA") != std::string::npos;
    EXPECT_EQ(check.judged, !pasta) << check.name << ": " << check.why;
  }
  EXPECT_THAT(to_text(report), HasSubstr("10.0 s  rate from 1000 to 3000 calls/s"));
  EXPECT_THAT(to_text(report), HasSubstr("20.0 s  calls held back"));
  EXPECT_THAT(to_text(report), HasSubstr("30.0 s  resumed with 3000 calls/s"));

  const auto again = report_from_json(to_json(report));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_text(*again), to_text(report));
}

TEST(SteeredReport, IsVoidWhenTheChangedRateWasNotOffered) {
  RunPlan plan = plan_of(Scenario::kSetup, 2000);
  Steered run(plan);
  run.play_until(1s);
  run.ask({What::kRate, 1000}, 1s);
  // The generator stands still for a second.
  run.advance(2s);
  run.play_until(60s);
  RunReport report = run.report();
  EXPECT_GT(report.generator_slip.p99, slip_limit_us(report));
  EXPECT_TRUE(judge(report).is_void);
}

TEST(ProgressLine, ShowsThePresentRate) {
  Progress progress;
  progress.elapsed = 12s;
  progress.asked_per_s = 250;
  EXPECT_THAT(progress_line(progress), HasSubstr("12.0 s  rate 250  0 calls/s offered"));
  progress.paused = true;
  EXPECT_THAT(progress_line(progress), HasSubstr("12.0 s  paused  0 calls/s offered"));
}

}  // namespace
}  // namespace xbind::callgen
