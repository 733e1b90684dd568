#include "callgen/run/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr TimePoint kStart{5s};
TimePoint at(Duration since_start) { return kStart + since_start; }

// Evenly spaced calls, one every 10 ms, the first at 10 ms, held for 25 ms.
RunPlan even_plan(std::uint64_t calls) {
  RunPlan plan;
  plan.calls = calls;
  plan.calls_per_s = 100;
  plan.arrivals = Arrivals::kConstant;
  plan.hold_mean = 25ms;
  plan.drain_timeout = 10s;
  return plan;
}

Outcome outcome_of(RequestId request, OutcomeKind kind, Cause cause = Cause::kNone,
                   std::string element = {}) {
  Outcome outcome;
  outcome.request = request;
  outcome.kind = kind;
  outcome.cause = cause;
  outcome.element = std::move(element);
  return outcome;
}

// A Runner and its requests; the tests answer them.
struct Rig {
  explicit Rig(const RunPlan& plan)
      : runner(plan, Workload::weighted({{"host-1", "host-2", 1}}, plan.seed).value()) {
    runner.start(kStart);
  }

  // Advances the generator once and records its requests.
  std::vector<RequestBatch> advance(Duration since_start) {
    std::vector<RequestBatch> batches;
    for (Dispatch& sent : runner.advance(at(since_start))) batches.push_back(std::move(sent.batch));
    for (const RequestBatch& batch : batches) {
      for (const ConnectRequest& request : batch.connects) setups.push_back(request);
      for (const ReleaseRequest& request : batch.releases) releases.push_back(request);
    }
    return batches;
  }
  void notice(const Notice& notice, Duration when) { runner.notice(notice, at(when)); }
  void connected(RequestId request, std::uint64_t connection, Duration when) {
    Outcome outcome = outcome_of(request, OutcomeKind::kConnected);
    outcome.connection = ConnectionId{connection};
    answer(outcome, when);
  }
  void refused(RequestId request, Cause cause, std::string element, Duration when) {
    answer(outcome_of(request, OutcomeKind::kRefused, cause, std::move(element)), when);
  }
  void released(RequestId request, Duration when) {
    answer(outcome_of(request, OutcomeKind::kReleased), when);
  }
  void busy(RequestId request, Duration when) {
    answer(outcome_of(request, OutcomeKind::kBusy, Cause::kBusy), when);
  }
  void answer(const Outcome& outcome, Duration when) { runner.outcome(outcome, at(when)); }
  const RunFigures& figures() const { return runner.figures(); }

  Runner runner;
  std::vector<ConnectRequest> setups;
  std::vector<ReleaseRequest> releases;
};

// A manager that answers every request `answer_after` later, but stalls in [stall, stall_end).
struct StallingTarget {
  Duration answer_after = 200us;
  Duration stall{};
  Duration stall_end{};

  // Runs to the end; the generator wakes at every deadline.
  void serve(Rig& run) const {
    struct Due {
      Duration when;
      RequestId request;
      bool release;
    };
    std::deque<Due> due;
    std::uint64_t next_connection = 1;
    while (!run.runner.finished()) {
      const TimePoint deadline = run.runner.next_deadline();
      if (!due.empty() && at(due.front().when) <= deadline) {
        const Due answer = due.front();
        due.pop_front();
        if (answer.release)
          run.released(answer.request, answer.when);
        else
          run.connected(answer.request, next_connection++, answer.when);
        continue;
      }
      const Duration now = std::max(Duration{}, deadline - kStart);
      Duration when = now + answer_after;
      if (when >= stall && when < stall_end) when = stall_end;
      for (const RequestBatch& batch : run.advance(now)) {
        for (const auto& request : batch.releases) due.push_back({when, request.request, true});
        for (const auto& request : batch.connects) due.push_back({when, request.request, false});
      }
    }
  }
};

// ===== setup, holding and release of a call =====

