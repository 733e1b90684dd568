// Scenarios with more than setup and release: changes, leaves, holds, priorities.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "callgen/run/runner.hpp"
#include "tests/unit/callgen/runner_rig.hpp"

namespace xbind::callgen {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// ===== modify ===================================================================================

TEST(RunnerModify, AsksForAnotherContractHalfway) {
  Rig run(plan_of(Scenario::kModify));
  run.connect_first();
  EXPECT_EQ(run.runner.next_deadline(), at(42ms));
  EXPECT_THAT(run.advance(41ms).modifies, IsEmpty());

  // callgen --> manager: modify, 30 ms after it was connected
  const RequestBatch change = run.advance(42ms);
  ASSERT_THAT(change.modifies, SizeIs(1));
  EXPECT_EQ(change.modifies[0].connection, ConnectionId{7});
  EXPECT_EQ(change.modifies[0].service.cells_per_s, 706u);
  EXPECT_FALSE(change.modifies[0].reverse);
  run.answer(change.modifies[0].request, OutcomeKind::kModified, 45ms);

  // The release follows when the call has lasted 60 ms.
  EXPECT_EQ(run.runner.next_deadline(), at(72ms));
  const RequestBatch end = run.advance(72ms);
  ASSERT_THAT(end.releases, SizeIs(1));
  run.answer(end.releases[0].request, OutcomeKind::kReleased, 73ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_THAT(run.records.reported, ElementsAre("setup done", "modify done", "release done"));
  EXPECT_EQ(run.records.all[1].planned, 42ms);
  EXPECT_EQ(run.records.all[1].answered, 45ms);
  EXPECT_EQ(run.of(RequestKind::kModify), (RequestCounts{.attempted = 1, .done = 1}));
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 1, .connected = 1}));
}

TEST(RunnerModify, InBothDirectionsAsksForBoth) {
  RunPlan plan = plan_of(Scenario::kModify);
  plan.both_ways = true;
  Rig run(plan);
  run.connect_first();
  EXPECT_EQ(run.advance(42ms).modifies.at(0).reverse, plan.modified_service);
}

TEST(RunnerModify, ARefusedOneLeavesTheCallAsItWas) {
  Rig run(plan_of(Scenario::kModify, 2));
  run.connect_first();
  const RequestBatch second = run.advance(20ms);
  run.answer(second.connects.at(0).request, OutcomeKind::kConnected, 22ms, 8);
  const RequestBatch changes = run.advance(52ms);
  ASSERT_THAT(changes.modifies, SizeIs(2));
  run.answer(changes.modifies[0].request, OutcomeKind::kRefused, 53ms, 7, Cause::kNoBandwidth);
  run.answer(changes.modifies[1].request, OutcomeKind::kBusy, 53ms, 8, Cause::kBusy);
  EXPECT_EQ(run.figures().calls_up, 2u);
  for (const auto& release : run.advance(82ms).releases)
    run.answer(release.request, OutcomeKind::kReleased, 83ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.of(RequestKind::kModify), (RequestCounts{.attempted = 2, .refused = 1, .busy = 1}));
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 2, .connected = 2}));
  EXPECT_EQ(run.figures().releases, (ReleaseCounts{.attempted = 2, .released = 2}));
  EXPECT_EQ(run.figures().change_refusals.by_cause().at("no bandwidth"), 1u);
  EXPECT_THAT(run.figures().refusals.by_cause(), IsEmpty());
}

TEST(RunnerModify, TheReleaseWaitsForALateAnswerAndCountsFromIt) {
  Rig run(plan_of(Scenario::kModify));
  run.connect_first();
  const RequestBatch change = run.advance(42ms);
  EXPECT_THAT(run.advance(90ms).releases, IsEmpty());  // its end was at 72 ms
  run.answer(change.modifies.at(0).request, OutcomeKind::kModified, 100ms);
  EXPECT_EQ(run.runner.next_deadline(), at(100ms));
  const RequestBatch end = run.advance(101ms);
  run.answer(end.releases.at(0).request, OutcomeKind::kReleased, 104ms);
  EXPECT_EQ(run.records.all.back().planned, 100ms);
  EXPECT_EQ(run.records.all.back().answered, 104ms);
}

