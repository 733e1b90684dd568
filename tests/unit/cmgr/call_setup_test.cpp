// Setting a call up: one phase, two phases, refusals, routes. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class CallSetupTest : public ExchangeTest {};

TEST_F(CallSetupTest, WithLabelsAtHandEveryHopIsCommittedAtOnce) {
  start_with_labels({vci(32)}, {vci(40)});
  // mia --> cmgr: connect 7, ann -> bob, 100 cells/s
  connect(7);
  // cmgr --> sw1, sw2, sw3: commit, before any of them has answered. Each hop's
  // output label is the next hop's input label.
  const HopSetup one = setup("sw1");
  EXPECT_EQ(owner(one), (HopOwner{"mia", Epoch{1}, "ann", "bob"}));
  const HopSetup two = setup("sw2");
  EXPECT_EQ(owner(two), (HopOwner{"mia", Epoch{1}, "ann", "bob"}));
  const HopSetup three = setup("sw3");
  EXPECT_EQ(owner(three), (HopOwner{"mia", Epoch{1}, "ann", "bob"}));
  for (const HopSetup& hop : {one, two, three}) {
    EXPECT_TRUE(hop.commit);
    EXPECT_EQ(hop.hop_count, 3);
    EXPECT_EQ(hop.demand, (Resources{100, 10}));
    EXPECT_EQ(hop.request, RequestId{7});
    EXPECT_EQ(hop.key.connection, one.key.connection);
    EXPECT_EQ(hop.key.generation, Generation{1});
  }
  EXPECT_EQ(one.input_port, PortId{1});
  EXPECT_EQ(one.input_label, Label{}) << "the ingress label is for sw1 to allot";
  EXPECT_EQ(one.output_label, vci(32));
  EXPECT_EQ(two.key.hop, 1);
  EXPECT_EQ(two.input_label, vci(32));
  EXPECT_EQ(two.output_label, vci(40));
  EXPECT_EQ(three.input_label, vci(40));
  EXPECT_EQ(three.output_label, Label{}) << "the egress label is for sw3 to allot";
  // cmgr <-- sw3, sw1: committed
  answer("sw3", {done(three)});
  answer("sw1", {done(one)});
  EXPECT_THAT(reported(), IsEmpty()) << "sw2 is missing";
  // cmgr <-- sw2: committed
  answer("sw2", {done(two)});
  // mia <-- cmgr: connected, 0/500 in, 0/600 out
  const Outcome connected = outcome();
  EXPECT_EQ(connected.kind, OutcomeKind::kConnected);
  EXPECT_EQ(connected.request, RequestId{7});
  EXPECT_EQ(connected.connection, one.key.connection);
  EXPECT_EQ(connected.ingress, vci(500));
  EXPECT_EQ(connected.egress, vci(600));
  const auto described = manager().describe(connected.connection);
  ASSERT_TRUE(described.has_value());
  EXPECT_EQ(described->connection.state(), State::kConnected);
  EXPECT_EQ(described->client, "mia");
}

TEST_F(CallSetupTest, TheReplacementComesWithTheAnswerAndServesTheNextCall) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup one = setup("sw1");
  EXPECT_EQ(one.labels_wanted, 1) << "the cache wants one label and has none left";
  EXPECT_EQ(setup("sw3").labels_wanted, 0) << "no manager caches the last hop's label";
  answer("sw1", {done(one)}, {{PortId{10}, {vci(33)}}});
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(33))));
  answer("sw2", {done(setup("sw2"))}, {{PortId{21}, {vci(41)}}});
  connect(2);
  const HopSetup next = setup("sw1");
  EXPECT_TRUE(next.commit);
  EXPECT_EQ(next.output_label, vci(33));
}

TEST_F(CallSetupTest, NoMoreReplacementsAreAskedForThanTheCacheWants) {
  config.label_cache_target = 3;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  connect(1);
  EXPECT_EQ(setup("sw1").labels_wanted, 2) << "one left, three wanted";
  connect(2);
  EXPECT_EQ(setup("sw1").labels_wanted, 1) << "none left, two on their way";
}

