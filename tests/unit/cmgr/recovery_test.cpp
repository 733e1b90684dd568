// A manager that ends, and the next one of its name: the calls of the first stand.
#include "recovery_fixture.hpp"

namespace xbind::cmgr {
namespace {

TEST_F(RecoveryTest, ACallStandsWithItsHopsAndCanBeReleased) {
  holds_call(earlier(1));
  restart();
  EXPECT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  const auto about = manager().describe(earlier(1));
  ASSERT_TRUE(about.has_value());
  EXPECT_EQ(about->client, "mia");
  EXPECT_EQ(about->connection.state(), State::kConnected);
  EXPECT_EQ(about->connection.ends->from, "ann");
  EXPECT_EQ(about->connection.ends->to, "bob");
  EXPECT_EQ(about->connection.contract().forward, (Resources{100, 10}));
  ASSERT_THAT(about->connection.hops(), SizeIs(3));
  EXPECT_EQ(static_cast<Label>(about->connection.hops().front().input_label), vci(500));
  EXPECT_TRUE(silent("sw1")) << "no switch is sent anything";

  release(1, earlier(1));
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_THAT(manager().list(ConnectionId{}, 10), IsEmpty());
}

TEST_F(RecoveryTest, NewCallsHaveOtherIds) {
  holds_call(earlier(1));
  restart();
  learn_route();
  answer("sw1", {}, {{PortId{10}, {vci(70)}}});
  answer("sw2", {}, {{PortId{21}, {vci(71)}}});
  const ConnectionId fresh = connected(20);
  EXPECT_EQ(epoch_of(fresh), kEarlier + 1);
  EXPECT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1), fresh));
}

TEST_F(RecoveryTest, AClientThatRepeatsItsRequestGetsTheOutcomeOfTheCallThatStands) {
  holds_call(earlier(1));
  restart();
  connect(9);
  const Outcome again = outcome();
  EXPECT_EQ(again.kind, OutcomeKind::kConnected);
  EXPECT_EQ(again.connection, earlier(1));
  EXPECT_EQ(again.ingress, vci(500));
  EXPECT_EQ(again.egress, vci(600));
  EXPECT_TRUE(silent("sw1"));
}

TEST_F(RecoveryTest, ARepeatedRequestKeepsItsOutcomeThoughTheCallHasBeenReleased) {
  holds_call(earlier(1));
  restart();
  learn_route();
  clients_.at("mia").deaf = true;
  connect(9);
  release(10, earlier(1));
  answer_all_switches();
  clients_.at("mia").deaf = false;
  connect(9);
  wait(seconds{5});  // the first answer is sent again
  std::vector<Outcome> heard = reported();
  std::erase_if(heard, [](const Outcome& one) { return one.request != RequestId{9}; });
  ASSERT_THAT(heard, SizeIs(2));
  EXPECT_EQ(heard[0].kind, OutcomeKind::kConnected);
  EXPECT_EQ(heard[1], heard[0]);
  EXPECT_EQ(manager().gauges().connections, 0U) << "it asks for no second call";
}

TEST_F(RecoveryTest, AClientThatHasRestartedMeansANewCallByTheSameNumber) {
  holds_call(earlier(1));
  restart();
  log_in("mia", 2);
  learn_route();
  connect(9);
  EXPECT_THAT(reported(), IsEmpty()) << "the call is being set up";
}