TEST(RunnerModify, AnAnswerThatIsLostTakesTheReleaseWithIt) {
  Rig run(plan_of(Scenario::kModify));
  run.connect_first();
  run.advance(42ms);
  EXPECT_EQ(run.runner.next_deadline(), at(10s + 42ms));
  run.advance(10s + 42ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_THAT(run.records.reported,
              ElementsAre("setup done", "modify unanswered", "release unanswered"));
  EXPECT_EQ(run.of(RequestKind::kModify), (RequestCounts{.attempted = 1, .unanswered = 1}));
  EXPECT_EQ(run.figures().releases, (ReleaseCounts{.attempted = 1, .unanswered = 1}));
  EXPECT_EQ(run.records.all.back().sent, RequestRecord::kNever);
  EXPECT_EQ(run.records.all.back().planned, 72ms);
}

TEST(RunnerModify, OddAnswersAreDistinguished) {
  Rig run(plan_of(Scenario::kModify));
  run.connect_first();
  const RequestId setup{1};
  const RequestId modify{2};
  run.answer(modify, OutcomeKind::kModified, 20ms);  // not yet sent
  run.advance(42ms);
  run.answer(modify, OutcomeKind::kReleased, 43ms);  // not an outcome of a modify
  run.answer(modify, OutcomeKind::kModified, 44ms);
  run.answer(modify, OutcomeKind::kModified, 45ms);           // repeated
  run.answer(modify, OutcomeKind::kRefused, 45ms);            // contradicts the first
  run.answer(setup, OutcomeKind::kConnected, 45ms);           // repeated
  run.answer(RequestId{3}, OutcomeKind::kLeafDropped, 45ms);  // the call has no such request
  EXPECT_EQ(run.figures().odd, (OddOutcomes{.repeated = 2, .contradicted = 2, .unknown = 2}));
}

// ===== leaves ===================================================================================

TEST(RunnerLeaf, IsAThirdEndpointForTheMiddleOfTheCall) {
  Rig run(plan_of(Scenario::kLeaf));
  run.connect_first();
  const RequestBatch add = run.advance(32ms);
  ASSERT_THAT(add.leaves, SizeIs(1));
  EXPECT_EQ(add.leaves[0].end, "host-3");
  EXPECT_FALSE(add.leaves[0].drop);
  EXPECT_EQ(add.leaves[0].connection, ConnectionId{7});
  run.answer(add.leaves[0].request, OutcomeKind::kLeafAdded, 35ms);

  EXPECT_EQ(run.runner.next_deadline(), at(52ms));
  const RequestBatch drop = run.advance(52ms);
  ASSERT_THAT(drop.leaves, SizeIs(1));
  EXPECT_EQ(drop.leaves[0].end, "host-3");
  EXPECT_TRUE(drop.leaves[0].drop);
  EXPECT_NE(drop.leaves[0].request, add.leaves[0].request);
  run.answer(drop.leaves[0].request, OutcomeKind::kLeafDropped, 53ms);

  EXPECT_EQ(run.runner.next_deadline(), at(72ms));
  const RequestBatch end = run.advance(72ms);
  run.answer(end.releases.at(0).request, OutcomeKind::kReleased, 73ms);
  EXPECT_THAT(run.records.reported,
              ElementsAre("setup done", "add-leaf done", "drop-leaf done", "release done"));
}

TEST(RunnerLeaf, OneThatIsRefusedIsNotDropped) {
  Rig run(plan_of(Scenario::kLeaf));
  run.connect_first();
  run.answer(run.advance(32ms).leaves.at(0).request, OutcomeKind::kRefused, 33ms, 7,
             Cause::kNoBandwidth);
  EXPECT_EQ(run.runner.next_deadline(), at(72ms));
  run.answer(run.advance(72ms).releases.at(0).request, OutcomeKind::kReleased, 73ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.of(RequestKind::kAddLeaf), (RequestCounts{.attempted = 1, .refused = 1}));
  EXPECT_EQ(run.of(RequestKind::kDropLeaf), RequestCounts{});
}

TEST(RunnerLeafDeathTest, WithoutAThirdEndpointIsOurOwnBug) {
  EXPECT_DEATH(Runner(plan_of(Scenario::kLeaf), Workload::uniform({"a", "b"}, 1).value()),
               "has_leaves");
}

// ===== holds ====================================================================================

TEST(RunnerHold, IsReservedFirstAndConnectedByItsCommit) {
  RunPlan plan = plan_of(Scenario::kHold);
  plan.hold_ms = 5000;
  Rig run(plan);
  const RequestBatch sent = run.advance(10ms);
  ASSERT_THAT(sent.connects, SizeIs(1));
  EXPECT_EQ(sent.connects[0].hold_ms, 5000u);
  run.answer(sent.connects[0].request, OutcomeKind::kHeld, 12ms);
  EXPECT_EQ(run.figures().setups, SetupCounts{.attempted = 1});  // not yet connected
  EXPECT_EQ(run.figures().calls_up, 0u);

  // half a holding time later
  EXPECT_EQ(run.runner.next_deadline(), at(42ms));
  const RequestBatch commit = run.advance(42ms);
  ASSERT_THAT(commit.commits, SizeIs(1));
  EXPECT_EQ(commit.commits[0].connection, ConnectionId{7});
  run.answer(commit.commits[0].request, OutcomeKind::kConnected, 44ms);
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 1, .connected = 1}));

  EXPECT_EQ(run.runner.next_deadline(), at(104ms));
  run.answer(run.advance(104ms).releases.at(0).request, OutcomeKind::kReleased, 105ms);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_THAT(run.records.reported, ElementsAre("hold done", "commit done", "release done"));
  EXPECT_EQ(run.of(RequestKind::kSetup), RequestCounts{});
  EXPECT_EQ(run.of(RequestKind::kHold), (RequestCounts{.attempted = 1, .done = 1}));
  EXPECT_EQ(run.of(RequestKind::kCommit), (RequestCounts{.attempted = 1, .done = 1}));
}

