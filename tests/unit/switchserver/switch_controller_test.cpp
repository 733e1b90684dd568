#include "switchserver/switch_controller.hpp"

#include <algorithm>

#include "controller_fixture.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using enum HopAction;

// ===== one batch in, one batch of results out =====

TEST_F(SwitchControllerTest, ACommitIsProgrammedThenAnswered) {
  const HopSetup setup = middle(7, 40, cache_one());
  // a --> sw: commit(3 0/40 -> 4 0/32)
  apply({{setup}, {}, {}}, 11);
  // sw --> switch: add, in one write; no result to the manager yet
  EXPECT_EQ(fake.flushes, 1);
  EXPECT_TRUE(no_results());
  // switch --> sw: done;  sw --> a: committed
  answer();
  EXPECT_THAT(result(11).results, ElementsAre(done(setup.key, kCommit)));
  EXPECT_THAT(fake.table, ElementsAre(cross(setup)));
}

TEST_F(SwitchControllerTest, ResultsComeInTheOrderOfTheCommandsWhateverTheSwitchAnswersFirst) {
  const HopSetup one = middle(1, 40, cache_one());
  const HopSetup two = middle(2, 41, cache_one());
  apply({{one, two}, {}, {}});
  EXPECT_EQ(fake.flushes, 1) << "many requests, one write";
  answer(1);
  EXPECT_TRUE(no_results()) << "the first is still missing";
  answer(0);
  EXPECT_THAT(result().results, ElementsAre(done(one.key, kCommit), done(two.key, kCommit)));
}

TEST_F(SwitchControllerTest, BatchesAreCompletedIndependently) {
  apply({{middle(1, 40, cache_one())}, {}, {}}, 1);
  apply({{middle(2, 41, cache_one())}, {}, {}}, 2);
  answer(1);
  EXPECT_EQ(result(2).results.at(0).key.connection, ConnectionId{2});
  answer(0);
  EXPECT_EQ(result(1).results.at(0).key.connection, ConnectionId{1});
}

TEST_F(SwitchControllerTest, ABatchWithoutCommandsIsAnsweredAtOnce) {
  const Label label = cache_one();
  apply({{}, {}, {{kOut, {label}}}}, 5);
  EXPECT_EQ(result(5), HopResultBatch{});
  EXPECT_EQ(holder(label), LabelHolder::kFree);
  EXPECT_EQ(fake.flushes, 0);
}

TEST_F(SwitchControllerTest, TheEndsOfThePathAreToldTheirLabels) {
  const HopResult end = run({{whole_path(1)}, {}, {}}).results.at(0);
  EXPECT_EQ(end.input_label, atm_label(0, 32));
  EXPECT_EQ(end.output_label, atm_label(0, 32));
  const HopResult inner = run({{middle(2, 40, cache_one())}, {}, {}}).results.at(0);
  EXPECT_EQ(inner.input_label, Label{}) << "the manager knows";
  EXPECT_EQ(inner.output_label, Label{});
}

TEST_F(SwitchControllerTest, RemovalsAreAppliedAfterTheSetupsTheyName) {
  const HopSetup old_hop = committed(1, 40);
  HopSetup newer = middle(2, 41, cache_one());
  // remove(1), commit(2), remove(2), remove(1)
  apply({{newer}, {{old_hop.key, 0}, {newer.key, 1}, {old_hop.key, 99}}, {}});
  answer_all();
  EXPECT_THAT(result().results,
              ElementsAre(removed(old_hop.key, old_hop.output_label), done(newer.key, kCommit),
                          removed(newer.key, newer.output_label),
                          removed(old_hop.key, old_hop.output_label)));
  EXPECT_THAT(fake.table, IsEmpty());
}