TEST_F(RecoveryTest, WhatIsLeftOfACallThatWasBeingSetUpIsRemoved) {
  holds("sw1", earlier(1), 0, 1, 500, 10, 40);
  holds("sw2", earlier(1), 1, 20, 40, 21, 41).stage = HopStage::kCommitting;
  restart();
  EXPECT_THAT(manager().list(ConnectionId{}, 10), IsEmpty());
  EXPECT_EQ(manager().gauges().owed, 2U);
  wait(milliseconds{1});
  const HopRemoval first = removal("sw1");
  const HopRemoval second = removal("sw2");
  EXPECT_EQ(first.key.hop, 0);
  EXPECT_EQ(second.key.hop, 1);
  // The label of the link is free once both of its ends have removed their hop.
  answer("sw1", {removed(first, vci(40))});
  EXPECT_TRUE(silent("sw1"));
  answer("sw2", {removed(second, vci(41))});
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(40)}}));
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(RecoveryTest, ACallThatIsNotWholeEndsWithOneEvent) {
  holds("sw1", earlier(7), 0, 1, 500, 10, 40);
  holds("sw2", earlier(7), 1, 20, 40, 21, 41);
  holds_call(earlier(8));
  restart();
  const EventPage page = manager().calls_after(0, 10, {now, 0});
  ASSERT_THAT(page.events, SizeIs(1));
  EXPECT_EQ(page.events[0].kind, EventKind::kEnded);
  EXPECT_EQ(page.events[0].connection, earlier(7));
  EXPECT_EQ(page.events[0].object, client_.client);
  EXPECT_EQ(page.events[0].to, "bob");
}

TEST_F(RecoveryTest, ACallWaitsForASwitchThatHasNotBeenRead) {
  holds_call(earlier(1));
  restart({"sw2"});
  manager().serve_with_switches_missing(now);
  finish();
  EXPECT_EQ(manager().recovery().waiting(), 1U);
  EXPECT_THAT(manager().list(ConnectionId{}, 10), IsEmpty());
  modify(1, earlier(1), cells(50));
  EXPECT_EQ(outcome().cause, Cause::kIncomplete);
  come_back("sw2");
  EXPECT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(1)));
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(RecoveryTest, ACallThatWaitsCanBeReleasedAndItsLastHopIsRemovedWhenItIsFound) {
  holds_call(earlier(1));
  restart({"sw2"});
  manager().serve_with_switches_missing(now);
  finish();
  release(1, earlier(1));
  const Outcome released = outcome();
  EXPECT_EQ(released.kind, OutcomeKind::kReleased);
  EXPECT_EQ(released.owed.removals, 2U);
  wait(milliseconds{1});
  all_done("sw1");
  all_done("sw3");
  come_back("sw2");
  wait(milliseconds{1});
  all_done("sw2");
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_TRUE(manager().recovery().done());
}

TEST_F(RecoveryTest, ARemovedHopsLabelRestsUntilTheSwitchAtItsOtherEndHasBeenRead) {
  holds_call(earlier(1));
  release_without("sw2");
  answer("sw1", {removed(removal("sw1"), vci(40))});
  all_done("sw3");
  wait(milliseconds{200});
  EXPECT_TRUE(silent("sw1")) << "the hop at sw2 still has the label";
  come_back("sw2");
  wait(milliseconds{1});
  answer("sw2", {removed(removal("sw2"), vci(41))});
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(40)}}));
}

TEST_F(RecoveryTest, ALabelThatIsFoundLaterRestsUntilTheHopAtItsOtherEndIsRemoved) {
  holds_call(earlier(1));
  release_without("sw1");
  const HopRemoval second = removal("sw2");
  all_done("sw3");
  come_back("sw1");
  wait(milliseconds{1});
  answer("sw1", {removed(removal("sw1"), vci(40))});
  wait(milliseconds{200});
  EXPECT_TRUE(silent("sw1")) << "the removal at sw2 has no answer";
  answer("sw2", {removed(second, vci(41))});
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(40)}}));
}

TEST_F(RecoveryTest, AnIdOfWhichNothingIsLeftHasBeenReleased) {
  restart();
  release(1, earlier(77));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  release(2, ConnectionId{77});
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection) << "no epoch has given it out";
}