TEST(Runner, SetsACallUpHoldsItAndReleasesIt) {
  RunPlan plan = even_plan(1);
  plan.service = {.cells_per_s = 353};
  Rig run(plan);
  EXPECT_EQ(run.runner.next_deadline(), at(10ms));
  EXPECT_THAT(run.advance(9ms), IsEmpty());

  // callgen --> manager: connect host-1 -> host-2
  EXPECT_THAT(run.advance(10ms), SizeIs(1));
  ASSERT_THAT(run.setups, SizeIs(1));
  EXPECT_EQ(run.setups[0].from, "host-1");
  EXPECT_EQ(run.setups[0].to, "host-2");
  EXPECT_EQ(run.setups[0].service.cells_per_s, 353u);
  EXPECT_EQ(run.runner.open_calls(), 1u);

  // callgen <-- manager: connected, 3 ms later; held from this moment
  run.connected(run.setups[0].request, 77, 13ms);
  EXPECT_EQ(run.figures().calls_up, 1u);
  EXPECT_EQ(run.runner.next_deadline(), at(38ms));
  EXPECT_THAT(run.advance(37ms), IsEmpty());

  // callgen --> manager: release
  run.advance(38ms);
  ASSERT_THAT(run.releases, SizeIs(1));
  EXPECT_EQ(run.releases[0].connection, ConnectionId{77});
  EXPECT_NE(run.releases[0].request, run.setups[0].request);
  EXPECT_FALSE(run.runner.finished());

  // callgen <-- manager: released, 2 ms later
  run.released(run.releases[0].request, 40ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.runner.next_deadline(), kNever);
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 1, .connected = 1}));
  EXPECT_EQ(run.figures().releases, (ReleaseCounts{.attempted = 1, .released = 1}));
  EXPECT_EQ(run.figures().statistics.setup_latency().max(), 3ms);
  EXPECT_EQ(run.figures().statistics.release_latency().max(), 2ms);
  EXPECT_EQ(run.figures().statistics.slip().max(), 0ms);
  EXPECT_EQ(run.figures().calls_up, 0u);
  EXPECT_EQ(run.figures().calls_up_peak, 1u);
  EXPECT_EQ(run.figures().duration, 40ms);
}

TEST(Runner, AHoldingTimeOfZeroReleasesAtTheNextStep) {
  RunPlan plan = even_plan(1);
  plan.hold_mean = 0ms;
  Rig run(plan);
  run.advance(10ms);
  run.connected(run.setups[0].request, 1, 12ms);
  EXPECT_EQ(run.runner.next_deadline(), at(12ms));
  run.advance(12ms);
  EXPECT_THAT(run.releases, SizeIs(1));
}

TEST(Runner, ACallIsHeldFromItsAnswerHoweverLateThatWas) {
  Rig run(even_plan(1));
  run.advance(10ms);
  run.connected(run.setups[0].request, 1, 500ms);
  EXPECT_EQ(run.runner.next_deadline(), at(525ms));
}

TEST(Runner, HoldingTimesFollowTheirDistributionCallByCall) {
  // Call k gets the k-th holding time of the seed, whether or not it is answered.
  RunPlan plan = even_plan(3);
  plan.hold_distribution = HoldDistribution::kExponential;
  plan.hold_mean = 1s;
  HoldingTime drawn(plan.hold_distribution, plan.hold_mean, plan.seed);
  Rig run(plan);
  run.advance(30ms);
  run.refused(run.setups[0].request, Cause::kNoRoute, "", 30ms);
  drawn.next();
  const Duration second = drawn.next();
  const Duration third = drawn.next();
  ASSERT_NE(second, third);
  run.connected(run.setups[1].request, 1, 40ms);
  EXPECT_EQ(run.runner.next_deadline(), at(40ms + second));
  run.advance(40ms + second);
  run.connected(run.setups[2].request, 2, 40ms + second);
  EXPECT_EQ(run.runner.next_deadline(), at(40ms + second + third));
}

TEST(Runner, EverythingDueGoesOutInOneBatch) {
  Rig run(even_plan(3));
  run.advance(10ms);
  run.connected(run.setups[0].request, 1, 11ms);  // planned end: 36 ms
  const auto batches = run.advance(40ms);
  ASSERT_THAT(batches, SizeIs(1));
  EXPECT_THAT(batches[0].connects, SizeIs(2));
  EXPECT_THAT(batches[0].releases, SizeIs(1));
}