TEST_F(SwitchControllerTest, AStrangerMayNotApply) {
  EXPECT_EQ(controller.apply("nobody", {}, 1, now).error().code, ErrorCode::kNotFound);
  controller.detach("a");
  EXPECT_EQ(controller.apply("a", {}, 1, now).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(no_results());
}

TEST_F(SwitchControllerTest, SetupsOfTooManyOpenBatchesAreBusyAndRemovalsAreCarriedOut) {
  SwitchController small({.name = "sw", .open_batches_max = 1}, fake);
  small.on_driver(driver::Up{ports(), false}, now);
  ASSERT_TRUE(small.attach("a", Epoch{1}).has_value());
  ASSERT_TRUE(small.apply("a", {{whole_path(1)}, {}, {}}, 1, now).has_value());
  ASSERT_TRUE(
      small.apply("a", {{whole_path(2)}, {{whole_path(9).key, 1}}, {}}, 2, now).has_value());
  const auto outputs = small.take_outputs();
  ASSERT_THAT(outputs.results, SizeIs(1));
  EXPECT_THAT(outputs.results[0].batch.results,
              ElementsAre(refused(whole_path(2).key, kCommit, Cause::kBusy, 2),
                          done(whole_path(9).key, kRemove)));
  fake.answers.clear();
}

// ===== refusals =====

TEST_F(SwitchControllerTest, ARefusalOfTheLedgerNeverReachesTheSwitch) {
  HopSetup setup = middle(1, 40, cache_one());
  setup.demand = {5000, 0};
  apply({{setup}, {}, {}});
  HopResult expected = refused(setup.key, kCommit, Cause::kNoBandwidth, 5000);
  expected.port = kOut;
  expected.free = 1000;
  EXPECT_THAT(result().results, ElementsAre(expected));
  EXPECT_EQ(fake.adds, 0);
  EXPECT_EQ(controller.counters().refusals[static_cast<std::size_t>(Cause::kNoBandwidth)], 1U);
}

TEST_F(SwitchControllerTest, WhatTheSwitchRefusesIsUndone) {
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{18}; };
  const HopSetup setup = middle(1, 40, cache_one());
  EXPECT_THAT(run({{setup}, {}, {}}).results,
              ElementsAre(refused(setup.key, kCommit, Cause::kSwitchRefused, 18)));
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kCached) << "nothing was programmed";
  EXPECT_EQ(controller.ledger().usage(kOut)->taken, Resources{});
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
}

TEST_F(SwitchControllerTest, WhatTheSwitchRefusesAfterALapseRestsInQuarantine) {
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{18}; };
  const HopSetup setup = middle(1, 40, cache_one());
  apply({{setup}, {}, {}});
  ASSERT_TRUE(controller.attach("a", Epoch{2}).has_value());
  answer();
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kQuarantine);
  const SwitchController::Outputs outputs = controller.take_outputs();
  EXPECT_TRUE(outputs.results.empty()) << "its session is over";
  ASSERT_THAT(outputs.unasked, SizeIs(1));
  EXPECT_EQ(outputs.unasked[0].result, removed(setup.key, setup.output_label));
}

TEST_F(SwitchControllerTest, ACommitThatTimedOutIsCleanedAway) {
  const HopSetup setup = middle(1, 40, cache_one());
  apply({{setup}, {}, {}});
  answer_with(Cause::kTimeout);
  EXPECT_THAT(result().results, ElementsAre(refused(setup.key, kCommit, Cause::kTimeout)));
  EXPECT_THAT(fake.table, IsEmpty()) << "the delete followed at once";
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kConnection);
  answer_all();
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kQuarantine) << "it may have been there";
  EXPECT_EQ(controller.counters().cleaned, 1U);
}

// ===== two phases =====

TEST_F(SwitchControllerTest, AReserveIsAnsweredWithoutTheSwitch) {
  HopSetup setup = reserve(middle(1, 0, {}));
  apply({{setup}, {}, {}});
  HopResult held = done(setup.key, kReserve);
  held.output_label = atm_label(0, 32);
  EXPECT_THAT(result().results, ElementsAre(held));
  EXPECT_EQ(fake.adds, 0);

  setup = middle(1, 40, atm_label(0, 32));
  EXPECT_THAT(run({{setup}, {}, {}}).results, ElementsAre(done(setup.key, kCommit)));
  EXPECT_EQ(controller.counters().reserves, 1U);
}

TEST_F(SwitchControllerTest, AReservationIsRemovedWithoutTheSwitch) {
  const HopSetup setup = reserve(middle(1, 0, {}));
  apply({{setup}, {{setup.key, 1}}, {}});
  EXPECT_THAT(result().results, SizeIs(2));
  EXPECT_EQ(fake.removes, 0);
  EXPECT_EQ(holder(atm_label(0, 32)), LabelHolder::kQuarantine);
}

// ===== repeats =====

