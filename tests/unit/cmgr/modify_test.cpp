// Changing the contract of a connection that is up. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ModifyTest : public ExchangeTest {
 protected:
  // 100 cells/s and 10 cells of buffer, like every call in this file.
  ConnectionId up() {
    start_with_labels({vci(32)}, {vci(40)});
    return connected(1);
  }
  Contract contract_of(ConnectionId call) {
    return manager().describe(call).value().connection.contract();
  }
};

TEST_F(ModifyTest, MoreIsAskedOfEveryHopAndCountsWhenAllHaveAgreed) {
  const ConnectionId call = up();
  // mia --> cmgr: modify 2, 300 cells/s, 20 cells of buffer
  modify(2, call, cells(300, 20));
  // cmgr --> sw1, sw2, sw3: modify
  const HopModify one = change("sw1");
  EXPECT_EQ(one.key, (HopKey{call, Generation{1}, 0, 0}));
  EXPECT_EQ(one.revision, 1U);
  EXPECT_EQ(one.demand, (Resources{300, 20}));
  answer("sw1", {done(one)});
  all_done("sw2");
  EXPECT_THAT(reported(), IsEmpty());
  EXPECT_EQ(contract_of(call).forward, (Resources{100, 10})) << "not yet";
  all_done("sw3");
  // mia <-- cmgr: modified
  const Outcome modified = outcome();
  EXPECT_EQ(modified.kind, OutcomeKind::kModified);
  EXPECT_EQ(modified.request, RequestId{2});
  EXPECT_EQ(modified.connection, call);
  EXPECT_EQ(contract_of(call).forward, (Resources{300, 20}));
  EXPECT_EQ(manager().view_of("sw2").hops.at(0).demand, (Resources{300, 20}));
  EXPECT_EQ(manager().counters().modified, 1U);
  release(3, call);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(ModifyTest, LessIsToldAtOnceAndTheNextChangeHasTheNextRevision) {
  const ConnectionId call = up();
  modify(2, call, cells(50, 5));
  EXPECT_EQ(manager().describe(call).value().connection.state(), State::kLowering);
  const HopModify one = change("sw1");
  EXPECT_EQ(one.demand, (Resources{50, 5}));
  answer("sw1", {done(one)});
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  modify(3, call, cells(60, 5));
  EXPECT_EQ(change("sw1").revision, 2U);
}

TEST_F(ModifyTest, MoreInOneAndLessInTheOtherTakesTwoSteps) {
  const ConnectionId call = up();
  modify(2, call, cells(300, 4));
  // First the maximum of old and new in each component: that change
  // can be undone without a refusal.
  const HopModify raise = change("sw2");
  EXPECT_EQ(raise.demand, (Resources{300, 10}));
  answer("sw2", {done(raise)});
  all_done("sw1");
  all_done("sw3");
  EXPECT_THAT(reported(), IsEmpty());
  // Then the requested contract.
  const HopModify lower = change("sw2");
  EXPECT_EQ(lower.demand, (Resources{300, 4}));
  EXPECT_EQ(lower.revision, raise.revision + 1);
  answer("sw2", {done(lower)});
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(contract_of(call).forward, (Resources{300, 4}));
}

TEST_F(ModifyTest, RefusedByOneHopTheOthersGetTheOldContractBack) {
  const ConnectionId call = up();
  modify(2, call, cells(300));
  all_done("sw1");
  const HopModify three = change("sw3");
  // cmgr <-- sw2: refused, no bandwidth on port 21
  answer("sw2", {refused(change("sw2"), Cause::kNoBandwidth, PortId{21}, 300, 150)});
  // cmgr --> sw1, which has the raise, and sw3, which may have it: the old contract; nothing to sw2
  const HopModify back = change("sw1");
  EXPECT_EQ(back.demand, (Resources{100, 10}));
  EXPECT_EQ(back.revision, 2U);
  EXPECT_TRUE(silent("sw2"));
  const HopModify back_three = change("sw3");
  EXPECT_EQ(back_three.demand, (Resources{100, 10}));
  answer("sw1", {done(back)});
  answer("sw3", {done(three)});
  EXPECT_THAT(reported(), IsEmpty()) << "that was sw3's answer to the raise";
  answer("sw3", {done(back_three)});
  // mia <-- cmgr: refused, with the numbers
  const Outcome refusal = outcome();
  EXPECT_EQ(explain(refusal), "no bandwidth at sw2 port 21: asked 300 cells/s, free 150");
  EXPECT_EQ(refusal.connection, call);
  EXPECT_EQ(manager().describe(call).value().connection.state(), State::kConnected);
  EXPECT_EQ(contract_of(call).forward, (Resources{100, 10}));
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_EQ(manager().gauges().under_way, 0U);
}

TEST_F(ModifyTest, AHopThatDoesNotAnswerEndsTheChangeByTheHopTimer) {
  const ConnectionId call = up();
  modify(2, call, cells(300));
  all_done("sw1");
  all_done("sw3");
  const HopModify raise = change("sw2");
  wait(config.hop_timer);
  // The old contract is restored everywhere. The answer to the raise comes late.
  all_done("sw1");
  all_done("sw3");
  const HopModify back = change("sw2");
  answer("sw2", {done(raise)});
  EXPECT_THAT(reported(), IsEmpty()) << "sw2 has not answered the restoration";
  answer("sw2", {done(back)});
  EXPECT_EQ(explain(outcome()), "timeout at sw2");
  EXPECT_EQ(contract_of(call).forward, (Resources{100, 10}));
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(ModifyTest, WithASwitchAwayNobodyIsToldOfMore) {
  const ConnectionId call = up();
  lose("sw2");
  modify(2, call, cells(300));
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw2");
  EXPECT_TRUE(silent("sw1"));
  EXPECT_TRUE(silent("sw3"));
  EXPECT_EQ(manager().describe(call).value().connection.state(), State::kConnected);
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_EQ(manager().gauges().under_way, 0U);
}

TEST_F(ModifyTest, LessIsOwedToASwitchThatIsAwayAndPaidWhenItIsBack) {
  const ConnectionId call = up();
  lose("sw2");
  modify(2, call, cells(50));
  all_done("sw1");
  EXPECT_THAT(reported(), IsEmpty());
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified) << "it can only be less";
  EXPECT_EQ(contract_of(call).forward.cells_per_s, 50U);
  EXPECT_EQ(manager().gauges().owed, 1U);
  EXPECT_THAT(manager().view_of("sw2").owed, SizeIs(1))
      << "the owed modify is in the view for audits";
  attach("sw2");
  const HopModify late = change("sw2");
  EXPECT_EQ(late.demand, (Resources{50, 10}));
  answer("sw2", {done(late)});
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_EQ(manager().switches().counters().debts_paid, 1U);
}

TEST_F(ModifyTest, ASwitchLostInTheMiddleOfARaiseIsOwedTheOldContract) {
  const ConnectionId call = up();
  modify(2, call, cells(300));
  all_done("sw1");
  all_done("sw3");
  take("sw2");
  lose("sw2");
  answer_all_switches();
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw2");
  EXPECT_EQ(contract_of(call).forward.cells_per_s, 100U);
  EXPECT_EQ(manager().gauges().owed, 1U) << "perhaps it has the new one";
  attach("sw2");
  const HopModify late = change("sw2");
  EXPECT_EQ(late.demand.cells_per_s, 100U);
  EXPECT_EQ(late.revision, 2U);
  answer("sw2", {done(late)});
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(ModifyTest, LoweringThatIsNotAnsweredIsToldAgainAndTheLateAnswerServesForNothingElse) {
  const ConnectionId call = up();
  modify(2, call, cells(50));
  all_done("sw1");
  all_done("sw3");
  const HopModify lower = change("sw2");
  wait(config.hop_timer);
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(manager().gauges().owed, 1U);
  // mia requests more again before sw2 has answered. The new change supersedes the debt.
  modify(3, call, cells(80));
  EXPECT_EQ(manager().gauges().owed, 0U);
  all_done("sw1");
  all_done("sw3");
  const HopModify raise = change("sw2");
  // cmgr <-- sw2: lowered (late)
  answer("sw2", {done(lower)});
  EXPECT_THAT(reported(), IsEmpty()) << "not an answer to the raise";
  // cmgr <-- sw2: the raise is refused
  answer("sw2", {refused(raise, Cause::kNoBandwidth, PortId{21}, 80, 60)});
  answer_all_switches();
  EXPECT_EQ(explain(outcome()), "no bandwidth at sw2 port 21: asked 80 cells/s, free 60");
  EXPECT_EQ(contract_of(call).forward.cells_per_s, 50U);
}

TEST_F(ModifyTest, WhoWasOwedTheOldContractIsToldItThoughItRefusesTheNewOne) {
  const ConnectionId call = up();
  modify(2, call, cells(50));
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(change("sw2"), Cause::kSwitchUnreachable)});
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(manager().gauges().owed, 1U);
  modify(3, call, cells(200));
  EXPECT_EQ(manager().gauges().owed, 0U) << "overtaken";
  all_done("sw1");
  all_done("sw3");
  // cmgr <-- sw2: refused; sw2 still has the earlier 100 cells/s
  answer("sw2", {refused(change("sw2"), Cause::kNoBandwidth, PortId{21}, 200, 120)});
  // cmgr --> sw2: the change to 50 cells/s that sw2 never received
  const HopModify old = change("sw2");
  EXPECT_EQ(old.demand.cells_per_s, 50U);
  answer("sw2", {done(old)});
  answer_all_switches();
  EXPECT_EQ(outcome().cause, Cause::kNoBandwidth);
  EXPECT_EQ(manager().gauges().owed, 0U);
}