TEST_F(CallSetupTest, WithoutLabelsTheyAreReservedFirst) {
  attach_all();
  connect(7);
  // cmgr --> sw1, sw2: reserve; nothing to sw3, whose output leads to the endpoint
  const HopSetup one = setup("sw1");
  const HopSetup two = setup("sw2");
  EXPECT_FALSE(one.commit);
  EXPECT_EQ(one.output_label, Label{});
  EXPECT_EQ(two.input_label, Label{});
  EXPECT_TRUE(silent("sw3"));
  // cmgr <-- sw1, sw2: reserved 0/32, 0/40
  answer("sw1", {done(one, vci(32))});
  EXPECT_TRUE(silent("sw1")) << "sw2 is missing";
  answer("sw2", {done(two, vci(40))});
  // cmgr --> all: commit
  const HopSetup commit_two = setup("sw2");
  EXPECT_TRUE(commit_two.commit);
  EXPECT_EQ(commit_two.input_label, vci(32));
  EXPECT_EQ(commit_two.output_label, vci(40));
  answer("sw1", {done(setup("sw1"))});
  answer("sw2", {done(commit_two)});
  const HopSetup three = setup("sw3");
  EXPECT_EQ(three.input_label, vci(40));
  answer("sw3", {done(three)});
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(CallSetupTest, OnlyTheLabelThatIsMissingIsReserved) {
  start_with_labels({vci(32)}, {});
  connect(1);
  EXPECT_TRUE(silent("sw1"));
  const HopSetup two = setup("sw2");
  EXPECT_FALSE(two.commit);
  answer("sw2", {done(two, vci(40))});
  EXPECT_EQ(setup("sw1").output_label, vci(32));
  EXPECT_EQ(setup("sw2").input_label, vci(32));
  EXPECT_EQ(setup("sw3").input_label, vci(40));
}

// ===== refused =====

TEST_F(CallSetupTest, WhenAHopRefusesTheCommitTheOthersAreRemovedAndTheLabelsComeBack) {
  config.label_cache_target = 4;
  start_with_labels({vci(32)}, {vci(40)});
  connect(7);
  answer("sw1", {done(setup("sw1"))});
  // cmgr <-- sw3: refused, no bandwidth on port 2, asked 100, free 20
  answer("sw3", {refused(setup("sw3"), Cause::kNoBandwidth, PortId{2}, 100, 20)});
  // cmgr --> sw1, sw2: remove, though sw2 has not answered yet; sw3 has nothing left
  const HopSetup two = take("sw2").setups.at(0);
  const HopRemoval one = removal("sw1");
  EXPECT_TRUE(silent("sw3"));
  EXPECT_THAT(reported(), IsEmpty()) << "refused means: nothing is left behind";
  // cmgr <-- sw2: committed (too late), removed;  cmgr <-- sw1: removed
  answer("sw2", {done(two), removed({two.key, 0}, vci(40))});
  answer("sw1", {removed(one, vci(32))});
  // mia <-- cmgr: refused
  const Outcome answer = outcome();
  EXPECT_EQ(answer.kind, OutcomeKind::kRefused);
  EXPECT_EQ(answer.request, RequestId{7});
  EXPECT_EQ(explain(answer), "no bandwidth at sw3 port 2: asked 100 cells/s, free 20");
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
  EXPECT_THAT(cached("sw2"), ElementsAre(Pair(PortId{21}, vci(40))));
  EXPECT_EQ(manager().gauges().connections, 0U);
  EXPECT_EQ(manager().counters().undone, 1U);
}

TEST_F(CallSetupTest, ALabelIsNotReusedBeforeBothEndsOfItsLinkHaveConfirmed) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  answer("sw1", {done(setup("sw1"))});
  answer("sw3", {refused(setup("sw3"), Cause::kSwitchRefused, {}, 18)});
  const HopRemoval one = removal("sw1");
  // sw1 has removed its hop; sw2, at the other end of 0/32, has not.
  answer("sw1", {removed(one, vci(32))});
  EXPECT_THAT(cached("sw1"), IsEmpty());
  all_done("sw2");
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
}

TEST_F(CallSetupTest, WhenAHopRefusesToReserveTheOtherReservationIsRemoved) {
  config.crankbacks = 0;
  attach_all();
  connect(7);
  answer("sw1", {done(setup("sw1"), vci(32))});
  answer("sw2", {refused(setup("sw2"), Cause::kNoLabel, PortId{21}, 1)});
  const HopRemoval one = removal("sw1");
  EXPECT_TRUE(silent("sw2"));
  EXPECT_TRUE(silent("sw3")) << "it never received a command";
  answer("sw1", {removed(one, vci(32))});
  EXPECT_EQ(outcome().cause, Cause::kNoLabel);
  EXPECT_THAT(cached("sw1"), ElementsAre(Pair(PortId{10}, vci(32))));
}

TEST_F(CallSetupTest, TheFirstRefusalIsTheOneThatIsTold) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup one = setup("sw1");
  const HopSetup two = setup("sw2");
  answer("sw1", {refused(one, Cause::kNoBuffer, PortId{10}, 10, 0)});
  answer("sw2", {refused(two, Cause::kNoBandwidth, PortId{21}, 100, 0), removed({two.key, 0})});
  all_done("sw3");
  EXPECT_EQ(explain(outcome()), "no buffer at sw1 port 10: asked 10 cells of buffer, free 0");
}