TEST_F(SwitchControllerTest, ARepeatedCommitIsAnsweredAsBeforeAndProgrammedOnce) {
  const HopSetup setup = whole_path(1);
  apply({{setup}, {}, {}}, 1);
  apply({{setup}, {}, {}}, 2);  // the first is still in flight
  EXPECT_TRUE(no_results());
  answer_all();
  auto outputs = controller.take_outputs();
  ASSERT_THAT(outputs.results, SizeIs(2));
  EXPECT_EQ(outputs.results[0].batch.results, outputs.results[1].batch.results);
  const HopResult again = run({{setup}, {}, {}}).results.at(0);
  EXPECT_EQ(again, outputs.results[0].batch.results.at(0));
  EXPECT_EQ(fake.adds, 1);
  EXPECT_EQ(controller.counters().repeats, 2U);
}

TEST_F(SwitchControllerTest, ARepeatedCommitSharesTheRefusal) {
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{18}; };
  const HopSetup setup = middle(1, 40, cache_one());
  apply({{setup, setup}, {}, {}});
  answer_all();
  const HopResult no = refused(setup.key, kCommit, Cause::kSwitchRefused, 18);
  EXPECT_THAT(result().results, ElementsAre(no, no));
}

TEST_F(SwitchControllerTest, RemovingWhatIsNotThereIsDone) {
  const HopKey key = middle(1, 0, {}).key;
  EXPECT_THAT(run({{}, {{key, 0}}, {}}).results, ElementsAre(done(key, kRemove)));
  EXPECT_EQ(fake.removes, 0);
}

TEST_F(SwitchControllerTest, ARepeatedRemovalIsAnsweredWithTheFirst) {
  const HopSetup setup = committed(1, 40);
  apply({{}, {{setup.key, 0}}, {}}, 1);
  apply({{}, {{setup.key, 0}}, {}}, 2);
  EXPECT_TRUE(no_results());
  EXPECT_EQ(fake.removes, 1);
  answer();
  EXPECT_THAT(controller.take_outputs().results, SizeIs(2));
}

TEST_F(SwitchControllerTest, AFailedRemovalIsToldAndTriedAgainWhenAskedAgain) {
  const HopSetup setup = committed(1, 40);
  fake.refuse_remove = [](const CrossConnect&) { return std::uint8_t{3}; };
  EXPECT_THAT(run({{}, {{setup.key, 0}}, {}}).results,
              ElementsAre(refused(setup.key, kRemove, Cause::kSwitchRefused, 3)));
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kConnection);
  EXPECT_THAT(run({{setup}, {}, {}}).results,
              ElementsAre(refused(setup.key, kCommit, Cause::kBeingReleased, 1)));
  fake.refuse_remove = [](const CrossConnect&) { return std::uint8_t{0}; };
  EXPECT_THAT(run({{}, {{setup.key, 0}}, {}}).results,
              ElementsAre(removed(setup.key, setup.output_label)));
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kQuarantine);
}

// ===== a removal overtakes nothing =====

struct Race {
  bool add_refused;
  bool remove_answered_first;
};
class RemovalRace : public SwitchControllerTest, public ::testing::WithParamInterface<Race> {};

TEST_P(RemovalRace, LeavesNothingBehind) {
  const Race race = GetParam();
  if (race.add_refused) fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{18}; };
  const HopSetup setup = middle(1, 40, cache_one());
  // a --> sw: commit; remove      before the switch has answered either
  apply({{setup}, {}, {}}, 1);
  apply({{}, {{setup.key, 0}}, {}}, 2);
  ASSERT_THAT(fake.answers, SizeIs(2));
  answer(race.remove_answered_first ? 1 : 0);
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kConnection) << "one answer is missing";
  answer();
  std::vector<HopResult> results;
  for (const auto& out : controller.take_outputs().results)
    results.push_back(out.batch.results.at(0));
  const HopResult commit = race.add_refused ? refused(setup.key, kCommit, Cause::kSwitchRefused, 18)
                                            : done(setup.key, kCommit);
  EXPECT_THAT(results, ElementsAre(commit, removed(setup.key, setup.output_label)));
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kQuarantine);
}

INSTANTIATE_TEST_SUITE_P(EveryOrder, RemovalRace,
                         ::testing::Values(Race{false, false}, Race{false, true}, Race{true, false},
                                           Race{true, true}));

// ===== labels and quotas =====