// sw2's final answer to an owed change: applied, superseded by a newer change, or the hop is gone.
class OwedChangeAnswer : public ModifyTest, public ::testing::WithParamInterface<Cause> {};

TEST_P(OwedChangeAnswer, SettlesTheDebtWhichIsRetriedUntilThen) {
  const ConnectionId call = up();
  modify(2, call, cells(50));
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(change("sw2"), Cause::kSwitchUnreachable)});
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(manager().gauges().owed, 1U);
  wait(SwitchDesk::kDebtRetry);
  answer("sw2", {refused(change("sw2"), Cause::kTimeout)});
  EXPECT_EQ(manager().gauges().owed, 1U);
  wait(SwitchDesk::kDebtRetry);
  answer("sw2", {refused(change("sw2"), GetParam())});
  EXPECT_EQ(manager().gauges().owed, 0U);
  wait(seconds{5});
  EXPECT_TRUE(silent("sw2"));
}

INSTANTIATE_TEST_SUITE_P(Final, OwedChangeAnswer,
                         ::testing::Values(Cause::kNone, Cause::kStale, Cause::kUnknownConnection,
                                           Cause::kBeingReleased),
                         [](const auto& word) {
                           return std::string(word.param == Cause::kNone    ? "Done"
                                              : word.param == Cause::kStale ? "Stale"
                                              : word.param == Cause::kUnknownConnection
                                                  ? "UnknownConnection"
                                                  : "BeingReleased");
                         });