TEST(Runner, BatchesAreSplitAtTheirBoundEarliestFirst) {
  RunPlan plan = even_plan(6);
  plan.max_batch = 2;
  Rig run(plan);
  run.advance(10ms);
  run.connected(run.setups[0].request, 1, 11ms);  // planned end: 36 ms, before the fourth call
  const auto batches = run.advance(60ms);
  ASSERT_THAT(batches, SizeIs(3));
  EXPECT_THAT(batches[0].connects, SizeIs(2));  // 20, 30
  EXPECT_THAT(batches[1].releases, SizeIs(1));  // 36
  EXPECT_THAT(batches[1].connects, SizeIs(1));  // 40
  EXPECT_THAT(batches[2].connects, SizeIs(2));  // 50, 60
  EXPECT_EQ(run.figures().batches, 4u);
}

TEST(Runner, RequestIdsAreUniqueAndBeginWhereAnOptionSays) {
  RunPlan plan = even_plan(2);
  plan.first_request = RequestId{1'000'000'000'000};
  Rig run(plan);
  StallingTarget{}.serve(run);
  EXPECT_THAT(run.setups,
              ElementsAre(testing::Field(&ConnectRequest::request, RequestId{1'000'000'000'000}),
                          testing::Field(&ConnectRequest::request, RequestId{1'000'000'000'002})));
  EXPECT_THAT(run.releases,
              ElementsAre(testing::Field(&ReleaseRequest::request, RequestId{1'000'000'000'001}),
                          testing::Field(&ReleaseRequest::request, RequestId{1'000'000'000'003})));
}

// ===== the plan depends on the seed alone =======================================================

std::vector<TimePoint> arrivals(const RunPlan& plan, bool answer) {
  Rig run(plan);
  std::vector<TimePoint> moments;
  while (moments.size() < plan.calls) {
    const TimePoint now = run.runner.next_deadline();
    for (const RequestBatch& batch : run.advance(now - kStart)) {
      for (const ConnectRequest& request : batch.connects) {
        moments.push_back(now);
        if (answer) run.connected(request.request, 1, now - kStart + 1us);
      }
    }
  }
  return moments;
}

TEST(Runner, ArrivalsDoNotDependOnAnswersNorOnHoldingTimes) {
  RunPlan plan;
  plan.calls = 500;
  const auto answered = arrivals(plan, true);
  EXPECT_EQ(arrivals(plan, false), answered);
  plan.hold_mean = 3s;
  plan.hold_distribution = HoldDistribution::kExponential;
  EXPECT_EQ(arrivals(plan, true), answered);
  plan.seed = 2;
  EXPECT_NE(arrivals(plan, true), answered);
}

TEST(Runner, NeverWaitsForAnAnswer) {
  Rig run(even_plan(1000));
  run.advance(10s);
  EXPECT_THAT(run.setups, SizeIs(1000));
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 1000}));
}

TEST(Runner, TellsHowThePlanCameOut) {
  RunPlan plan;
  plan.calls = 20'000;
  Rig run(plan);
  StallingTarget{}.serve(run);
  EXPECT_NEAR(run.figures().gap_mean_s, 0.005, 0.005 * 0.03);
  EXPECT_NEAR(run.figures().gap_variation, 1, 0.03);
  EXPECT_EQ(run.figures().planned_span, run.figures().sent_span);

  Rig even(even_plan(100));
  StallingTarget{}.serve(even);
  EXPECT_DOUBLE_EQ(even.figures().gap_mean_s, 0.01);
  EXPECT_NEAR(even.figures().gap_variation, 0, 1e-6);
  EXPECT_EQ(even.figures().planned_span, 1s);
}

// ===== coordinated omission =====================================================================

TEST(Runner, ATargetThatStallsForASecondShowsInTheLatencies) {
  // 100 calls/s for 10 s; the manager stalls from 3 s to 4 s. Every call planned in that second
  // waits until its end: one call in ten.
  Rig run(even_plan(1000));
  StallingTarget{.answer_after = 200us, .stall = 3s, .stall_end = 4s}.serve(run);
  const Histogram& latency = run.figures().statistics.setup_latency();
  EXPECT_EQ(latency.count(), 1000u);
  EXPECT_LT(latency.percentile(89), 1ms);
  EXPECT_NEAR(static_cast<double>(latency.percentile(95).count()), 500e6, 20e6);
  EXPECT_NEAR(static_cast<double>(latency.percentile(99).count()), 900e6, 20e6);
  EXPECT_LT(run.figures().statistics.slip().max(), 1ns);  // the generator was punctual
}