TEST_F(SwitchControllerTest, ReplacementLabelsComeWithTheResults) {
  HopSetup one = middle(1, 40, cache_one());
  HopSetup two = middle(2, 41, cache_one());
  HopSetup held = reserve(middle(3, 0, {}));
  HopSetup end = whole_path(4);
  one.labels_wanted = 2;
  two.labels_wanted = 1;
  held.output_port = kTrunk;
  held.labels_wanted = 1;
  end.labels_wanted = 5;
  // Commit two hops, reserve one elsewhere, and commit the last hop of a
  // path, which never gets labels.
  const HopResultBatch out = run({{one, two, held, end}, {}, {}});
  EXPECT_THAT(out.granted,
              ElementsAre(PortLabels{kOut, {atm_label(0, 34), atm_label(0, 35), atm_label(0, 36)}},
                          PortLabels{kTrunk, {atm_label(0, 33)}}));
  EXPECT_EQ(controller.counters().labels_granted, 6U);
}

TEST_F(SwitchControllerTest, FewerReplacementsAreNoError) {
  HopSetup setup = middle(1, 40, cache_one());
  controller.grant("a", kOut, 30, {}, now);
  setup.labels_wanted = 9;
  const HopResultBatch out = run({{setup}, {}, {}});
  EXPECT_EQ(out.results.at(0).cause, Cause::kNone);
  EXPECT_THAT(out.granted, ElementsAre(PortLabels{kOut, {atm_label(0, 63)}}));
}

TEST_F(SwitchControllerTest, RefusedSetupsGetNoReplacement) {
  HopSetup setup = middle(1, 40, cache_one());
  setup.demand = {5000, 0};
  setup.labels_wanted = 1;
  EXPECT_THAT(run({{setup}, {}, {}}).granted, IsEmpty());
}

TEST_F(SwitchControllerTest, ReturnedLabelsEndTheirQuarantine) {
  const HopSetup setup = committed(1, 40);
  run({{}, {{setup.key, 0}}, {}});
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kQuarantine);
  run({{}, {}, {{kOut, {setup.output_label}}}});
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kFree);
  EXPECT_EQ(controller.counters().labels_returned, 1U);
}

TEST_F(SwitchControllerTest, ReturningAnothersLabelIsIgnoredAndCounted) {
  ASSERT_TRUE(controller.attach("b", Epoch{1}).has_value());
  const Label of_b = cache_one("b");
  run({{}, {}, {{kOut, {of_b, atm_label(0, 60)}}, {PortId{99}, {of_b}}}});
  EXPECT_EQ(holder(of_b), LabelHolder::kCached);
  EXPECT_EQ(controller.counters().returned_not_held, 3U);
}

TEST_F(SwitchControllerTest, GrantsAndTakesBackOnRequest) {
  const auto granted = controller.grant("a", kOut, 2, {400, 4}, now);
  ASSERT_TRUE(granted.has_value());
  EXPECT_THAT(granted->labels, SizeIs(2));
  EXPECT_EQ(granted->quota, (Resources{400, 4}));
  EXPECT_EQ(controller.grant("a", kOut, 100, {800, 0}, now)->quota, (Resources{600, 0}));
  ASSERT_TRUE(controller.give_back("a", {kOut, granted->labels}, {1000, 4}).has_value());
  EXPECT_EQ(controller.ledger().usage(kOut)->taken, Resources{});
  ASSERT_TRUE(controller.give_back("a", {kOut, {}}, {1, 0}).has_value());
  EXPECT_EQ(controller.counters().quota_not_held, 1U);
}