// One of the other two answers is still due.
TEST_F(ModifyTest, ALostSwitchThatHadAnsweredIsNotCountedAgain) {
  const ConnectionId call = up();
  modify(2, call, cells(50));
  all_done("sw2");
  lose("sw2");
  all_done("sw1");
  EXPECT_THAT(reported(), IsEmpty()) << "sw3 has not answered";
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  attach("sw2");
  wait(SwitchDesk::kDebtRetry);
  EXPECT_TRUE(silent("sw2")) << "it had confirmed the lower contract";
}

TEST_F(ModifyTest, OfSeveralHopsAtALostSwitchOnlyTheUnansweredOnesAreOwed) {
  attach_all();
  ConnectRequest request = call(1);
  request.reverse = cells(70);
  ask("mia", {{request}, {}});
  answer_all_switches();
  const ConnectionId both = outcome().connection;
  modify(2, both, cells(50), cells(40));
  const HopBatch at_sw2 = take("sw2");
  ASSERT_THAT(at_sw2.modifies, SizeIs(2));
  answer("sw2", {done(at_sw2.modifies[0])});
  lose("sw2");
  all_done("sw1");
  EXPECT_THAT(reported(), IsEmpty()) << "sw3 has not answered";
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  attach("sw2");
  const HopModify owed = change("sw2");
  EXPECT_EQ(owed.key, at_sw2.modifies[1].key);
  EXPECT_EQ(owed.demand, at_sw2.modifies[1].demand);
}

