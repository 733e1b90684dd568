// Debts to a switch, and the answers to them: across sessions, and concurrent with other
// changes. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class OwedAgainTest : public ExchangeTest {
 protected:
  // A call that was lowered from 100 to 50 cells/s. sw2 was unreachable and is owed the 50.
  ConnectionId lower_except_at_sw2(std::uint64_t request = 1) {
    const ConnectionId call = connected(request);
    modify(request + 1, call, cells(50));
    all_done("sw1");
    all_done("sw3");
    answer("sw2", {refused(change("sw2"), Cause::kSwitchUnreachable)});
    EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
    return call;
  }
};

// ===== a session ends while a debt is on its way =====

TEST_F(OwedAgainTest, ARemovalOnItsWayWhenTheSessionEndsIsSentInTheNextOne) {
  start_with_labels({vci(32)}, {vci(40)});
  release(2, connected(1));
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {not_removed(removal("sw2"))});
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  wait(SwitchDesk::kDebtRetry);
  const HopRemoval first = removal("sw2");
  lose("sw2");
  attach("sw2");
  const HopRemoval second = removal("sw2");
  EXPECT_EQ(second.key, first.key);
  // cmgr <-- sw2: removed, 0/40 enters quarantine. It was granted in the first
  // session, so the manager returns it.
  answer("sw2", {removed(second, vci(40))});
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_THAT(cached("sw2"), IsEmpty());
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw2").returned, ElementsAre(PortLabels{PortId{21}, {vci(40)}}));
}

TEST_F(OwedAgainTest, AChangeOnItsWayWhenTheSessionEndsIsSentInTheNextOne) {
  start_with_labels({vci(32)}, {vci(40)});
  lower_except_at_sw2();
  wait(SwitchDesk::kDebtRetry);
  EXPECT_EQ(change("sw2").demand.cells_per_s, 50U);
  lose("sw2");
  attach("sw2");
  const HopModify again = change("sw2");
  EXPECT_EQ(again.demand.cells_per_s, 50U);
  answer("sw2", {done(again)});
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(OwedAgainTest, WhatIsOnItsWayIsNotSentAgainWithTheNextDebt) {
  config.label_cache_target = 2;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  const ConnectionId one = lower_except_at_sw2(1);
  wait(SwitchDesk::kDebtRetry);
  EXPECT_EQ(change("sw2").key.connection, one);
  const ConnectionId other = lower_except_at_sw2(5);
  wait(SwitchDesk::kDebtRetry);
  EXPECT_EQ(change("sw2").key.connection, other) << "the first one alone waits for its answer";
}

// ===== the answer to a debt that a later change has overtaken =====

TEST_F(OwedAgainTest, TheAnswerToADebtDoesNotAnswerTheChangeThatOvertookIt) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = lower_except_at_sw2();
  wait(SwitchDesk::kDebtRetry);
  const HopModify debt = change("sw2");
  modify(3, call, cells(80));
  EXPECT_EQ(manager().gauges().owed, 0U) << "overtaken";
  all_done("sw1");
  all_done("sw3");
  const HopModify raise = change("sw2");
  answer("sw2", {done(debt)});
  EXPECT_THAT(reported(), IsEmpty());
  answer("sw2", {refused(raise, Cause::kNoBandwidth, PortId{21}, 80, 60)});
  answer_all_switches();
  EXPECT_EQ(outcome().cause, Cause::kNoBandwidth);
}

TEST_F(OwedAgainTest, ANewSessionHasNoAnswersOfTheOldOneToSkip) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = lower_except_at_sw2();
  wait(SwitchDesk::kDebtRetry);
  (void)change("sw2");
  modify(3, call, cells(80));
  all_done("sw1");
  all_done("sw3");
  (void)change("sw2");
  // sw2 is lost with two changes unanswered; the call keeps its 50 cells/s.
  lose("sw2");
  answer_all_switches();
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw2");
  EXPECT_EQ(manager().gauges().owed, 1U);
  attach("sw2");
  answer("sw2", {done(change("sw2"))});
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(OwedAgainTest, WhoHasHeardAContractAfterADebtIsNotToldItAgain) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = lower_except_at_sw2();
  modify(3, call, cells(80));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  modify(4, call, cells(200));
  all_done("sw1");
  all_done("sw3");
  // cmgr <-- sw2: refused. It has the 80 cells/s.
  answer("sw2", {refused(change("sw2"), Cause::kNoBandwidth, PortId{21}, 200, 120)});
  EXPECT_TRUE(silent("sw2"));
  answer_all_switches();
  EXPECT_EQ(outcome().cause, Cause::kNoBandwidth);
}

// ===== removals that are owed, and those that are not =====

TEST_F(OwedAgainTest, ARemovalThatSucceedsAfterAllBeforeTheReleaseIsAnsweredIsNotOwed) {
  start_with_labels({vci(32)}, {vci(40)});
  release(2, connected(1));
  const HopRemoval one = removal("sw1");
  answer("sw1", {not_removed(one)});
  // cmgr <-- sw1: its switch is reachable again, and the hop is removed
  answer("sw1", {removed(one, vci(32))});
  all_done("sw2");
  all_done("sw3");
  const Outcome released = outcome();
  EXPECT_EQ(released.kind, OutcomeKind::kReleased);
  EXPECT_EQ(released.owed.removals, 0U);
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
}

TEST_F(OwedAgainTest, LabelsAskedForInAnEarlierSessionAreNotSubtractedFromTheseOfTheNext) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  EXPECT_EQ(manager().labels_awaited("sw1", PortId{10}), 1U);
  lose("sw1");
  attach("sw1");
  // The second call requests its label and one more from sw1; only now does the first one end.
  connect(2);
  EXPECT_EQ(manager().labels_awaited("sw1", PortId{10}), 1U);
  for (const char* name : {"sw2", "sw3"}) {
    for (const HopRemoval& removal : take(name).removals) answer(name, {removed(removal)});
  }
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw1; owed: 1 removal at sw1");
  EXPECT_EQ(manager().labels_awaited("sw1", PortId{10}), 1U);
}

}  // namespace
}  // namespace xbind::cmgr