TEST_F(CallSetupTest, ALabelThatIsNotOursIsNotGivenBack) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  answer("sw1", {refused(setup("sw1"), Cause::kLabelNotHeld, PortId{10}, 32)});
  all_done("sw2");
  all_done("sw3");
  EXPECT_EQ(outcome().cause, Cause::kLabelNotHeld);
  EXPECT_THAT(cached("sw1"), IsEmpty());
}

TEST_F(CallSetupTest, ACommitWithUnknownEndIsRemovedToo) {
  // The SwitchServer queried its switch and lost contact: the hop is still in its ledger.
  for (const Cause cause : {Cause::kSwitchUnreachable, Cause::kTimeout}) {
    SCOPED_TRACE(to_string(cause));
    if (switches_.empty()) {
      config.label_cache_target = 4;
      start_with_labels({vci(32)}, {vci(40)});
    }
    connect(static_cast<std::uint64_t>(cause));
    const HopSetup one = setup("sw1");
    answer("sw1", {refused(one, cause)});
    EXPECT_EQ(removal("sw1").key, one.key);
    answer("sw1", {removed({one.key, 0}, one.output_label)});
    all_done("sw2");
    all_done("sw3");
    EXPECT_EQ(outcome().cause, cause);
  }
}

TEST_F(CallSetupTest, ABusySwitchServerStillHasTheReservation) {
  attach_all();
  connect(1);
  answer("sw1", {done(setup("sw1"), vci(32))});
  answer("sw2", {done(setup("sw2"), vci(40))});
  const HopSetup two = setup("sw2");
  all_done("sw1");
  all_done("sw3");
  // cmgr <-- sw2: too busy to process the commit
  answer("sw2", {refused(two, Cause::kBusy)});
  EXPECT_EQ(removal("sw2").key, two.key);
  answer("sw2", {removed({two.key, 0}, vci(40))});
  answer_all_switches();
  const Outcome busy = outcome();
  EXPECT_EQ(busy.kind, OutcomeKind::kBusy);
  EXPECT_EQ(busy.element, "sw2");
  expect_nothing_left();
}

TEST_F(CallSetupTest, AHopThatDoesNotAnswerEndsTheCallByTheHopTimer) {
  config.crankbacks = 0;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup two = setup("sw2");
  all_done("sw1");
  all_done("sw3");
  wait(config.hop_timer - milliseconds{1});
  EXPECT_TRUE(silent("sw2"));
  wait(milliseconds{1});
  const HopRemoval late = removal("sw2");
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {done(two), removed(late, vci(40))});
  const Outcome refusal = outcome();
  EXPECT_EQ(explain(refusal), "timeout at sw2");
}