TEST(Runner, AGeneratorThatStallsHidesNothingEither) {
  // The generator itself is blocked for a second, for example by a write. Calls that it sends
  // afterwards were planned earlier, and their latency counts from the plan. Counted from the
  // sending, all would look well.
  Rig run(even_plan(1000));
  std::uint64_t connection = 0;
  const auto step = [&](Duration now) {
    for (const RequestBatch& batch : run.advance(now)) {
      for (const auto& request : batch.connects)
        run.connected(request.request, ++connection, now + 1ms);
      for (const auto& request : batch.releases) run.released(request.request, now + 1ms);
    }
  };
  for (Duration now = 0ms; now < 3s; now += 1ms) step(now);
  for (Duration now = 4s; now < 11s; now += 1ms) step(now);
  ASSERT_TRUE(run.runner.finished());
  EXPECT_GT(run.figures().statistics.setup_latency().percentile(99), 890ms);
  EXPECT_LE(run.figures().statistics.of(RequestKind::kSetup).from_send.max(), 1ms);
  EXPECT_GT(run.figures().statistics.release_latency().max(), 950ms);
  EXPECT_LE(run.figures().statistics.of(RequestKind::kRelease).from_send.max(), 1ms);
  EXPECT_GT(run.figures().statistics.slip().percentile(99), 800ms);
  EXPECT_EQ(run.figures().statistics.slip().count(), 2000u);
}

// ===== refusals =====

TEST(Runner, ARefusalEndsTheCallAndIsCountedByCauseAndPlace) {
  Rig run(even_plan(4));
  run.advance(40ms);
  run.refused(run.setups[0].request, Cause::kNoBandwidth, "switch-1 port 2", 41ms);
  run.refused(run.setups[1].request, Cause::kNoBandwidth, "switch-2 port 1", 41ms);
  run.refused(run.setups[2].request, Cause::kNoRoute, "", 41ms);
  run.busy(run.setups[3].request, 50ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 4, .refused = 3, .busy = 1}));
  EXPECT_EQ(run.figures().releases, ReleaseCounts{});
  EXPECT_THAT(run.figures().refusals.by_cause(),
              ElementsAre(Pair("no bandwidth", 2), Pair("no route", 1)));
  EXPECT_THAT(run.figures().refusals.by_place(),
              ElementsAre(Pair("no bandwidth at switch-1 port 2", 1),
                          Pair("no bandwidth at switch-2 port 1", 1), Pair("no route", 1)));
  // a quick refusal is no quick setup
  EXPECT_EQ(run.figures().statistics.setup_latency().count(), 0u);
  EXPECT_EQ(run.figures().statistics.of(RequestKind::kSetup).refusal.count(), 4u);
  EXPECT_EQ(run.figures().statistics.of(RequestKind::kSetup).refusal.max(), 31ms);
}

TEST(Runner, ThePlacesOfRefusalsAreBounded) {
  CauseCounts counts;
  const auto refuse = [&counts](Cause cause, int port) {
    counts.count(outcome_of(RequestId{1}, OutcomeKind::kRefused, cause,
                            "switch-1 port " + std::to_string(port)));
  };
  for (int port = 0; port < 1000; ++port) refuse(Cause::kNoLabel, port);
  refuse(Cause::kNoBandwidth, 1);
  refuse(Cause::kNoLabel, 0);
  EXPECT_THAT(counts.by_cause(), ElementsAre(Pair("no bandwidth", 1), Pair("no label", 1001)));
  EXPECT_EQ(counts.by_place().size(), CauseCounts::kMostPlaces + 2);
  EXPECT_EQ(counts.by_place().at("no label elsewhere"), 1000 - CauseCounts::kMostPlaces);
  EXPECT_EQ(counts.by_place().at("no label at switch-1 port 0"), 2u);
  EXPECT_EQ(counts.by_place().at("no bandwidth elsewhere"), 1u);
}

TEST(Runner, AReleaseThatIsRefusedOrBusyHasFailed) {
  Rig run(even_plan(2));
  run.advance(20ms);
  run.connected(run.setups[0].request, 1, 21ms);
  run.connected(run.setups[1].request, 2, 21ms);
  run.advance(46ms);
  run.refused(run.releases[0].request, Cause::kUnknownConnection, "", 47ms);
  run.busy(run.releases[1].request, 47ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().releases, (ReleaseCounts{.attempted = 2, .failed = 2}));
  EXPECT_THAT(run.figures().release_failures.by_cause(),
              ElementsAre(Pair("busy", 1), Pair("unknown connection", 1)));
  EXPECT_EQ(run.figures().statistics.release_latency().count(), 0u);
}

