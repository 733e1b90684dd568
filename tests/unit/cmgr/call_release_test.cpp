// Releasing calls, and the debt when a hop cannot be removed. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class CallReleaseTest : public ExchangeTest {
 protected:
  // Confirms the removal at every switch; sw1 and sw2 report the label that enters quarantine.
  void remove_everywhere(Label at_sw1, Label at_sw2) {
    answer("sw1", {removed(removal("sw1"), at_sw1)});
    answer("sw2", {removed(removal("sw2"), at_sw2)});
    answer("sw3", {removed(removal("sw3"))});
  }
};

TEST_F(CallReleaseTest, EveryHopIsRemovedAtOnceThenTheAnswerGoesOut) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  // mia --> cmgr: release
  release(2, call);
  // cmgr --> sw1, sw2, sw3: remove
  for (const char* name : {"sw1", "sw2"}) {
    const HopRemoval gone = removal(name);
    EXPECT_EQ(gone.key.connection, call);
    answer(name, {removed(gone)});
  }
  EXPECT_THAT(reported(), IsEmpty());
  answer("sw3", {removed(removal("sw3"))});
  // mia <-- cmgr: released
  const Outcome released = outcome();
  EXPECT_EQ(released.kind, OutcomeKind::kReleased);
  EXPECT_EQ(released.request, RequestId{2});
  EXPECT_EQ(released.connection, call);
  EXPECT_EQ(manager().gauges().connections, 0U);
  EXPECT_FALSE(manager().describe(call).has_value());
}

TEST_F(CallReleaseTest, TheLabelsGoIntoTheCacheAndWhatIsTooMuchGoesBack) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  // The replacement label has arrived: the cache of sw1 is full again.
  answer("sw1", {done(setup("sw1"))}, {{PortId{10}, {vci(33)}}});
  all_done("sw2");
  all_done("sw3");
  release(2, outcome().connection);
  remove_everywhere(vci(32), vci(40));
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(33))));
  EXPECT_THAT(cached("sw2"), ElementsAre(Pair(PortId{21}, vci(40))));
  // cmgr --> sw1: returns 0/32, with the next batch or after kReturnDelay
  EXPECT_THAT(manager().view_of("sw1").labels,
              ElementsAre(Pair(PortId{10}, vci(32)), Pair(PortId{10}, vci(33))));
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(32)}}));
}

TEST_F(CallReleaseTest, AConnectionNobodyKnowsCannotBeReleased) {
  attach_all();
  release(1, ConnectionId{4711});
  const Outcome refused = outcome();
  EXPECT_EQ(refused.kind, OutcomeKind::kRefused);
  EXPECT_EQ(refused.cause, Cause::kUnknownConnection);
  EXPECT_EQ(refused.asked, 4711U);
}

TEST_F(CallReleaseTest, ASecondReleaseIsRefusedWhileTheFirstIsUnderWayAndAfterIt) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  release(3, call);
  EXPECT_EQ(outcome().cause, Cause::kBeingReleased);
  remove_everywhere(vci(32), vci(40));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  release(4, call);
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
}

TEST_F(CallReleaseTest, ACallThatIsNotUpYetCannotBeReleased) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup one = setup("sw1");
  release(2, one.key.connection);
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
}

TEST_F(CallReleaseTest, WhoeverAsksForTheReleaseGetsTheAnswer) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  log_in("noa");
  release(1, call, "noa");
  remove_everywhere(vci(32), vci(40));
  EXPECT_EQ(outcome("noa").kind, OutcomeKind::kReleased);
  EXPECT_THAT(reported("mia"), IsEmpty());
}

TEST_F(CallReleaseTest, ReleasesOfABatchGoBeforeItsCalls) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  ask("mia", {{ExchangeTest::call(2)}, {{RequestId{3}, call}}});
  const HopBatch heard = take("sw3");
  EXPECT_THAT(heard.removals, SizeIs(1));
}

// ===== owed =====

TEST_F(CallReleaseTest, WhatIsOwedIsNamedInTheOutcomeAndInTheOneThatIsTold) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  for (const char* name : {"sw1", "sw2", "sw3"}) lose(name);
  release(2, call);
  const Outcome released = outcome();
  EXPECT_EQ(explain(released), "released; owed: 3 removals at sw1, sw2, sw3");
  EXPECT_EQ(released.owed.removals, manager().gauges().owed);
  EXPECT_EQ(manager().outcome_of("mia", RequestId{2}), released);
}

TEST_F(CallReleaseTest, AReleaseThatOwesNothingNamesNothing) {
  start_with_labels({vci(32)}, {vci(40)});
  release(2, connected(1));
  remove_everywhere(vci(32), vci(40));
  const Outcome released = outcome();
  EXPECT_EQ(explain(released), "released");
  EXPECT_EQ(released.owed, xbind::Debt{});
}