TEST_F(ModifyTest, AReleaseBreaksTheChangeOff) {
  const ConnectionId call = up();
  modify(2, call, cells(300));
  take("sw1");
  const HopModify two = change("sw2");
  all_done("sw3");
  release(3, call);
  const Outcome broken = outcome();
  EXPECT_EQ(broken.request, RequestId{2});
  EXPECT_EQ(broken.kind, OutcomeKind::kRefused);
  EXPECT_EQ(broken.cause, Cause::kBeingReleased);
  // The answer to the change arrives in between and has no effect.
  answer("sw2", {done(two)});
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(ModifyTest, WhatIsOwedGoesWithTheConnection) {
  const ConnectionId call = up();
  modify(2, call, cells(50));
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(change("sw2"), Cause::kSwitchUnreachable)});
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  release(3, call);
  EXPECT_EQ(manager().gauges().owed, 0U);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
}

TEST_F(ModifyTest, OneChangeAtATime) {
  const ConnectionId call = up();
  modify(2, call, cells(300));
  modify(3, call, cells(400));
  const Outcome second = outcome();
  EXPECT_EQ(second.request, RequestId{3});
  EXPECT_EQ(second.cause, Cause::kChangeUnderWay);
  add_leaf(4, call, "guy");
  EXPECT_EQ(outcome().cause, Cause::kChangeUnderWay);
  answer_all_switches();
  EXPECT_EQ(outcome().request, RequestId{2});
  modify(5, call, cells(400));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
}

TEST_F(ModifyTest, OnlyWhatIsUpCanBeModified) {
  start_with_labels({vci(32)}, {vci(40)});
  modify(1, ConnectionId{4711}, cells(300));
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
  hold(2, 60'000);
  answer_all_switches();
  const ConnectionId held = outcome().connection;
  modify(3, held, cells(300));
  EXPECT_EQ(outcome().cause, Cause::kNotConnected);
  commit(4, held);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  release(5, held);
  modify(6, held, cells(300));
  const Outcome late = outcome();
  EXPECT_EQ(late.cause, Cause::kBeingReleased);
  EXPECT_EQ(late.asked, held.value());
  EXPECT_EQ(manager().counters().table_misses, 1U);
}

TEST_F(ModifyTest, EveryHopIsToldTheTrafficContractToo) {
  const ConnectionId call = up();
  // mia --> cmgr: a higher rate;  cmgr --> sw1, sw2, sw3: CBR at the new rate
  modify(2, call, cells(300, 20));
  const HopModify one = change("sw1");
  EXPECT_EQ(one.contract, (TrafficContract{ServiceCategory::kCbr, 300, 3'334}));
}

TEST_F(ModifyTest, AnotherServiceCategoryIsRefusedBeforeAnySwitchIsAsked) {
  const ConnectionId call = up();
  ServiceSpec best_effort{ServiceKind::kContract};
  best_effort.contract = {ServiceCategory::kUbr, 100, 50};
  // mia --> cmgr: UBR instead of CBR
  modify(2, call, best_effort);
  const Outcome refused = outcome();
  EXPECT_EQ(refused.kind, OutcomeKind::kRefused);
  EXPECT_EQ(refused.cause, Cause::kInvalidRequest);
  EXPECT_EQ(refused.element, "service category");
  EXPECT_EQ(refused.asked, static_cast<std::uint64_t>(ServiceCategory::kUbr));
  EXPECT_EQ(refused.free, static_cast<std::uint64_t>(ServiceCategory::kCbr));
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(ModifyTest, TheSameContractAgainIsToldAndDone) {
  const ConnectionId call = up();
  modify(2, call, cells(100));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
}

TEST_F(ModifyTest, AReverseIsForConnectionsThatHaveOne) {
  const ConnectionId call = up();
  modify(2, call, cells(300), cells(10));
  EXPECT_EQ(outcome().cause, Cause::kInvalidRequest);
  EXPECT_TRUE(silent("sw1"));
}

TEST_F(ModifyTest, AnswersThatComeTwiceOrToNobodyAreCounted) {
  const ConnectionId call = up();
  modify(2, call, cells(300));
  const HopModify one = change("sw1");
  answer("sw1", {done(one), done(one)});
  EXPECT_EQ(manager().counters().late_results, 1U);
  EXPECT_THAT(reported(), IsEmpty());
  HopModify nobodys = one;
  nobodys.key.connection = ConnectionId{4711};
  answer("sw1", {done(nobodys)});
  EXPECT_EQ(manager().counters().late_results, 2U);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
}

}  // namespace
}  // namespace xbind::cmgr