TEST_F(SwitchControllerTest, RefusesGrantsToStrangersAndOnUnknownPorts) {
  EXPECT_EQ(controller.grant("nobody", kOut, 1, {}, now).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(controller.grant("a", PortId{99}, 1, {}, now).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(controller.give_back("nobody", {}, {}).error().code, ErrorCode::kNotFound);
  session_breaks();
  EXPECT_EQ(controller.grant("a", kOut, 1, {}, now).error().code, ErrorCode::kUnreachable);
}

// ===== managers =====

TEST_F(SwitchControllerTest, AttachTellsPortsHopsAndQuarantine) {
  const HopSetup gone = committed(1, 40);
  committed(2, 41);
  run({{}, {{gone.key, 0}}, {}});
  const auto attached = controller.attach("a", Epoch{2});
  ASSERT_TRUE(attached.has_value());
  EXPECT_EQ(attached->ports, ports());
  EXPECT_EQ(attached->hops, 1U);
  EXPECT_THAT(attached->quarantined, ElementsAre(PortLabels{kOut, {gone.output_label}}));
}

TEST_F(SwitchControllerTest, AnOlderEpochIsFencedAnEqualOneReplaces) {
  ASSERT_TRUE(controller.attach("a", Epoch{5}).has_value());
  const Label label = cache_one();
  const auto old_one = controller.attach("a", Epoch{4});
  EXPECT_EQ(old_one.error().code, ErrorCode::kFenced);
  EXPECT_EQ(old_one.error().text,
            "manager a is fenced: it came with epoch 4, but epoch 5 is known");
  EXPECT_EQ(holder(label), LabelHolder::kCached) << "the living session is not disturbed";
  ASSERT_TRUE(controller.attach("a", Epoch{5}).has_value());
  EXPECT_EQ(holder(label), LabelHolder::kQuarantine) << "the old session has lapsed";
  controller.detach("a");
  EXPECT_EQ(controller.attach("a", Epoch{4}).error().code, ErrorCode::kFenced);
  EXPECT_EQ(controller.counters().fenced, 2U);
}

TEST_F(SwitchControllerTest, OnlySoManyManagersAreKnown) {
  SwitchController small({.name = "sw", .ledger = {.managers_max = 1}}, fake);
  ASSERT_TRUE(small.attach("a", Epoch{1}).has_value());
  EXPECT_EQ(small.attach("b", Epoch{1}).error().code, ErrorCode::kExhausted);
  EXPECT_EQ(small.forget("b").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(small.forget("a").error().code, ErrorCode::kBadInput) << "attached";
  small.detach("a");
  EXPECT_TRUE(small.forget("a") == 0U);
  EXPECT_TRUE(small.attach("b", Epoch{1}).has_value());
}

TEST_F(SwitchControllerTest, ResultsOfAnEndedSessionAreDroppedAndItsCommitStays) {
  const HopSetup setup = middle(1, 40, cache_one());
  apply({{setup}, {}, {}});
  controller.detach("a");
  answer_all();
  EXPECT_TRUE(no_results());
  EXPECT_EQ(controller.open_batches(), 0U);
  EXPECT_THAT(fake.table, ElementsAre(cross(setup)));
  EXPECT_EQ(controller.attach("a", Epoch{2})->hops, 1U);
}

// ===== the switch is lost and comes back =====

TEST_F(SwitchControllerTest, EverythingIsRefusedWhileTheSwitchIsAway) {
  const HopSetup lives = committed(1, 40);
  session_breaks();
  const HopSetup setup = middle(2, 41, {});
  const HopKey unknown = middle(3, 0, {}).key;
  EXPECT_THAT(run({{setup, reserve(setup), lives}, {{unknown, 3}}, {}}).results,
              ElementsAre(refused(setup.key, kCommit, Cause::kSwitchUnreachable),
                          refused(setup.key, kReserve, Cause::kSwitchUnreachable),
                          refused(lives.key, kCommit, Cause::kSwitchUnreachable),
                          refused(unknown, kRemove, Cause::kSwitchUnreachable)));
  EXPECT_EQ(controller.ledger().hops().size(), 1U);
}

TEST_F(SwitchControllerTest, BeforeTheFirstUpThereIsNothingToBeHad) {
  SwitchController fresh({.name = "sw"}, fake);
  EXPECT_THAT(fresh.attach("a", Epoch{1})->ports, IsEmpty());
  ASSERT_TRUE(fresh.apply("a", {{whole_path(1)}, {}, {}}, 1, now).has_value());
  EXPECT_THAT(fresh.take_outputs().results.at(0).batch.results,
              ElementsAre(refused(whole_path(1).key, kCommit, Cause::kSwitchUnreachable)));
}

TEST_F(SwitchControllerTest, AReservationEndsWithItsCommitAlsoWhenTheSwitchIsAway) {
  const HopSetup setup = reserve(middle(1, 0, {}));
  run({{setup}, {}, {}});
  session_breaks();
  run({{middle(1, 40, atm_label(0, 32))}, {}, {}});
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
  EXPECT_EQ(holder(atm_label(0, 32)), LabelHolder::kCached);
}

TEST_F(SwitchControllerTest, AReservationIsRemovedWhileTheSwitchIsAway) {
  const HopSetup setup = reserve(middle(1, 0, {}));
  run({{setup}, {}, {}});
  session_breaks();
  EXPECT_THAT(run({{}, {{setup.key, 0}}, {}}).results,
              ElementsAre(removed(setup.key, atm_label(0, 32))));
}

TEST_F(SwitchControllerTest, AnUnansweredCommitIsCleanedAwayWhenTheSwitchIsBack) {
  const HopSetup setup = middle(1, 40, cache_one());
  apply({{setup}, {}, {}});
  session_breaks();
  EXPECT_THAT(result().results,
              ElementsAre(refused(setup.key, kCommit, Cause::kSwitchUnreachable)));
  EXPECT_THAT(fake.table, ElementsAre(cross(setup))) << "it had got there";
  controller.on_driver(driver::Up{ports(), true}, now);
  EXPECT_FALSE(controller.up()) << "first the table";
  answer();
  EXPECT_TRUE(controller.up());
  answer_all();
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kQuarantine);
}

TEST_F(SwitchControllerTest, AnUnansweredCommitThatNeverGotThereNeedsNoDelete) {
  const HopSetup setup = middle(1, 40, cache_one());
  apply({{setup}, {}, {}});
  session_breaks();
  fake.table.clear();
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_EQ(fake.removes, 0);
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
}

TEST_F(SwitchControllerTest, ARemovalAskedForWhileTheSwitchIsAwayIsDoneWhenItIsBack) {
  const HopSetup setup = committed(1, 40);
  session_breaks();
  EXPECT_THAT(run({{}, {{setup.key, 0}}, {}}).results,
              ElementsAre(refused(setup.key, kRemove, Cause::kSwitchUnreachable)));
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_THAT(run({{}, {{setup.key, 0}}, {}}).results, ElementsAre(done(setup.key, kRemove)));
}

TEST_F(SwitchControllerTest, CommitAndRemovalUnderWayWhenTheSessionBreaks) {
  const HopSetup setup = middle(1, 40, cache_one());
  apply({{setup}, {{setup.key, 1}}, {}});
  session_breaks();
  EXPECT_THAT(result().results,
              ElementsAre(refused(setup.key, kCommit, Cause::kSwitchUnreachable),
                          refused(setup.key, kRemove, Cause::kSwitchUnreachable)));
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
}

TEST_F(SwitchControllerTest, ADriverThatForgetsToAnswerBeforeDownIsForgiven) {
  const HopSetup setup = middle(1, 40, cache_one());
  apply({{setup}, {}, {}});
  const driver::Event late = fake.answers.front().event;
  fake.answers.clear();
  controller.on_driver(driver::Down{"gone"}, now);
  EXPECT_THAT(result().results,
              ElementsAre(refused(setup.key, kCommit, Cause::kSwitchUnreachable)));
  controller.on_driver(late, now);
  EXPECT_TRUE(no_results());
  EXPECT_EQ(controller.counters().unexpected_answers, 1U);
}

TEST_F(SwitchControllerTest, ALateAnswerOfTheOldSessionIsNotTakenForTheNewRequest) {
  const HopSetup setup = committed(1, 40);
  apply({{}, {{setup.key, 0}}, {}});
  const driver::Event late = fake.answers.front().event;
  fake.answers.clear();
  fake.table = {cross(setup)};  // the delete was lost
  controller.on_driver(driver::Down{"gone"}, now);
  controller.on_driver(driver::Up{ports(), true}, now);
  answer();  // the table: the delete is sent again
  controller.on_driver(late, now);
  EXPECT_EQ(controller.counters().unexpected_answers, 1U);
  EXPECT_EQ(controller.ledger().hops().size(), 1U);
  answer();
  EXPECT_EQ(controller.ledger().hops().size(), 0U);
}

TEST_F(SwitchControllerTest, AnEmptySwitchGetsEverythingBack) {
  const HopSetup one = committed(1, 40);
  const HopSetup two = committed(2, 41);
  const HopSetup going = committed(3, 42);
  session_breaks();
  run({{}, {{going.key, 0}}, {}});
  fake.table.clear();
  controller.on_driver(driver::Up{ports(), false}, now);
  EXPECT_TRUE(controller.up());
  EXPECT_THAT(fake.table, ElementsAre(cross(one), cross(two)));
  EXPECT_EQ(controller.ledger().hops().size(), 2U) << "the hop under removal is removed";
  EXPECT_EQ(controller.counters().put_back, 2U);
  answer_all();
  EXPECT_TRUE(no_results()) << "no request waits for a result";
}

TEST_F(SwitchControllerTest, WhatNobodyOfThisSessionAskedToRemoveIsToldUnasked) {
  const HopSetup setup = committed(1, 40);
  // a --> sw: remove; then a's session is over, and a new one begins
  apply({{}, {{setup.key, 0}}, {}});
  ASSERT_TRUE(controller.attach("a", Epoch{1}).has_value());
  // switch --> sw: done;  sw --> a: removed, the label enters a's quarantine
  answer();
  const auto outputs = controller.take_outputs();
  EXPECT_THAT(outputs.results, IsEmpty());
  ASSERT_THAT(outputs.unasked, SizeIs(1));
  EXPECT_EQ(outputs.unasked[0].manager, "a");
  EXPECT_EQ(outputs.unasked[0].result, removed(setup.key, setup.output_label));
  EXPECT_EQ(holder(setup.output_label), LabelHolder::kQuarantine);
}

TEST_F(SwitchControllerTest, ARemovalBehindAnUnansweredPutBack) {
  const HopSetup setup = committed(1, 40);
  session_breaks();
  fake.table.clear();
  controller.on_driver(driver::Up{ports(), false}, now);
  EXPECT_THAT(run({{}, {{setup.key, 0}}, {}}).results,
              ElementsAre(removed(setup.key, setup.output_label)));
  EXPECT_THAT(fake.table, IsEmpty());
  EXPECT_EQ(controller.counters().commits, 1U) << "a put-back is no commit";
}

TEST_F(SwitchControllerTest, OnlyWhatIsMissingIsPutBackIntoASwitchThatKeptItsTable) {
  const HopSetup there = committed(1, 40);
  const HopSetup lost = committed(2, 41);
  const CrossConnect stranger{kTrunk, atm_label(0, 60), kOut, atm_label(0, 61)};
  session_breaks();
  fake.table.erase(cross(lost));
  fake.table.insert(stranger);
  const int adds = fake.adds;
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_THAT(fake.table, ElementsAre(cross(there), cross(lost), stranger));
  EXPECT_EQ(fake.adds, adds + 1);
  EXPECT_EQ(controller.ledger().labels().unclaimed_labels(), 2U);
}

TEST_F(SwitchControllerTest, AChangedEntryIsLeftForTheAuditAndNotBranched) {
  committed(1, 40);
  session_breaks();
  const CrossConnect changed{kTrunk, atm_label(0, 40), kOut, atm_label(0, 61)};
  fake.table = {changed};
  controller.on_driver(driver::Up{ports(), true}, now);
  answer_all();
  EXPECT_THAT(fake.table, ElementsAre(changed));
  EXPECT_EQ(holder(atm_label(0, 61)), LabelHolder::kUnclaimed);
}

TEST_F(SwitchControllerTest, AfterARestartUnclaimedEntriesBlockTheirLabelsAndAreStray) {
  fake.table = {{kTrunk, atm_label(0, 40), kOut, atm_label(0, 32)}};
  SwitchController fresh({.name = "sw"}, fake);
  fresh.on_driver(driver::Up{ports(), true}, now);
  ASSERT_TRUE(fresh.attach("a", Epoch{1}).has_value());
  EXPECT_EQ(fresh.grant("a", kOut, 1, {}, now).error().code, ErrorCode::kUnreachable)
      << "as long as the table is unread";
  fresh.on_driver(fake.answers.front().event, now);
  fake.answers.clear();
  EXPECT_THAT(fresh.grant("a", kOut, 1, {}, now)->labels, ElementsAre(atm_label(0, 33)));
  ASSERT_TRUE(fresh.audit("a", 1).has_value());
  fresh.on_driver(fake.answers.front().event, now);
  fake.answers.clear();
  const auto report = fresh.take_outputs().audits.at(0).report;
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].kind, FindingKind::kStrayCrossConnect);
}