TEST_F(RecoveryTest, AContractThatHadNotReachedEveryHopIsSetToTheLesserOne) {
  holds_call(earlier(1));
  held_["sw2"].front().demand = {300, 10};
  held_["sw2"].front().revision = 6;
  restart();
  EXPECT_EQ(manager().describe(earlier(1))->connection.contract().forward, (Resources{100, 10}));
  wait(milliseconds{1});
  const HopModify lowered = change("sw2");
  EXPECT_EQ(lowered.demand, (Resources{100, 10}));
  EXPECT_EQ(lowered.revision, 7U);
  EXPECT_TRUE(silent("sw1"));
}

// A change to fewer cells/s was confirmed to the client and owed to sw1. The next one, to a greater
// buffer, had reached the other two when the manager ended. No hop has what was confirmed.
TEST_F(RecoveryTest, OfTwoChangesThatHadNotReachedEveryHopTheLeastOfEachIsLeft) {
  holds_call(earlier(1));
  for (const char* name : {"sw2", "sw3"}) {
    held_[name].front().demand = {50, 30};
    held_[name].front().revision = 2;
  }
  restart();
  EXPECT_EQ(manager().describe(earlier(1))->connection.contract().forward, (Resources{50, 10}));
  wait(milliseconds{1});
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    EXPECT_EQ(change(name).demand, (Resources{50, 10})) << name;
  }
}

// The first step of a change to a lower rate and a greater buffer had reached one hop: it has the
// new contract's CDVT beside the rate of the old one (seed 102 of the simulator).
TEST_F(RecoveryTest, AContractThatIsTheLeastOfAllIsTheCallsWithItsTolerance) {
  const auto cbr = [](std::uint32_t cdvt_us) {
    return TrafficContract{ServiceCategory::kCbr, 100, cdvt_us, 0, 0, 0};
  };
  for (const char* raised : {"sw1", "sw2", "sw3"}) {
    SCOPED_TRACE(raised);
    holds_call(earlier(1));
    for (const char* name : {"sw1", "sw2", "sw3"}) {
      LedgerHop& hop = held_[name].front();
      const bool first_step = name == std::string_view{raised};
      hop.demand = {100, first_step ? 30U : 10U};
      hop.contract = cbr(first_step ? 16'667 : 6'098);
    }
    restart();
    EXPECT_EQ(manager().describe(earlier(1))->connection.contract().forward, (Resources{100, 10}));
    EXPECT_EQ(manager().describe(earlier(1))->connection.contract().traffic, cbr(6'098));
    held_.clear();
  }
}

// Its command is on the way to the switch, which may refuse it; no manager hears the answer.
TEST_F(RecoveryTest, AHopWhoseContractIsBeingChangedIsSentThatOfTheCall) {
  holds_call(earlier(1));
  held_["sw2"].front().settled = false;
  held_["sw2"].front().revision = 6;
  restart();
  wait(milliseconds{1});
  const HopModify again = change("sw2");
  EXPECT_EQ(again.demand, (Resources{100, 10}));
  EXPECT_EQ(again.revision, 7U);
  EXPECT_TRUE(silent("sw1"));
}

TEST_F(RecoveryTest, AHoldStandsAndCanBeCommitted) {
  holds_call(earlier(1));
  reserved_for(std::chrono::minutes{10});
  restart();
  EXPECT_EQ(manager().describe(earlier(1))->connection.state(), State::kHeld);
  commit(1, earlier(1));
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(RecoveryTest, ACommitThatTheEarlierEpochCarriedOutIsAnswered) {
  holds_call(earlier(1));
  restart();
  commit(1, earlier(1));
  const Outcome committed = outcome();
  EXPECT_EQ(committed.kind, OutcomeKind::kConnected);
  EXPECT_EQ(committed.egress, vci(600));
  commit(2, earlier(1));
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected) << "as often as it is asked";
}

TEST_F(RecoveryTest, AHoldEndsWhenItWouldHaveEnded) {
  holds_call(earlier(1));
  reserved_for(std::chrono::minutes{10});
  held_["sw2"].front().hold_left =
      std::chrono::minutes{10} + seconds{1};  // the last one that was reserved
  restart();
  wait(std::chrono::minutes{10} + milliseconds{999});
  EXPECT_EQ(manager().describe(earlier(1))->connection.state(), State::kHeld);
  wait(milliseconds{2});
  EXPECT_EQ(manager().counters().holds_expired, 1U);
  for (const char* name : {"sw1", "sw2", "sw3"}) EXPECT_THAT(take(name).removals, SizeIs(1));
}

TEST_F(RecoveryTest, AHoldWhoseTimeWasOverMeanwhileEndsAtOnce) {
  holds_call(earlier(1));
  reserved_for({});
  restart();
  wait(milliseconds{1});
  EXPECT_EQ(manager().counters().holds_expired, 1U);
  for (const char* name : {"sw1", "sw2", "sw3"}) EXPECT_THAT(take(name).removals, SizeIs(1));
  commit(1, earlier(1));
  EXPECT_EQ(outcome().cause, Cause::kHoldExpired);
}

TEST_F(RecoveryTest, TheTimeOfAHoldPassesWhileItWaitsForASwitch) {
  holds_call(earlier(1));
  reserved_for(seconds{30});
  restart({"sw3"});
  wait(seconds{20});
  EXPECT_EQ(manager().claims_at("sw1", now).at(0).hops.at(0).hold_left, seconds{10});
  held_["sw3"].front().hold_left = seconds{10};
  come_back("sw3");
  EXPECT_EQ(manager().describe(earlier(1))->connection.state(), State::kHeld);
  wait(seconds{10} + milliseconds{1});
  EXPECT_EQ(manager().counters().holds_expired, 1U);
}

TEST_F(RecoveryTest, ALabelInQuarantineIsReturnedWhenEverySwitchHasBeenRead) {
  resting_["sw1"] = {{PortId{10}, {vci(40), vci(41)}}};
  // The hop that cells with label 40 would reach has not been removed yet.
  holds("sw2", earlier(1), 1, 20, 40, 21, 45);
  restart({"sw3"});
  wait(milliseconds{200});
  EXPECT_TRUE(silent("sw1"));
  come_back("sw3");
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(41)}}));
  answer("sw2", {removed(removal("sw2"), vci(45))});
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(40)}}));
}