TEST(RunnerHold, IsCommittedBeforeHalfOfItHasRunOut) {
  RunPlan plan = plan_of(Scenario::kHold);
  plan.hold_mean = 1h;
  plan.hold_ms = 100;
  Rig run(plan);
  run.answer(run.advance(10ms).connects.at(0).request, OutcomeKind::kHeld, 12ms);
  EXPECT_EQ(run.runner.next_deadline(), at(62ms));
}

TEST(RunnerHold, ARefusalOfTheHoldOrOfTheCommitIsOneOfTheCall) {
  Rig run(plan_of(Scenario::kHold, 3));
  const RequestBatch sent = run.advance(30ms);
  ASSERT_THAT(sent.connects, SizeIs(3));
  run.answer(sent.connects[0].request, OutcomeKind::kRefused, 31ms, 0, Cause::kNoRoute);
  run.answer(sent.connects[1].request, OutcomeKind::kHeld, 31ms, 8);
  run.answer(sent.connects[2].request, OutcomeKind::kHeld, 31ms, 9);
  const RequestBatch commits = run.advance(61ms);
  ASSERT_THAT(commits.commits, SizeIs(2));
  run.answer(commits.commits[0].request, OutcomeKind::kRefused, 62ms, 8, Cause::kNoBandwidth);
  run.answer(commits.commits[1].request, OutcomeKind::kBusy, 62ms, 9, Cause::kBusy);
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 3, .refused = 2, .busy = 1}));
  EXPECT_EQ(run.figures().releases, ReleaseCounts{});
  EXPECT_EQ(run.of(RequestKind::kHold), (RequestCounts{.attempted = 3, .done = 2, .refused = 1}));
  EXPECT_EQ(run.of(RequestKind::kCommit), (RequestCounts{.attempted = 2, .refused = 1, .busy = 1}));
}

TEST(RunnerHold, ACommitOfAnotherConnectionIsAContradiction) {
  Rig run(plan_of(Scenario::kHold));
  run.answer(run.advance(10ms).connects.at(0).request, OutcomeKind::kHeld, 12ms, 7);
  const RequestId commit = run.advance(42ms).commits.at(0).request;
  run.answer(commit, OutcomeKind::kConnected, 43ms, 8);
  EXPECT_EQ(run.figures().odd, OddOutcomes{.contradicted = 1});
  run.answer(commit, OutcomeKind::kConnected, 44ms, 7);
  EXPECT_EQ(run.figures().setups.connected, 1u);
}

TEST(RunnerHold, WhatIsHeldWhenTheManagerIsLostIsACommitUnanswered) {
  Rig run(plan_of(Scenario::kHold));
  run.answer(run.advance(10ms).connects.at(0).request, OutcomeKind::kHeld, 12ms);
  run.runner.target_lost(at(20ms));
  EXPECT_TRUE(run.runner.finished());
  EXPECT_EQ(run.figures().setups, (SetupCounts{.attempted = 1, .unanswered = 1}));
  EXPECT_THAT(run.records.reported, ElementsAre("hold done", "commit unanswered"));
  EXPECT_EQ(run.records.all.back().sent, RequestRecord::kNever);
}

// ===== the plan depends on the seed alone =====

TEST(RunnerMix, WhatACallIsDependsOnTheSeedAloneAndMovesNothingElse) {
  RunPlan plan = plan_of(Scenario::kSetup, 2000);
  const auto play = [](const RunPlan& of) {
    Rig run(of);
    return run.advance(30s).connects;
  };
  const auto plain = play(plan);
  plan.mix = {{50, 20, 20, 10}};
  plan.priorities = parse_priorities({"0=1", "7=3"}).value();
  const auto mixed = play(plan);
  ASSERT_THAT(mixed, SizeIs(2000));
  int holds = 0;
  int high = 0;
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    EXPECT_EQ(mixed[i].from, plain[i].from);
    if (mixed[i].hold_ms > 0) ++holds;
    EXPECT_TRUE(mixed[i].priority == 0 || mixed[i].priority == 7);
    if (mixed[i].priority == 7) ++high;
  }
  EXPECT_NEAR(holds, 200, 4 * 13.4);
  EXPECT_NEAR(high, 1500, 4 * 19.4);
  const auto again = play(plan);
  for (std::size_t i = 0; i < mixed.size(); ++i) EXPECT_EQ(again[i], mixed[i]);
  plan.seed = 2;
  EXPECT_NE(play(plan), mixed);
}