// ===== unexpected answers =====

TEST(Runner, ARepeatedOutcomeIsCountedAndChangesNothing) {
  Rig run(even_plan(2));
  run.advance(10ms);
  const RequestId setup = run.setups[0].request;
  run.connected(setup, 7, 11ms);
  run.connected(setup, 7, 12ms);  // while up
  run.advance(36ms);
  run.connected(setup, 7, 37ms);  // while releasing
  run.released(run.releases[0].request, 38ms);
  run.released(run.releases[0].request, 39ms);  // after the end
  run.connected(setup, 7, 39ms);
  EXPECT_EQ(run.figures().odd, (OddOutcomes{.repeated = 4}));
  EXPECT_EQ(run.figures().setups.connected, 1u);
  EXPECT_EQ(run.figures().releases.released, 1u);
  EXPECT_EQ(run.figures().statistics.setup_latency().count(), 1u);
}

TEST(Runner, AnotherAnswerThanTheFirstIsAContradiction) {
  Rig run(even_plan(1));
  run.advance(10ms);
  const RequestId setup = run.setups[0].request;
  run.connected(setup, 7, 11ms);
  run.connected(setup, 8, 12ms);
  run.refused(setup, Cause::kNoRoute, "", 12ms);
  EXPECT_EQ(run.figures().odd, (OddOutcomes{.contradicted = 2}));
  run.advance(36ms);
  EXPECT_EQ(run.releases.at(0).connection, ConnectionId{7});
}

TEST(Runner, AnAnswerOfTheWrongKindIsAContradictionAndTheRequestStaysOpen) {
  Rig run(even_plan(1));
  run.advance(10ms);
  run.released(run.setups[0].request, 11ms);
  EXPECT_EQ(run.runner.open_calls(), 1u);
  run.connected(run.setups[0].request, 7, 12ms);
  run.advance(37ms);
  run.connected(run.releases[0].request, 7, 38ms);
  EXPECT_EQ(run.figures().odd, (OddOutcomes{.contradicted = 2}));
  run.released(run.releases[0].request, 39ms);
  EXPECT_TRUE(run.runner.finished());
}

TEST(Runner, CountsWhatIsToldOfCallsThatAreUp) {
  Rig run(even_plan(2));
  run.notice({ConnectionId{1}, NoticeKind::kBroken}, 10ms);
  run.notice({ConnectionId{2}, NoticeKind::kRerouted}, 12ms);
  run.notice({ConnectionId{1}, NoticeKind::kMended}, 17ms);
  run.notice({ConnectionId{2}, NoticeKind::kIncomplete, Cause::kIncomplete, "switch-2"}, 18ms);
  EXPECT_EQ(run.figures().notices,
            (NoticeCounts{.broken = 1, .rerouted = 1, .mended = 1, .incomplete = 1, .span = 8ms}));
}

TEST(Runner, AnOutcomeOfARequestNeverSentIsUnknown) {
  RunPlan plan = even_plan(2);
  plan.first_request = RequestId{100};
  Rig run(plan);
  run.connected(RequestId{100}, 1, 5ms);  // planned, not yet sent
  run.advance(10ms);
  run.released(RequestId{101}, 11ms);      // its release: not yet sent
  run.connected(RequestId{99}, 1, 11ms);   // below this run's numbers
  run.connected(RequestId{102}, 1, 11ms);  // the second call: not yet sent
  run.connected(RequestId{99'999}, 1, 11ms);
  EXPECT_EQ(run.figures().odd, (OddOutcomes{.unknown = 5}));
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 1}));
}

// ===== no answer ================================================================================

TEST(Runner, WhatIsNotAnsweredWithinTheDrainTimeoutIsUnanswered) {
  Rig run(even_plan(2));
  run.advance(20ms);
  run.connected(run.setups[0].request, 1, 21ms);
  run.advance(46ms);  // the release of the first call: the last planned event
  EXPECT_EQ(run.runner.next_deadline(), at(46ms + 10s));
  run.advance(46ms + 9'999ms);
  EXPECT_FALSE(run.runner.finished());
  run.advance(46ms + 10s);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 2, .connected = 1, .unanswered = 1}));
  EXPECT_EQ(run.figures().releases, (ReleaseCounts{.attempted = 1, .unanswered = 1}));
  EXPECT_EQ(run.figures().duration, 46ms + 10s);
}

