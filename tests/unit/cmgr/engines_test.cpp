// The engines that wait for every answer (sequential, threaded): what they send, to which switch,
// and when. exchange.hpp shows the network.
#include <fmt/format.h>

#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EnginesTest : public ExchangeTest {
 protected:
  EnginesTest() {
    config.one_by_one = true;
    config.operations_at_once = 1;
    config.label_cache_target = 0;
    config.crankbacks = 0;
  }
  static std::string words(const Invocation& asked) {
    std::string text;
    for (const HopModify& change : asked.batch.modifies) {
      text += fmt::format("modify {} leg {}", asked.name, change.key.leg);
    }
    for (const HopSetup& setup : asked.batch.setups) {
      text += fmt::format("{} {}", setup.commit ? "commit" : "reserve", asked.name);
    }
    for (const HopRemoval& removal : asked.batch.removals) {
      text += fmt::format("remove {} leg {}", asked.name, removal.key.leg);
    }
    return text;
  }
  // The only invocation that is pending.
  Invocation next() {
    const auto asked = invocations();
    EXPECT_THAT(asked, SizeIs(1));
    return asked.empty() ? Invocation{} : asked.front();
  }
  // Answers the pending invocation with "done" and describes it.
  std::string served() {
    const Invocation asked = next();
    reply(asked);
    return words(asked);
  }
  // Answers every invocation until none is pending; returns their descriptions.
  std::vector<std::string> all_served() {
    std::vector<std::string> said;
    for (auto asked = invocations(); !asked.empty(); asked = invocations()) {
      for (const Invocation& it : asked) {
        said.push_back(words(it));
        reply(it);
      }
    }
    return said;
  }
  // A change to 300 cells/s times out at sw1, so the manager owes sw1 its old contract. The session
  // has sent that one; sw1 has not answered it yet.
  HopModify owe_sw1_old_contract(ConnectionId call) {
    modify(2, call, cells(300));
    const Invocation slow = next();
    wait(2 * config.hop_timer);
    EXPECT_EQ(explain(outcome()), "timeout at sw1");
    wait(SwitchDesk::kDebtRetry);
    HopModify older = change("sw1");
    reply(slow);
    return older;
  }
  ConnectionId up(std::uint64_t request) {
    connect(request);
    all_served();
    const Outcome answer = outcome();
    EXPECT_EQ(answer.kind, OutcomeKind::kConnected) << explain(answer);
    return answer.connection;
  }
  void fail_it(const Invocation& asked) {
    reply(asked, fail(ErrorCode::kUnreachable, "the connection broke"));
  }
};

TEST_F(EnginesTest, TheSequentialEngineDoesOneThingAfterAnother) {
  config.remote_qos = true;
  config.qos_cache = false;
  config.route_cache = false;
  attach_all();
  connect(1);
  connect(2);
  // cmgr --> QOSMapper, for the first call only
  EXPECT_THAT(take_service_queries(), ElementsAre(cells(100)));
  EXPECT_THAT(take_route_queries(), IsEmpty());
  manager().on_services({{cells(100), NetworkService{{100, 10}}}}, now);
  finish();
  // cmgr --> RouteObject
  const auto queries = take_route_queries();
  ASSERT_THAT(queries, SizeIs(1));
  route(found(queries[0]));
  // cmgr --> every switch but the last: reserve; then to every switch: commit
  EXPECT_EQ(served(), "reserve sw1");
  EXPECT_EQ(served(), "reserve sw2");
  EXPECT_EQ(served(), "commit sw1");
  EXPECT_EQ(served(), "commit sw2");
  EXPECT_THAT(reported(), IsEmpty());
  EXPECT_THAT(take_service_queries(), IsEmpty()) << "the second call waits";
  EXPECT_EQ(served(), "commit sw3");
  const Outcome first = outcome();
  EXPECT_EQ(first.request, RequestId{1});
  EXPECT_EQ(first.ingress, vci(500));
  EXPECT_EQ(first.egress, vci(600));
  // Now the second call, from the beginning.
  EXPECT_THAT(take_service_queries(), SizeIs(1));
  EXPECT_EQ(manager().counters().waited, 1U);
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    EXPECT_TRUE(silent(name)) << "nothing goes in oneway batches";
  }
}

TEST_F(EnginesTest, TheChainOfLabelsIsTheSameAsInBatches) {
  attach_all();
  connect(1);
  const Invocation one = next();
  reply(one, HopResultBatch{{done(one.batch.setups.at(0), vci(32))}, {}});
  const Invocation two = next();
  reply(two, HopResultBatch{{done(two.batch.setups.at(0), vci(40))}, {}});
  const Invocation commit_one = next();
  EXPECT_EQ(commit_one.batch.setups.at(0).output_label, vci(32));
  EXPECT_EQ(commit_one.batch.setups.at(0).labels_wanted, 0);
  reply(commit_one);
  const Invocation commit_two = next();
  EXPECT_EQ(commit_two.batch.setups.at(0).input_label, vci(32));
  EXPECT_EQ(commit_two.batch.setups.at(0).output_label, vci(40));
}