TEST_F(CallSetupTest, AnAnswerGivenTwiceCountsOnce) {
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  const HopSetup one = setup("sw1");
  answer("sw1", {done(one)});
  answer("sw1", {done(one), done(one)});
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(CallSetupTest, AnAnswerForACallThatIsGoneIsCounted) {
  start_with_labels({vci(32)}, {vci(40)});
  HopSetup nobody;
  nobody.key.connection = ConnectionId{4711};
  answer("sw1", {done(nobody)});
  EXPECT_EQ(manager().counters().late_results, 1U);
}

// ===== routes =====

TEST_F(CallSetupTest, TheRouteIsAskedForOnceHoweverManyCallsWait) {
  start();
  for (const char* name : {"sw1", "sw2", "sw3"}) attach(name);
  log_in("mia");
  ask("mia", {{call(1), call(2)}, {}});
  const auto queries = take_route_queries();
  EXPECT_THAT(queries, ElementsAre(RouteQuery{"ann", "bob", 100}));
  connect(3);
  EXPECT_THAT(take_route_queries(), IsEmpty());
  manager().on_routes({found(queries[0])}, seconds{10}, now);
  finish();
  EXPECT_THAT(take("sw1").setups, SizeIs(3));
  connect(4);
  EXPECT_THAT(take_route_queries(), IsEmpty()) << "now it is known";
  wait(seconds{10});
  connect(5);
  EXPECT_THAT(take_route_queries(), SizeIs(1)) << "its time was over";
}

TEST_F(CallSetupTest, ARefusalOfRouteObjectIsToldWithItsNumbers) {
  attach_all();
  ask("mia", {{{RequestId{1}, "ann", "nobody", call(1).service}, call(2, 50'000)}, {}});
  const auto queries = take_route_queries();
  ASSERT_THAT(queries, SizeIs(2));
  RouteReply unknown;
  unknown.query = queries[0];
  unknown.cause = Cause::kUnknownEndpoint;
  unknown.element = "nobody";
  RouteReply narrow;
  narrow.query = queries[1];
  narrow.cause = Cause::kNoBandwidth;
  narrow.element = "ann -> bob";
  narrow.free = 10'000;
  manager().on_routes({unknown, narrow}, seconds{10}, now);
  finish();
  const auto outcomes = reported();
  ASSERT_THAT(outcomes, SizeIs(2));
  EXPECT_EQ(explain(outcomes[0]), "unknown endpoint at nobody");
  EXPECT_EQ(explain(outcomes[1]), "no bandwidth at ann -> bob: asked 50000 cells/s, free 10000");
  // The refusals are cached too, for this demand and any larger one.
  ask("mia", {{call(3, 60'000)}, {}});
  EXPECT_EQ(outcome().cause, Cause::kNoBandwidth);
  EXPECT_THAT(take_route_queries(), IsEmpty());
}

TEST_F(CallSetupTest, WithRouteObjectAwayAndNoRouteKnownTheCallIsRefused) {
  start();
  for (const char* name : {"sw1", "sw2", "sw3"}) attach(name);
  log_in("mia");
  connect(1);
  RouteReply away;
  away.query = take_route_queries().at(0);
  away.cause = Cause::kNoRouteObject;
  away.element = "routeobject lab";
  manager().on_routes({away}, seconds{0}, now);
  finish();
  EXPECT_EQ(explain(outcome()), "no route object at routeobject lab");
  connect(2);
  EXPECT_THAT(take_route_queries(), SizeIs(1))
      << "asked anew, a refusal for want of an answer is not kept";
  wait(config.route_timer);
  EXPECT_EQ(outcome().cause, Cause::kNoRouteObject);
  // A late answer has no call waiting for it, but serves the next call.
  manager().on_routes({found(away.query)}, seconds{10}, now);
  finish();
  EXPECT_TRUE(silent("sw1"));
  connect(3);
  EXPECT_FALSE(silent("sw1"));
}

TEST_F(CallSetupTest, APathThatCannotBeUsedIsNoPath) {
  start();
  log_in("mia");
  connect(1);
  RouteReply empty = found(take_route_queries().at(0));
  empty.path.hops.clear();
  manager().on_routes({empty}, seconds{0}, now);
  finish();
  EXPECT_EQ(outcome().cause, Cause::kNoRoute);
  connect(2);
  RouteReply endless = found(take_route_queries().at(0));
  endless.path.hops.resize(100'000, endless.path.hops[0]);
  manager().on_routes({endless}, seconds{0}, now);
  finish();
  EXPECT_EQ(outcome().cause, Cause::kNoRoute);
}

TEST_F(CallSetupTest, ASwitchNeverHeardOfIsAttachedAndTheCallRefused) {
  start();
  log_in("mia");
  connect(1);
  manager().on_routes({found(take_route_queries().at(0))}, seconds{100}, now);
  finish();
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw1");
  EXPECT_THAT(take_attach_requests(), UnorderedElementsAre("sw1", "sw2", "sw3"));
}

// ===== requests that are refused at once =====

TEST_F(CallSetupTest, AServiceThatCannotBeIsRefusedWithItsNumber) {
  attach_all();
  ask("mia", {{call(1, 0)}, {}});
  EXPECT_EQ(explain(outcome()), "invalid request at cells/s: 0 cells/s are not in 1 to 16777215");
}

TEST_F(CallSetupTest, BusyWhenAsManyConnectionsAreKeptAsMayBe) {
  config.connections_max = 1;
  start_with_labels({vci(32)}, {vci(40)});
  connect(1);
  connect(2);
  const Outcome busy = outcome();
  EXPECT_EQ(busy.request, RequestId{2});
  EXPECT_EQ(busy.kind, OutcomeKind::kBusy);
  EXPECT_EQ(explain(busy), "busy at manager; try again in 2000 ms");
  EXPECT_EQ(busy.asked, 2U);
}

TEST_F(CallSetupTest, ATwoWayCallGetsItsOutcomeByItsToken) {
  start_with_labels({vci(32)}, {vci(40)});
  manager().request_local(RequestId{9}, ConnectRequest{{}, "ann", "bob", call(0).service}, now);
  finish();
  manager().request_local(RequestId{9}, ConnectRequest{{}, "ann", "bob", call(0).service},
                          now);  // the token is in use
  ASSERT_THAT(local_, SizeIs(1));
  EXPECT_EQ(local_[0].second.kind, OutcomeKind::kBusy);
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  ASSERT_THAT(local_, SizeIs(2));
  EXPECT_EQ(local_[1].first, RequestId{9});
  EXPECT_EQ(local_[1].second.kind, OutcomeKind::kConnected);
  manager().release_local(RequestId{9}, local_[1].second.connection, now);
  finish();
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(local_.back().second.kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().connections, 0U);
}

}  // namespace
}  // namespace xbind::cmgr