// Answers every request with success or failure, twice or never, at any delay. The
// clock is sometimes set back.
TEST(RunnerMix, TheBooksAddUpWhateverComesBack) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomBits dice(seed);
    RunPlan plan;
    plan.calls = 300;
    plan.seed = seed;
    plan.hold_distribution = HoldDistribution::kExponential;
    plan.max_batch = 1 + below(dice, 8);
    plan.mix = {{3, 2, 2, 2}};
    plan.max_open_calls = below(dice, 3) == 0 ? 10 : 1000;
    Rig run(plan);
    std::vector<Outcome> owed;
    std::uint64_t sent = 0;
    const auto owe = [&](RequestId request, OutcomeKind done) {
      ++sent;
      Outcome outcome;
      outcome.request = request;
      outcome.kind = done;
      outcome.connection = ConnectionId{1 + (request.value() - 1) / 4};
      const auto luck = below(dice, 9);
      if (luck == 0) outcome.kind = OutcomeKind::kRefused;
      if (luck == 1) outcome.kind = OutcomeKind::kBusy;
      owed.push_back(outcome);
    };
    Duration now{};
    while (!run.runner.finished()) {
      now += std::chrono::microseconds{below(dice, 20'000)};
      const bool set_back = below(dice, 10) == 0;
      const RequestBatch batch = run.advance(set_back ? now - 3s : now);
      for (const auto& one : batch.connects)
        owe(one.request, one.hold_ms > 0 ? OutcomeKind::kHeld : OutcomeKind::kConnected);
      for (const auto& one : batch.releases) owe(one.request, OutcomeKind::kReleased);
      for (const auto& one : batch.modifies) owe(one.request, OutcomeKind::kModified);
      for (const auto& one : batch.commits) owe(one.request, OutcomeKind::kConnected);
      for (const auto& one : batch.leaves)
        owe(one.request, one.drop ? OutcomeKind::kLeafDropped : OutcomeKind::kLeafAdded);
      while (!owed.empty() && below(dice, 3) != 0) {
        const std::size_t which = below(dice, owed.size());
        if (below(dice, 50) != 0)
          run.runner.outcome(owed[which], at(below(dice, 10) == 0 ? now - 1s : now));
        if (below(dice, 10) != 0) owed.erase(owed.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    const RunFigures& figures = run.figures();
    EXPECT_EQ(figures.setups.attempted, plan.calls);
    EXPECT_TRUE(figures.setups.adds_up());
    EXPECT_TRUE(figures.releases.adds_up());
    EXPECT_EQ(figures.releases.attempted, figures.setups.connected);
    std::uint64_t attempted = 0;
    std::vector<RequestCounts> counted(kRequestKinds);
    for (const RequestRecord& record : run.records.all) {
      RequestCounts& counts = counted[static_cast<std::size_t>(record.kind)];
      ++counts.attempted;
      switch (record.ended) {
        case Ended::kDone: ++counts.done; break;
        case Ended::kRefused: ++counts.refused; break;
        case Ended::kBusy: ++counts.busy; break;
        case Ended::kUnanswered:
        case Ended::kShed: ++counts.unanswered; break;
      }
      if (record.sent != RequestRecord::kNever) {
        ++attempted;
        EXPECT_GE(record.sent, record.planned);
        if (record.answered != RequestRecord::kNever) {
          EXPECT_GE(record.answered, record.sent);
        }
      }
    }
    EXPECT_EQ(attempted, sent);  // a record for every request sent
    for (std::size_t kind = 0; kind < kRequestKinds; ++kind) {
      EXPECT_TRUE(figures.requests[kind].adds_up()) << kind;
      EXPECT_EQ(counted[kind], figures.requests[kind]) << kind;
    }
    EXPECT_EQ(figures.of(RequestKind::kSetup).done + figures.of(RequestKind::kCommit).done,
              figures.setups.connected);
    EXPECT_EQ(figures.of(RequestKind::kSetup).attempted + figures.of(RequestKind::kHold).attempted,
              figures.setups.attempted);
    EXPECT_EQ(figures.of(RequestKind::kRelease).done, figures.releases.released);
    EXPECT_EQ(figures.calls_up, figures.releases.unanswered);
    EXPECT_EQ(figures.odd.contradicted, 0u);
    EXPECT_EQ(run.runner.open_calls(), 0u);
  }
}

}  // namespace
}  // namespace xbind::callgen