TEST_F(CallReleaseTest, ARemovalThatIsNotAnsweredIsOwedAndPaidWhenTheAnswerComesLate) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  answer("sw1", {removed(removal("sw1"), vci(32))});
  answer("sw3", {removed(removal("sw3"))});
  const HopRemoval two = removal("sw2");
  wait(config.undo_timer - milliseconds{1});
  EXPECT_THAT(reported(), IsEmpty());
  wait(milliseconds{1});
  // mia <-- cmgr: released nevertheless, with the debt named
  const Outcome released = outcome();
  EXPECT_EQ(released.kind, OutcomeKind::kReleased);
  EXPECT_EQ(released.cause, Cause::kNone);
  EXPECT_EQ(explain(released), "released; owed: 1 removal at sw2");
  EXPECT_EQ(manager().gauges().owed, 1U);
  EXPECT_THAT(manager().view_of("sw2").owed, ElementsAre(two.key));
  // The labels of both links of sw2 stay in use: 0/32 into sw2, 0/40 out of it.
  EXPECT_THAT(cached("sw1"), IsEmpty());
  EXPECT_THAT(manager().view_of("sw1").labels, ElementsAre(Pair(PortId{10}, vci(32))));
  EXPECT_THAT(manager().view_of("sw2").labels, ElementsAre(Pair(PortId{21}, vci(40))));
  // The removal is in flight in this session, so no second one is sent.
  wait(seconds{3});
  EXPECT_TRUE(silent("sw2"));
  // cmgr <-- sw2: removed
  answer("sw2", {removed(two, vci(40))});
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_EQ(manager().switches().counters().debts_paid, 1U);
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
  EXPECT_THAT(cached("sw2"), ElementsAre(Pair(PortId{21}, vci(40))));
}

TEST_F(CallReleaseTest, ARemovalThatIsNotPossibleIsOwedAtOnceAndTriedAgain) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  answer("sw1", {removed(removal("sw1"), vci(32))});
  answer("sw3", {removed(removal("sw3"))});
  // cmgr <-- sw2: not removed, its switch is unreachable
  answer("sw2", {not_removed(removal("sw2"))});
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased) << "nothing to wait for";
  EXPECT_EQ(manager().gauges().owed, 1U);
  wait(SwitchDesk::kDebtRetry);
  answer("sw2", {not_removed(removal("sw2"))});
  EXPECT_EQ(manager().gauges().owed, 1U);
  wait(SwitchDesk::kDebtRetry);
  answer("sw2", {removed(removal("sw2"), vci(40))});
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(CallReleaseTest, WhereOwedRemovalsKeepLabelsNoHealthyNeighbourIsBlamed) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  answer("sw1", {removed(removal("sw1"), vci(32))});
  answer("sw3", {removed(removal("sw3"))});
  answer("sw2", {not_removed(removal("sw2"))});
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  connect(3);
  // cmgr <-- sw1: port 10 has no label; sw2 may still have 0/32 of it as an input
  answer("sw1", {refused(setup("sw1"), Cause::kNoLabel, PortId{10}, 1)});
  answer_all_switches();
  const Outcome said = outcome();
  EXPECT_EQ(said.cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(said.element, "sw2");
  EXPECT_EQ(said.reason, "labels of sw1 port 10 wait for removals that it owes");
}

TEST_F(CallReleaseTest, ALabelOwedByTwoHopsIsFreeWhenBothHavePaid) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = connected(1);
  release(2, call);
  const HopRemoval one = removal("sw1");
  const HopRemoval two = removal("sw2");
  answer("sw3", {removed(removal("sw3"))});
  wait(config.undo_timer);
  EXPECT_EQ(manager().gauges().owed, 2U);
  answer("sw1", {removed(one, vci(32))});
  EXPECT_THAT(cached("sw1"), IsEmpty()) << "0/32 may still lead somewhere at sw2";
  answer("sw2", {removed(two, vci(40))});
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
}

TEST_F(CallReleaseTest, AReservationWhoseAnswerCameToNobodyIsReturned) {
  attach_all();
  connect(1);
  const HopSetup one = setup("sw1");
  const HopSetup two = setup("sw2");
  wait(config.hop_timer);
  const HopRemoval gone = removal("sw1");
  answer("sw2", {done(two, vci(40)), removed(removal("sw2"), vci(40))});
  wait(config.undo_timer);
  EXPECT_EQ(outcome().cause, Cause::kTimeout);
  EXPECT_EQ(manager().gauges().owed, 1U);
  // cmgr <-- sw1: reserved 0/32 (late), removed; the manager has never seen the label that it names
  answer("sw1", {done(one, vci(32)), removed(gone, vci(32))});
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(32)}}));
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(CallReleaseTest, TheAnswerToARemovalMayOvertakeTheOneToItsReservation) {
  config.crankbacks = 0;
  attach_all();
  connect(1);
  const HopSetup one = setup("sw1");
  answer("sw2", {refused(setup("sw2"), Cause::kNoLabel, PortId{21}, 1)});
  // Results arrive batch by batch, in the order in which the batches complete.
  answer("sw1", {removed(removal("sw1"), vci(32))});
  EXPECT_EQ(outcome().kind, OutcomeKind::kRefused);
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
  answer("sw1", {done(one, vci(32))});
  EXPECT_THAT(cached("sw1"), SizeIs(1)) << "once";
}

TEST_F(CallReleaseTest, WithAsMuchOwedAsMayBeNoCallIsTakenButReleasesAre) {
  config.debts_max = 1;
  config.label_cache_target = 2;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  const ConnectionId one = connected(1);
  const ConnectionId two = connected(2);
  release(3, one);
  for (const char* name : {"sw1", "sw2", "sw3"}) answer(name, {not_removed(removal(name))});
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().owed, 3U) << "nothing that is owed is forgotten";
  connect(4);
  EXPECT_EQ(explain(outcome()), "busy at removals owed; try again in 666 ms");
  release(5, two);
  EXPECT_FALSE(silent("sw1"));
}

}  // namespace
}  // namespace xbind::cmgr