TEST_F(SwitchControllerTest, AnUnreadableTableIsReadAgain) {
  session_breaks();
  fake.table_cause = Cause::kTimeout;
  controller.on_driver(driver::Up{ports(), true}, now);
  answer();
  EXPECT_FALSE(controller.up());
  EXPECT_EQ(controller.wake_at(), now + std::chrono::seconds(1));
  controller.on_time(now);
  EXPECT_THAT(fake.answers, IsEmpty()) << "too early";
  fake.table_cause = Cause::kNone;
  now = controller.wake_at();
  controller.on_time(now);
  EXPECT_EQ(controller.wake_at(), kNever);
  answer();
  EXPECT_TRUE(controller.up());
}

TEST_F(SwitchControllerTest, APutBackThatIsRefusedIsMissing) {
  committed(1, 40);
  session_breaks();
  fake.table.clear();
  fake.refuse_add = [](const CrossConnect&) { return std::uint8_t{18}; };
  controller.on_driver(driver::Up{ports(), false}, now);
  answer_all();
  EXPECT_EQ(controller.counters().put_back_refused, 1U);
  ASSERT_TRUE(controller.audit("a", 1).has_value());
  answer_all();
  const auto report = controller.take_outputs().audits.at(0).report;
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].kind, FindingKind::kMissingCrossConnect);
}