TEST_F(EnginesTest, AReleaseIsOneRemovalAfterAnother) {
  attach_all();
  const ConnectionId call = up(1);
  release(2, call);
  EXPECT_EQ(served(), "remove sw1 leg 0");
  EXPECT_EQ(served(), "remove sw2 leg 0");
  EXPECT_THAT(reported(), IsEmpty());
  EXPECT_EQ(served(), "remove sw3 leg 0");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(EnginesTest, ARemovalAnsweredBeforeItsTurnIsNotSentAndNotCountedTwice) {
  attach_all();
  const ConnectionId call = up(1);
  const Connection& connection = manager().describe(call)->connection;
  const HopKey second = key_of(connection, *std::next(connection.hops().begin()));
  release(2, call);
  const Invocation first = next();
  EXPECT_EQ(words(first), "remove sw1 leg 0");
  // An earlier removal of the hop at sw2, answered in the session.
  answer("sw2", {removed(HopRemoval{second, 0}, vci(40))});
  reply(first);
  EXPECT_THAT(reported(), IsEmpty());
  EXPECT_EQ(served(), "remove sw3 leg 0");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
}

TEST_F(EnginesTest, LabelsThatNobodyCachesGoBackThroughTheSessionWhichLosesNothing) {
  attach_all();
  const ConnectionId call = up(1);
  release(2, call);
  all_served();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  connect(3);
  EXPECT_THAT(next().batch.returned, IsEmpty()) << "an invocation may fail";
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw1").returned, SizeIs(1));
  EXPECT_THAT(take("sw2").returned, SizeIs(1));
}

TEST_F(EnginesTest, ARefusalEndsTheSequence) {
  attach_all();
  connect(1);
  served();
  served();
  EXPECT_EQ(served(), "commit sw1");
  const Invocation two = next();
  reply(two, HopResultBatch{
                 {refused(two.batch.setups.at(0), Cause::kNoBandwidth, PortId{21}, 100, 20)}, {}});
  EXPECT_EQ(served(), "remove sw1 leg 0");
  EXPECT_THAT(invocations(), IsEmpty()) << "sw2 has nothing left, sw3 never had";
  EXPECT_EQ(explain(outcome()), "no bandwidth at sw2 port 21: asked 100 cells/s, free 20");
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(EnginesTest, AnInvocationOfUnknownEndIsRemovedToo) {
  attach_all();
  connect(1);
  served();
  served();
  served();
  fail_it(next());  // the commit at sw2
  EXPECT_THAT(all_served(), ElementsAre("remove sw1 leg 0", "remove sw2 leg 0"));
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw2");
  expect_nothing_left();
}

TEST_F(EnginesTest, ARemovalOfUnknownEndIsOwedAndSentInABatch) {
  attach_all();
  const ConnectionId call = up(1);
  release(2, call);
  served();
  fail_it(next());
  EXPECT_EQ(served(), "remove sw3 leg 0");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().owed, 1U);
  wait(SwitchDesk::kDebtRetry);
  answer("sw2", {removed(removal("sw2"))});
  expect_nothing_left();
}

TEST_F(EnginesTest, WhenTheTimeIsOverTheAnswerThatComesLateChangesNothing) {
  attach_all();
  connect(1);
  served();
  const Invocation slow = next();  // the reservation at sw2
  wait(config.hop_timer);
  EXPECT_THAT(invocations(), IsEmpty()) << "one at a time: sw2 has to answer first";
  reply(slow);
  EXPECT_THAT(all_served(), ElementsAre("remove sw1 leg 0", "remove sw2 leg 0"));
  EXPECT_EQ(explain(outcome()), "timeout at sw2");
  EXPECT_EQ(manager().counters().meaningless_events, 0U);
  expect_nothing_left();
}

TEST_F(EnginesTest, WhatHasNotBeenSaidWhenTheUndoTimerIsOverIsOwed) {
  attach_all();
  connect(1);
  served();
  served();
  served();
  const Invocation silent_one = next();  // the commit at sw2, never answered in time
  wait(config.hop_timer);
  wait(config.undo_timer);
  EXPECT_EQ(explain(outcome()), "timeout at sw2; owed: 2 removals at sw1, sw2");
  EXPECT_EQ(manager().gauges().connections, 0U);
  EXPECT_EQ(manager().gauges().owed, 2U) << "sw1 received no removal, sw2 did not answer";
  wait(SwitchDesk::kDebtRetry);
  answer("sw1", {removed(removal("sw1"))});
  answer("sw2", {removed(removal("sw2"))});
  reply(silent_one);
  EXPECT_EQ(manager().counters().late_results, 1U);
  expect_nothing_left();
}

TEST_F(EnginesTest, AfterALostSessionTheSequenceGoesOnWithoutThatSwitch) {
  attach_all();
  connect(1);
  served();
  const Invocation two = next();
  lose("sw2");
  EXPECT_THAT(invocations(), IsEmpty());
  fail_it(two);
  EXPECT_EQ(served(), "remove sw1 leg 0");
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw2; owed: 1 removal at sw2");
  EXPECT_EQ(manager().gauges().owed, 1U);
  attach("sw2");
  answer("sw2", {removed(removal("sw2"))});
  expect_nothing_left();
}

TEST_F(EnginesTest, AReleaseIsBegunBeforeSetupsThatWaitLonger) {
  attach_all();
  const ConnectionId call = up(1);
  connect(2);
  connect(3);
  release(4, call);
  for (int i = 0; i < 5; ++i) served();
  EXPECT_EQ(outcome().request, RequestId{2});
  EXPECT_EQ(served(), "remove sw1 leg 0");
  served();
  served();
  EXPECT_EQ(outcome().request, RequestId{4});
  EXPECT_EQ(served(), "reserve sw1");
}

TEST_F(EnginesTest, AModifyGoesFromHopToHopAndBackWhenOneRefuses) {
  attach_all();
  const ConnectionId call = up(1);
  modify(2, call, cells(300));
  EXPECT_EQ(served(), "modify sw1 leg 0");
  const Invocation two = next();
  const HopModify& raise = two.batch.modifies.at(0);
  reply(two, HopResultBatch{{refused(raise, Cause::kNoBandwidth, PortId{21}, 300, 150)}, {}});
  const Invocation back = next();
  EXPECT_EQ(words(back), "modify sw1 leg 0");
  EXPECT_EQ(back.batch.modifies.at(0).demand.cells_per_s, 100U);
  reply(back);
  EXPECT_THAT(invocations(), IsEmpty()) << "sw3 never received the modify";
  EXPECT_EQ(outcome().cause, Cause::kNoBandwidth);
  EXPECT_EQ(manager().gauges().under_way, 0U);
}

TEST_F(EnginesTest, ASilentSwitchIsOwedTheOldContractAndItsLateAnswerServesForNothingElse) {
  config.hop_timer = seconds{1};
  attach_all();
  const ConnectionId call = up(1);
  modify(2, call, cells(300));
  const Invocation slow = next();  // to sw1
  wait(config.hop_timer);
  EXPECT_THAT(reported(), IsEmpty()) << "the old contract is to be put back";
  wait(config.hop_timer);
  EXPECT_EQ(explain(outcome()), "timeout at sw1");
  EXPECT_EQ(manager().gauges().owed, 1U);
  // cmgr --> sw1: the old contract, by the session;  cmgr <-- sw1: both answers at once
  wait(SwitchDesk::kDebtRetry);
  const HopModify owed = change("sw1");
  EXPECT_EQ(owed.demand.cells_per_s, 100U);
  reply(slow);
  answer("sw1", {done(owed)});
  EXPECT_EQ(manager().gauges().owed, 0U);
  modify(3, call, cells(300));
  EXPECT_THAT(all_served(),
              ElementsAre("modify sw1 leg 0", "modify sw2 leg 0", "modify sw3 leg 0"));
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
}

TEST_F(EnginesTest, TheAnswerToAnOlderDebtDoesNotPayTheNewerOne) {
  config.hop_timer = seconds{1};
  attach_all();
  const ConnectionId call = up(1);
  const HopModify older = owe_sw1_old_contract(call);
  // cmgr --> sw1: 50 cells/s. sw1 cannot be reached, so the manager now owes it these instead.
  modify(3, call, cells(50));
  fail_it(next());
  EXPECT_THAT(all_served(), ElementsAre("modify sw2 leg 0", "modify sw3 leg 0"));
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(manager().gauges().owed, 1U);
  // cmgr <-- sw1: the change back to 100 cells/s is done
  answer("sw1", {done(older)});
  EXPECT_EQ(manager().gauges().owed, 1U) << "the 50 are not";
  wait(SwitchDesk::kDebtRetry);
  const HopModify newer = change("sw1");
  EXPECT_EQ(newer.demand.cells_per_s, 50U);
  answer("sw1", {done(newer)});
  EXPECT_EQ(manager().gauges().owed, 0U);
}

// The session sent the older contract to sw1 before sw1 accepted the newer one.
TEST_F(EnginesTest, ADebtThatALaterChangeHasOvertakenIsForgiven) {
  config.hop_timer = seconds{1};
  attach_all();
  const ConnectionId call = up(1);
  const HopModify older = owe_sw1_old_contract(call);
  modify(3, call, cells(50));
  EXPECT_THAT(all_served(),
              ElementsAre("modify sw1 leg 0", "modify sw2 leg 0", "modify sw3 leg 0"));
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(manager().gauges().owed, 0U);
  // cmgr <-- sw1: stale
  HopResult stale = done(older);
  stale.cause = Cause::kStale;
  answer("sw1", {stale});
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(EnginesTest, AReleaseDuringAModifyWaitsForTheAnswerUnderWay) {
  config.operations_at_once = 2;
  attach_all();
  const ConnectionId call = up(1);
  modify(2, call, cells(300));
  const Invocation one = next();
  release(3, call);
  EXPECT_EQ(outcome().cause, Cause::kBeingReleased);
  EXPECT_THAT(invocations(), IsEmpty());
  reply(one);
  EXPECT_THAT(all_served(),
              ElementsAre("remove sw1 leg 0", "remove sw2 leg 0", "remove sw3 leg 0"));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
}

TEST_F(EnginesTest, AReleaseWhileALeafIsAddedWaitsForTheAnswerUnderWay) {
  config.operations_at_once = 2;
  attach_all();
  attach("sw4");
  learn_route("eve");
  const ConnectionId call = up(1);
  add_leaf(2, call, "eve");
  const Invocation branch = next();
  EXPECT_EQ(words(branch), "reserve sw2");
  release(3, call);
  EXPECT_EQ(outcome().cause, Cause::kBeingReleased);
  EXPECT_THAT(invocations(), IsEmpty()) << "one at a time, for one connection";
  reply(branch);
  EXPECT_THAT(all_served(), ElementsAre("remove sw1 leg 0", "remove sw2 leg 0", "remove sw3 leg 0",
                                        "remove sw2 leg 2"));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
}

TEST_F(EnginesTest, AReleaseWhileALeafIsDroppedSaysWhatHasNotBeenSaid) {
  config.operations_at_once = 2;
  attach_all();
  attach("sw4");
  learn_route("eve");
  const ConnectionId call = up(1);
  add_leaf(2, call, "eve");
  all_served();
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded);
  drop_leaf(3, call, "eve");
  const Invocation branch = next();
  EXPECT_EQ(words(branch), "remove sw2 leg 2");
  release(4, call);
  EXPECT_EQ(outcome().cause, Cause::kBeingReleased);
  reply(branch);
  EXPECT_THAT(all_served(), ElementsAre("remove sw1 leg 0", "remove sw2 leg 0", "remove sw3 leg 0",
                                        "remove sw4 leg 2"));
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
}

TEST_F(EnginesTest, TheThreadedEngineHasAsManyCallsUnderWayAsThreads) {
  config.operations_at_once = 2;
  attach_all();
  ask("mia", {{call(1), call(2), call(3)}, {}});
  const auto asked = invocations();
  ASSERT_THAT(asked, SizeIs(2)) << "of two calls; the third waits";
  EXPECT_NE(asked[0].batch.setups.at(0).key.connection, asked[1].batch.setups.at(0).key.connection);
  reply(asked[1]);
  EXPECT_EQ(words(next()), "reserve sw2") << "each goes at its own pace";
  EXPECT_EQ(manager().gauges().under_way, 2U);
}

TEST_F(EnginesTest, AHoldReservesAtEverySwitch) {
  attach_all();
  hold(1, 1'000);
  EXPECT_THAT(all_served(), ElementsAre("reserve sw1", "reserve sw2", "reserve sw3"));
  commit(2, outcome().connection);
  EXPECT_THAT(all_served(), ElementsAre("commit sw1", "commit sw2", "commit sw3"));
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(EnginesTest, ARemovalOfUnknownEndAndUnknownLabelEndsTheSession) {
  attach_all();
  connect(1);
  EXPECT_EQ(served(), "reserve sw1");
  // cmgr --> sw2: reserve. It is unknown which label sw2 has allocated, if any.
  fail_it(next());
  EXPECT_EQ(served(), "remove sw1 leg 0");
  take_attach_requests();
  fail_it(next());
  EXPECT_THAT(take_attach_requests(), ElementsAre("sw2"))
      << "its next attach returns the quarantined labels";
}

TEST_F(EnginesTest, AnswersToOlderDebtsEndWithTheirSession) {
  attach_all();
  const ConnectionId call = up(1);
  (void)owe_sw1_old_contract(call);
  // Another change with unknown result: sw1 is owed the same contract, with a later revision.
  modify(3, call, cells(400));
  (void)next();
  wait(2 * config.hop_timer);
  EXPECT_EQ(explain(outcome()), "timeout at sw1");
  lose("sw1");
  attach("sw1");
  answer("sw1", {done(change("sw1"))});
  EXPECT_EQ(manager().gauges().owed, 0U);
}

}  // namespace
}  // namespace xbind::cmgr
