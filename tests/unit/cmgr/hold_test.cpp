// Holds: every hop is reserved and no switch is programmed until a commit, or until the hold
// expires. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class HoldTest : public ExchangeTest {
 protected:
  // Sets up a hold of mia.
  ConnectionId held(std::uint64_t request, std::uint32_t hold_ms = 60'000) {
    hold(request, hold_ms);
    answer_all_switches();
    const Outcome answer = outcome();
    EXPECT_EQ(answer.kind, OutcomeKind::kHeld) << explain(answer);
    return answer.connection;
  }
};

TEST_F(HoldTest, EveryHopIsReservedAndNoneProgrammedUntilTheCommit) {
  start_with_labels({vci(32)}, {vci(40)});
  // mia --> cmgr: connect 7, hold it for a minute
  hold(7, 60'000);
  // cmgr --> sw1, sw2, sw3: reserve, beyond the end of the session, with labels from the caches
  const HopSetup one = setup("sw1");
  const HopSetup two = setup("sw2");
  const HopSetup three = setup("sw3");
  for (const HopSetup& hop : {one, two, three}) {
    EXPECT_FALSE(hop.commit);
    EXPECT_TRUE(hop.held);
    EXPECT_EQ(hop.demand, (Resources{100, 10}));
  }
  EXPECT_EQ(one.output_label, vci(32));
  EXPECT_EQ(two.output_label, vci(40));
  EXPECT_EQ(three.output_label, Label{}) << "the egress label is for sw3 to allot";
  // cmgr <-- all: reserved
  answer("sw1", {done(one, vci(32))});
  answer("sw2", {done(two, vci(40))});
  EXPECT_THAT(reported(), IsEmpty()) << "sw3 is missing";
  answer("sw3", {done(three)});
  // mia <-- cmgr: held
  const Outcome answer_held = outcome();
  EXPECT_EQ(answer_held.kind, OutcomeKind::kHeld);
  EXPECT_EQ(answer_held.request, RequestId{7});
  EXPECT_EQ(answer_held.connection, one.key.connection);
  EXPECT_EQ(answer_held.ingress, Label{});
  for (const char* name : {"sw1", "sw2", "sw3"}) EXPECT_TRUE(silent(name)) << name;
  EXPECT_EQ(manager().gauges().under_way, 0U) << "a hold takes no slot of the gate";
  // mia --> cmgr: commit 8
  commit(8, answer_held.connection);
  // cmgr --> all: commit
  const HopSetup commit_two = setup("sw2");
  EXPECT_TRUE(commit_two.commit);
  EXPECT_EQ(commit_two.input_label, vci(32));
  EXPECT_EQ(commit_two.output_label, vci(40));
  answer("sw2", {done(commit_two)});
  all_done("sw1");
  all_done("sw3");
  // mia <-- cmgr: connected, as the answer to request 8
  const Outcome connected = outcome();
  EXPECT_EQ(connected.kind, OutcomeKind::kConnected);
  EXPECT_EQ(connected.request, RequestId{8});
  EXPECT_EQ(connected.ingress, vci(500));
  EXPECT_EQ(connected.egress, vci(600));
  EXPECT_EQ(manager().counters().held, 1U);
  EXPECT_EQ(manager().counters().connected, 1U);
  // The expiry of the hold has no effect any more.
  wait(seconds{61});
  EXPECT_EQ(manager().describe(connected.connection)->connection.state(), State::kConnected);
  release(9, connected.connection);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(HoldTest, LabelsThatTheCachesDidNotHaveComeWithTheReservation) {
  attach_all();
  hold(1, 1'000);
  const HopSetup one = setup("sw1");
  EXPECT_EQ(one.output_label, Label{});
  answer("sw1", {done(one, vci(77))});
  all_done("sw2");
  all_done("sw3");
  commit(2, outcome().connection);
  EXPECT_EQ(setup("sw1").output_label, vci(77));
  EXPECT_EQ(setup("sw2").input_label, vci(77));
}

TEST_F(HoldTest, AHoldThatIsReleasedIsRemovedEverywhere) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(1);
  release(2, call);
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    const HopRemoval gone = removal(name);
    EXPECT_EQ(gone.key.connection, call);
    answer(name, {removed(gone)});
  }
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
  expect_nothing_left();
  commit(3, call);
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(HoldTest, AHoldWhoseTimeIsOverIsRemovedAndALateCommitToldSo) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(1, 5'000);
  wait(milliseconds{4'999});
  EXPECT_TRUE(silent("sw1"));
  wait(milliseconds{1});
  const HopRemoval one = removal("sw1");
  EXPECT_EQ(manager().counters().holds_expired, 1U);
  // A commit during the removal.
  commit(2, call);
  EXPECT_EQ(outcome().cause, Cause::kHoldExpired);
  answer("sw1", {removed(one, vci(32))});
  answer_all_switches();
  EXPECT_THAT(reported(), IsEmpty()) << "no request waits for the removal";
  // A commit after the removal.
  commit(3, call);
  const Outcome late = outcome();
  EXPECT_EQ(late.kind, OutcomeKind::kRefused);
  EXPECT_EQ(late.cause, Cause::kHoldExpired);
  EXPECT_EQ(late.asked, call.value());
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

// The answer to a commit may be lost, so a second one has the result of the first.
TEST_F(HoldTest, ACommitOfACallThatIsUpIsAnsweredWithItsLabels) {
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  commit(1, ConnectionId{4711});
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
  const ConnectionId call = held(2);
  commit(3, call);
  answer_all_switches();
  const Outcome first = outcome();
  EXPECT_EQ(first.kind, OutcomeKind::kConnected);
  commit(4, call);
  Outcome second = outcome();
  EXPECT_EQ(second.request, RequestId{4});
  second.request = first.request;
  EXPECT_EQ(second, first);
  for (const char* name : {"sw1", "sw2", "sw3"}) EXPECT_TRUE(silent(name)) << name;
  EXPECT_EQ(manager().counters().connected, 1U) << "it came up once";
  // While another change is under way, too, and for a call that never was a hold.
  modify(5, call, cells(300));
  commit(6, call);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  const ConnectionId other = connected(7);
  commit(8, other);
  EXPECT_EQ(outcome().connection, other);
  // It is going.
  release(9, call);
  commit(10, call);
  EXPECT_EQ(outcome().cause, Cause::kBeingReleased);
}

TEST_F(HoldTest, ACommitRepeatedWhileItIsUnderWayIsRefusedOnce) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(1);
  commit(2, call);
  commit(3, call);
  const Outcome second = outcome();
  EXPECT_EQ(second.request, RequestId{3});
  EXPECT_EQ(second.cause, Cause::kChangeUnderWay);
  // A release is refused too. "Unknown connection" would be wrong: the client knows the connection.
  release(4, call);
  EXPECT_EQ(outcome().cause, Cause::kChangeUnderWay);
  answer_all_switches();
  EXPECT_EQ(outcome().request, RequestId{2});
}

TEST_F(HoldTest, RefusedByOneHopTheOthersAreRemoved) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  hold(1, 1'000);
  all_done("sw1");
  answer("sw3", {refused(setup("sw3"), Cause::kNoBandwidth, PortId{2}, 100, 20)});
  const HopRemoval one = removal("sw1");
  EXPECT_THAT(take("sw2").removals, SizeIs(1));
  EXPECT_TRUE(silent("sw3")) << "a refusal leaves nothing";
  answer("sw1", {removed(one, vci(32))});
  answer("sw2", {removed({{one.key.connection, Generation{1}, 0, 1}, 0}, vci(40))});
  const Outcome refusal = outcome();
  EXPECT_EQ(explain(refusal), "no bandwidth at sw3 port 2: asked 100 cells/s, free 20");
  EXPECT_EQ(refusal.connection, ConnectionId{});
  expect_nothing_left();
  wait(seconds{2});
  EXPECT_EQ(manager().counters().holds_expired, 0U);
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(HoldTest, ACommitThatIsRefusedEndsTheHoldAndTriesNoOtherRoute) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(1);
  commit(2, call);
  all_done("sw1");
  answer("sw2", {refused(setup("sw2"), Cause::kSwitchRefused, PortId{21}, 18)});
  answer_all_switches();
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.request, RequestId{2});
  EXPECT_EQ(refusal.cause, Cause::kSwitchRefused);
  EXPECT_EQ(refusal.connection, call) << "she knows it";
  EXPECT_EQ(manager().counters().crankbacks, 0U);
  EXPECT_THAT(take_route_queries(), IsEmpty());
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(HoldTest, AHoldOutlivesTheSessionWithItsSwitchServer) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(1);
  lose("sw2");
  EXPECT_THAT(reported(), IsEmpty());
  EXPECT_EQ(manager().describe(call).value().connection.state(), State::kHeld);
  // While sw2 is away the hold cannot be committed. The attempt does not lose it.
  commit(2, call);
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw2");
  EXPECT_TRUE(silent("sw1"));
  EXPECT_EQ(manager().describe(call).value().connection.state(), State::kHeld);
  attach("sw2");
  commit(3, call);
  EXPECT_EQ(setup("sw2").output_label, vci(40));
}

TEST_F(HoldTest, AfterARefusedAttemptTheHoldStillEndsInItsTime) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(1, 3'000);
  lose("sw2");
  commit(2, call);
  EXPECT_EQ(outcome().cause, Cause::kSwitchUnreachable);
  wait(milliseconds{3'000});
  EXPECT_EQ(manager().counters().holds_expired, 1U);
  answer_all_switches();
  EXPECT_EQ(manager().gauges().connections, 0U);
  EXPECT_EQ(manager().gauges().owed, 1U) << "at sw2";
  attach("sw2");
  answer("sw2", {removed(removal("sw2"), vci(40))});
  expect_nothing_left();
}

TEST_F(HoldTest, NoHoldIsLongerThanTheBound) {
  attach_all();
  hold(1, kHoldMsMax + 1);
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.cause, Cause::kInvalidRequest);
  EXPECT_EQ(refusal.asked, kHoldMsMax + 1U);
  EXPECT_EQ(refusal.free, kHoldMsMax);
  hold(2, kHoldMsMax);
  EXPECT_FALSE(silent("sw1"));
}

TEST_F(HoldTest, OthersEndInTheOrderOfTheirTimesNotOfTheirSetups) {
  config.label_cache_target = 2;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  const ConnectionId longer = held(1, 9'000);
  const ConnectionId shorter = held(2, 2'000);
  wait(milliseconds{2'000});
  EXPECT_EQ(removal("sw1").key.connection, shorter);
  EXPECT_EQ(manager().describe(longer).value().connection.state(), State::kHeld);
}

TEST_F(HoldTest, ACommitThatIsRefusedInALaterSessionLeavesTheLabelToTheManager) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(1);
  lose("sw1");
  attach("sw1");
  commit(2, call);
  answer("sw1", {refused(setup("sw1"), Cause::kNoBandwidth, PortId{10}, 100, 20)});
  answer_all_switches();
  EXPECT_EQ(outcome().cause, Cause::kNoBandwidth);
  wait(Aggregator::kReturnDelay);
  EXPECT_EQ(cached("sw1").size() + take("sw1").returned.size(), 1U) << "0/32 is not lost";
}

TEST_F(HoldTest, OfHoldsThatHaveExpiredTheLatestTenThousandAreRemembered) {
  constexpr std::uint64_t kHolds = 10'001;
  config.label_cache_target = 0;
  attach_all();
  RequestBatch batch;
  for (std::uint64_t request = 1; request <= kHolds; ++request) {
    batch.connects.push_back(call(request));
    batch.connects.back().hold_ms = 1'000;
  }
  ask("mia", std::move(batch));
  answer_all_switches();
  ASSERT_EQ(manager().counters().held, kHolds);
  const auto ids = manager().list(ConnectionId{0}, kHolds);
  wait(seconds{1});
  answer_all_switches();
  EXPECT_EQ(manager().gauges().connections, 0U);
  reported();
  commit(kHolds + 1, ids.front());
  EXPECT_EQ(outcome().cause, Cause::kUnknownConnection);
  commit(kHolds + 2, ids.back());
  EXPECT_EQ(outcome().cause, Cause::kHoldExpired);
}

TEST_F(HoldTest, LabelsAskedForWithTheCommitOfAHoldOfAnEarlierSessionAreAnswered) {
  start_with_labels({vci(32)}, {vci(40)});
  const ConnectionId call = held(1);
  lose("sw1");
  attach("sw1");
  commit(2, call);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  EXPECT_EQ(manager().labels_awaited("sw1", PortId{10}), 0U) << "every command is answered";
}

TEST_F(HoldTest, HoldsThatAreDueTogetherExpireInSlices) {
  ProcedureTimers timers(config);
  const std::size_t holds = 2 * ProcedureTimers::kPerStep + 1;
  for (std::size_t i = 1; i <= holds; ++i) timers.arm_hold(ConnectionId{i}, now);
  std::vector<std::size_t> expired;
  while (timers.next_deadline() <= now) {
    expired.push_back(0);
    timers.expire(
        now, [](TimerHook&) {},
        [&](ConnectionId id) {
          ++expired.back();
          timers.disarm_hold(id, now);
        });
  }
  EXPECT_THAT(expired, ElementsAre(ProcedureTimers::kPerStep, ProcedureTimers::kPerStep, 1U));
}

}  // namespace
}  // namespace xbind::cmgr