// ===== audits while things move =====

TEST_F(SwitchControllerTest, AnAuditPassesOverWhatMovesWhileTheTableIsRead) {
  const HopSetup going = committed(1, 40);
  const HopSetup stays = committed(2, 41);
  HopSetup coming = middle(3, 42, cache_one());
  // The table is read first, then a removal and a commit complete, then the table arrives.
  ASSERT_TRUE(controller.audit("a", 1).has_value());
  const driver::Event table = fake.answers.front().event;
  fake.answers.clear();
  run({{coming}, {{going.key, 0}}, {}});
  controller.on_driver(table, now);
  auto audits = controller.take_outputs().audits;
  ASSERT_THAT(audits, SizeIs(1));
  EXPECT_THAT(audits[0].report.findings, IsEmpty());
  EXPECT_THAT(audits[0].report.hops, SizeIs(2));

  // The other order: audit requested, hops changed, and only then the table is read.
  ASSERT_TRUE(controller.audit("a", 2).has_value());
  fake.answers.pop_front();
  driver::Table later{std::get<driver::Table>(table).cookie + 4, Cause::kNone, {}};
  run({{going}, {{coming.key, 0}}, {}});
  later.cross_connects.assign(fake.table.begin(), fake.table.end());
  controller.on_driver(later, now);
  audits = controller.take_outputs().audits;
  ASSERT_THAT(audits, SizeIs(1));
  EXPECT_THAT(audits[0].report.findings, IsEmpty());
  EXPECT_TRUE(fake.table.contains(cross(stays)));
}