TEST_F(RecoveryTest, ARemovalThatAnEarlierSessionEndedLeavesTheLabelToTheNextAttachment) {
  LedgerHop& going = holds("sw1", earlier(1), 0, 1, 500, 10, 40);
  going.stage = HopStage::kRemoving;
  restart();
  wait(milliseconds{1});
  take_attach_requests();
  // The switch has confirmed the removal of the earlier session meanwhile: this one finds nothing.
  answer("sw1", {removed(removal("sw1"))});
  wait(milliseconds{1});
  EXPECT_THAT(take_attach_requests(), ElementsAre("sw1"));
  attach("sw1", {{PortId{10}, {vci(40)}}});
  wait(milliseconds{200});
  EXPECT_THAT(take("sw1").returned, ElementsAre(PortLabels{PortId{10}, {vci(40)}}));
}

TEST_F(RecoveryTest, APreparedConnectionIsItsClientsUnderTheIdThatTheClientKnows) {
  holds_call(earlier(1));
  held_["sw1"].front().shown_id = earlier(2);
  held_["sw1"].front().revision = 3;
  restart();
  EXPECT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(2)));
  release(1, earlier(2));
  for (const char* name : {"sw1", "sw2", "sw3"})
    EXPECT_EQ(removal(name).key.connection, earlier(1));
}

// The manager ended before both ledgers had received the handover, or one of them was lost.
TEST_F(RecoveryTest, TheLedgerAtItsLastHopKnowsWhoHasTakenAPreparedConnection) {
  owner_at_["sw1"] = HopOwner{std::string{kTwoWayClient}, Epoch{}, "ann", "bob"};
  holds_call(earlier(1));
  held_["sw1"].front().request = {};
  held_["sw3"].front().shown_id = earlier(2);
  held_["sw3"].front().revision = 1;
  restart();
  ASSERT_THAT(manager().list(ConnectionId{}, 10), ElementsAre(earlier(2)));
  EXPECT_EQ(manager().describe(earlier(2))->client, "mia");
}