TEST(Runner, AnAnswerDuringTheDrainIsStillAnAnswerAndItsCallIsReleased) {
  Rig run(even_plan(1));
  run.advance(10ms);
  run.connected(run.setups[0].request, 1, 9s);
  EXPECT_EQ(run.runner.next_deadline(), at(9s + 25ms));
  run.advance(9s + 25ms);
  EXPECT_EQ(run.runner.next_deadline(),
            at(19s + 25ms));  // the drain counts from the new last event
  run.released(run.releases.at(0).request, 10s);
  EXPECT_TRUE(run.runner.finished());
}

TEST(Runner, AnOutcomeAfterTheDrainTimeoutIsLateAndChangesNoCount) {
  Rig run(even_plan(2));
  run.advance(20ms);
  run.connected(run.setups[0].request, 1, 21ms);
  run.advance(46ms);
  run.advance(11s);
  ASSERT_TRUE(run.runner.finished());
  run.released(run.releases[0].request, 12s);
  run.connected(run.setups[1].request, 2, 12s);
  run.connected(run.setups[0].request, 1, 12s);  // was answered in time; this is a repeat
  EXPECT_EQ(run.figures().odd, (OddOutcomes{.repeated = 1, .late = 2}));
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 2, .connected = 1, .unanswered = 1}));
  EXPECT_EQ(run.figures().releases, (ReleaseCounts{.attempted = 1, .unanswered = 1}));
  EXPECT_EQ(run.figures().calls_up, 1u);
  EXPECT_THAT(run.advance(13s), IsEmpty());
}

TEST(Runner, AGeneratorThatWakesLateStillWaitsForItsAnswers) {
  // The generator sleeps until long after the last planned event: its
  // requests were sent only just now.
  Rig run(even_plan(2));
  run.advance(60s);
  EXPECT_FALSE(run.runner.finished());
  EXPECT_EQ(run.runner.next_deadline(), at(70s));
}

TEST(Runner, WithoutDrainTimeoutTheRunEndsWithItsLastRequest) {
  RunPlan plan = even_plan(1);
  plan.drain_timeout = 0s;
  Rig run(plan);
  EXPECT_THAT(run.advance(10ms), SizeIs(1));
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().setups.unanswered, 1u);
}

TEST(Runner, ALostTargetEndsTheRunAndEveryOpenCallIsUnanswered) {
  Rig run(even_plan(10));
  run.advance(30ms);
  run.connected(run.setups[0].request, 1, 30ms);  // will be releasing
  run.connected(run.setups[1].request, 2, 31ms);  // will be up
  run.advance(55ms);                              // releases the first, sends 40 and 50
  ASSERT_THAT(run.releases, SizeIs(1));
  run.runner.target_lost(at(56ms));
  EXPECT_TRUE(run.runner.finished());
  EXPECT_TRUE(run.figures().target_lost);
  EXPECT_EQ(run.figures().planned_calls, 10u);
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 5, .connected = 2, .unanswered = 3}));
  // A call that was connected but could not be released counts too.
  EXPECT_EQ(run.figures().releases, (ReleaseCounts{.attempted = 2, .unanswered = 2}));
  EXPECT_THAT(run.advance(1s), IsEmpty());
  EXPECT_EQ(run.runner.next_deadline(), kNever);

  run.connected(run.setups[1].request, 2, 2s);                     // a repeat
  run.connected(run.setups[2].request, 3, 2s);                     // late
  run.released(RequestId{run.setups[1].request.value() + 1}, 2s);  // never sent
  EXPECT_EQ(run.figures().odd, (OddOutcomes{.repeated = 1, .late = 1, .unknown = 1}));
}

TEST(Runner, LosingTheTargetAfterTheEndChangesNothing) {
  Rig run(even_plan(1));
  StallingTarget{}.serve(run);
  run.runner.target_lost(at(5s));
  EXPECT_FALSE(run.figures().target_lost);
}