TEST_F(SwitchControllerTest, AnAuditOfASwitchThatIsAwayIsUnreadableNotMissing) {
  committed(1, 40);
  session_breaks();
  ASSERT_TRUE(controller.audit("a", 1).has_value());
  const auto report = controller.take_outputs().audits.at(0).report;
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].kind, FindingKind::kUnreadable);
  EXPECT_EQ(report.findings[0].element, "sw");
  EXPECT_THAT(report.hops, SizeIs(1));
}

TEST_F(SwitchControllerTest, AnAuditUnderWayWhenTheSessionBreaksIsUnreadable) {
  ASSERT_TRUE(controller.audit("a", 1).has_value());
  session_breaks();
  const auto audits = controller.take_outputs().audits;
  ASSERT_THAT(audits, SizeIs(1));
  EXPECT_EQ(audits[0].report.findings.at(0).kind, FindingKind::kUnreadable);
}

TEST_F(SwitchControllerTest, AuditsAreBoundedAndNotForStrangers) {
  EXPECT_EQ(controller.audit("nobody", 1).error().code, ErrorCode::kNotFound);
  for (std::uint64_t i = 0; i < 64; ++i) ASSERT_TRUE(controller.audit("a", i).has_value());
  EXPECT_EQ(controller.audit("a", 99).error().code, ErrorCode::kExhausted);
  answer_all();
  EXPECT_THAT(controller.take_outputs().audits, SizeIs(64));
}

TEST_F(SwitchControllerTest, AnswersToNothingAreCounted) {
  controller.on_driver(driver::Done{12345, Cause::kNone, 0}, now);
  controller.on_driver(driver::Table{12347, Cause::kNone, {}}, now);
  EXPECT_EQ(controller.counters().unexpected_answers, 2U);
}

TEST(SwitchCounters, EveryOneIsNamedOnce) {
  std::vector<std::string_view> names;
  for (const auto& counter : kSwitchMetrics) names.push_back(counter.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  constexpr std::size_t kWords =
      (sizeof(SwitchCounters) - sizeof(SwitchCounters::refusals)) / sizeof(std::uint64_t);
  EXPECT_EQ(names.size(), kWords);
}

}  // namespace
}  // namespace xbind