TEST_F(RecoveryTest, TheLedgerAtItsLastHopKnowsThatAPreparedConnectionWasGivenBack) {
  owner_at_["sw3"] = HopOwner{std::string{kTwoWayClient}, Epoch{}, "ann", "bob"};
  holds_call(earlier(1));
  for (auto& [name, hops] : held_) hops.front().contract = network_of(cells(100))->contract;
  held_["sw1"].front().shown_id = earlier(2);
  held_["sw1"].front().revision = 1;
  held_["sw3"].front().request = {};
  held_["sw3"].front().revision = 2;
  prepares_ = true;
  restart();
  EXPECT_EQ(manager().gauges().prepared, 1U);
}

TEST_F(RecoveryTest, APreparedConnectionThatNobodyHasGoesToItsPoolOrIsReleased) {
  client_ = HopOwner{std::string{kTwoWayClient}, Epoch{}, "ann", "bob"};
  holds_call(earlier(1));
  for (auto& [name, hops] : held_) {
    hops.front().request = {};
    hops.front().contract = network_of(cells(100))->contract;
  }
  prepares_ = true;
  restart();
  EXPECT_EQ(manager().describe(earlier(1))->connection.state(), State::kConnected);
  EXPECT_EQ(manager().gauges().prepared, 1U);
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), 0, now).has_value());
  finish();
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_FALSE(manager().describe(earlier(1)).has_value());
}

TEST_F(RecoveryTest, APoolSetsUpNothingWhileItsConnectionsMayComeBack) {
  client_ = HopOwner{std::string{kTwoWayClient}, Epoch{}, "ann", "bob"};
  holds_call(earlier(1));
  for (auto& [name, hops] : held_) {
    hops.front().request = {};
    hops.front().contract = network_of(cells(100))->contract;
  }
  prepares_ = begins_ = true;
  restart({"sw3"});
  wait(seconds{5});
  EXPECT_EQ(manager().gauges().connections, 0U);
  come_back("sw3");
  wait(seconds{5});
  EXPECT_EQ(manager().gauges().prepared, 1U);
  EXPECT_EQ(manager().gauges().connections, 1U) << "the one that was there";
}

TEST_F(RecoveryTest, APreparedConnectionWithALeafIsNotKeptForTheNextCall) {
  holds_call(earlier(1));
  holds_leaf(earlier(1));
  held_["sw1"].front().shown_id = earlier(2);
  for (auto& [name, hops] : held_) {
    for (LedgerHop& hop : hops) hop.contract = network_of(cells(100))->contract;
  }
  prepares_ = true;
  restart();
  release(1, earlier(2));
  for (const char* name : {"sw1", "sw2", "sw3", "sw4"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().prepared, 0U);
  EXPECT_FALSE(manager().describe(earlier(1)).has_value());
}

TEST_F(RecoveryTest, ATreeComesBackWithItsLeaf) {
  holds_call(earlier(1));
  to_["sw2"] = {"bob", "eve"};
  holds_leaf(earlier(1));
  to_["sw4"] = {"eve"};
  restart();
  const Connection& tree = manager().describe(earlier(1))->connection;
  ASSERT_THAT(tree.leaves(), SizeIs(1));
  EXPECT_EQ(tree.leaves().front().end, "eve");
  EXPECT_THAT(tree.hops(), SizeIs(5));
  drop_leaf(1, earlier(1), "eve");
  EXPECT_EQ(removal("sw2").key.leg, 2);
  EXPECT_EQ(removal("sw4").key.leg, 2);
}

}  // namespace
}  // namespace xbind::cmgr