TEST(Runner, CallsBeyondTheBoundOnOpenOnesAreShedAndSaidToBe) {
  RunPlan plan = even_plan(5);
  plan.max_open_calls = 2;
  Rig run(plan);
  run.advance(30ms);
  ASSERT_THAT(run.setups, SizeIs(2));
  EXPECT_EQ(run.figures().shed, 1u);
  run.refused(run.setups[0].request, Cause::kNoRoute, "", 31ms);
  run.advance(50ms);  // room for one of the two calls
  ASSERT_THAT(run.setups, SizeIs(3));
  EXPECT_EQ(run.figures().shed, 2u);
  run.refused(run.setups[1].request, Cause::kNoRoute, "", 51ms);
  run.refused(run.setups[2].request, Cause::kNoRoute, "", 51ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 5, .refused = 3, .unanswered = 2}));
}

TEST(Runner, TheBooksAddUpWhateverComesBack) {
  // Random answers: every request gets success or failure, twice or never, at any delay.
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    RandomBits dice(seed);
    RunPlan plan;
    plan.calls = 300;
    plan.seed = seed;
    plan.hold_distribution = HoldDistribution::kExponential;
    plan.max_batch = 1 + below(dice, 8);
    Rig run(plan);
    std::vector<Outcome> owed;
    Duration now{};
    while (!run.runner.finished()) {
      now += Duration{std::chrono::microseconds{below(dice, 20'000)}};
      for (const RequestBatch& batch : run.advance(now)) {
        for (const auto& request : batch.connects) {
          owed.push_back(outcome_of(request.request, OutcomeKind::kConnected));
          owed.back().connection = ConnectionId{request.request.value()};
          if (below(dice, 4) == 0)
            owed.back() = outcome_of(request.request, OutcomeKind::kRefused, Cause::kNoLabel);
        }
        for (const auto& request : batch.releases) {
          const bool busy = below(dice, 9) == 0;
          owed.push_back(
              outcome_of(request.request, busy ? OutcomeKind::kBusy : OutcomeKind::kReleased));
        }
      }
      while (!owed.empty() && below(dice, 3) != 0) {
        const std::size_t which = below(dice, owed.size());
        if (below(dice, 50) != 0) run.answer(owed[which], now);
        if (below(dice, 10) != 0) owed.erase(owed.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    const RunFigures& figures = run.figures();
    EXPECT_EQ(figures.setups.attempted, plan.calls);
    EXPECT_TRUE(figures.setups.adds_up());
    EXPECT_TRUE(figures.releases.adds_up());
    EXPECT_EQ(figures.releases.attempted, figures.setups.connected);
    EXPECT_EQ(figures.statistics.setup_latency().count(), figures.setups.connected);
    EXPECT_EQ(figures.statistics.release_latency().count(), figures.releases.released);
    EXPECT_EQ(figures.calls_up, figures.releases.unanswered);
    EXPECT_EQ(run.runner.open_calls(), 0u);
    EXPECT_EQ(figures.odd.contradicted, 0u);
  }
}

// ===== progress =================================================================================

TEST(Runner, ProgressCountsFromTheStart) {
  Rig run(even_plan(100));
  for (int i = 1; i <= 50; ++i) run.advance(i * 10ms);
  run.connected(run.setups[0].request, 1, 500ms);
  run.refused(run.setups[1].request, Cause::kNoRoute, "", 500ms);
  run.busy(run.setups[2].request, 500ms);
  const Progress progress = run.runner.progress(at(500ms));
  EXPECT_EQ(progress.elapsed, 500ms);
  EXPECT_DOUBLE_EQ(progress.offered_per_s, 100);
  EXPECT_EQ(progress.connected, 1u);
  EXPECT_EQ(progress.refused, 1u);
  EXPECT_EQ(progress.busy, 1u);
  EXPECT_EQ(progress.up, 1u);
  EXPECT_EQ(progress.setup_p50, 490ms);
}

TEST(Runner, TheOfferedRateDoesNotFadeDuringTheDrain) {
  Rig run(even_plan(10));
  run.advance(100ms);
  EXPECT_DOUBLE_EQ(run.runner.progress(at(5s)).offered_per_s, 100);
}

TEST(Runner, BeforeAnythingHappensProgressIsZero) {
  const Progress progress = Rig(even_plan(1)).runner.progress(kStart);
  EXPECT_EQ(progress.offered_per_s, 0);
  EXPECT_EQ(progress.setup_p99, 0ms);
}

TEST(RunnerDeathTest, StartingTwiceIsOurOwnBug) {
  Rig run(even_plan(1));
  EXPECT_DEATH(run.runner.start(kStart), "started_");
}

}  // namespace
}  // namespace xbind::callgen
