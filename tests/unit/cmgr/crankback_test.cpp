// Crankback: when a switch or link refuses, another route may accept. exchange.hpp shows the
// network; the other route leads over sw5.
#include <fmt/format.h>

#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class CrankbackTest : public ExchangeTest {
 protected:
  void start_with_two_routes() {
    config.label_cache_target = 4;
    start_with_labels({vci(32)}, {vci(40)});
    attach("sw5");
    answer("sw1", {}, {{PortId{11}, {vci(33)}}});
    answer("sw5", {}, {{PortId{51}, {vci(60)}}});
  }
  // The only query that RouteObject received.
  RouteQuery query() {
    const auto queries = take_route_queries();
    EXPECT_THAT(queries, SizeIs(1));
    return queries.empty() ? RouteQuery{} : queries.front();
  }
};

TEST_F(CrankbackTest, ALinkThatIsFullIsAvoided) {
  start_with_two_routes();
  connect(7);
  const HopSetup one = setup("sw1");
  answer("sw1", {done(one)});
  all_done("sw3");
  // cmgr <-- sw2: refused, no bandwidth on the link to sw3
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{21}, 100, 20)});
  // cmgr --> sw1, sw3: remove
  answer("sw1", {removed(removal("sw1"), vci(32))});
  EXPECT_THAT(take_route_queries(), IsEmpty()) << "first the rest is undone";
  all_done("sw3");
  // cmgr --> RouteObject: another route, without that link
  const RouteQuery without = query();
  EXPECT_EQ(without.from, "ann");
  EXPECT_EQ(without.to, "bob");
  EXPECT_THAT(without.avoid, ElementsAre(PathElement{"sw2", PortId{21}}));
  EXPECT_THAT(reported(), IsEmpty());
  route(found(without, detour()));
  // cmgr --> sw1, sw5, sw3: commit, as the second generation of the same connection
  const HopSetup again = setup("sw1");
  EXPECT_EQ(again.key, (HopKey{one.key.connection, Generation{2}, 0, 0}));
  EXPECT_EQ(again.output_label, vci(33));
  EXPECT_EQ(setup("sw5").input_label, vci(33));
  EXPECT_EQ(setup("sw3").input_label, vci(60));
  EXPECT_TRUE(silent("sw2"));
  answer("sw1", {done(again)});
  const auto hop = [&](std::uint16_t number) {
    return done({one.key.connection, Generation{2}, 0, number}, HopAction::kCommit);
  };
  answer("sw5", {hop(1)});
  answer("sw3", {hop(2)});
  const Outcome connected = outcome();
  EXPECT_EQ(connected.kind, OutcomeKind::kConnected);
  EXPECT_EQ(connected.request, RequestId{7});
  EXPECT_EQ(manager().counters().crankbacks, 1U);
  EXPECT_EQ(manager().counters().undone, 1U);
  EXPECT_EQ(manager().counters().refused, 0U);
  release(8, connected.connection);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

// What has the label at the far end may be an unclaimed entry, which stays: the label must not come
// from the cache again.
TEST_F(CrankbackTest, ALabelThatTheNextSwitchHasForAnotherIsReturned) {
  start_with_two_routes();
  connect(1);
  all_done("sw1");
  all_done("sw2");
  // cmgr <-- sw3: the input label belongs to another connection
  answer("sw3", {refused(setup("sw3"), Cause::kForeignInputLabel, PortId{30}, 40)});
  answer("sw2", {removed(removal("sw2"), vci(40))});
  answer("sw1", {removed(removal("sw1"), vci(32))});
  // cmgr --> sw2: reserve another label on the same link
  const HopBatch again = take("sw2");
  EXPECT_THAT(again.returned, ElementsAre(PortLabels{PortId{21}, {vci(40)}}));
  ASSERT_THAT(again.setups, SizeIs(1));
  EXPECT_EQ(again.setups[0].output_port, PortId{21});
  EXPECT_FALSE(again.setups[0].output_label.present());
  answer("sw2", {done(again.setups[0], vci(41))});
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(CrankbackTest, WithoutAnotherRouteTheFirstRefusalIsTold) {
  start_with_two_routes();
  Path wide = path();
  wide.free_cells_per_s = 20'000;
  route(found({"ann", "bob", 12'000}, wide));
  ask("mia", {{call(1, 12'000)}, {}});
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{4}, 12'000, 9'700)});
  // The port is not on the route, so there is nothing to avoid. The
  // outcome quotes the switch's numbers.
  answer_all_switches();
  EXPECT_EQ(explain(outcome()), "no bandwidth at sw2 port 4: asked 12000 cells/s, free 9700");
  EXPECT_THAT(take_route_queries(), IsEmpty());

  ask("mia", {{call(2, 12'000)}, {}});
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{21}, 12'000, 9'700)});
  answer_all_switches();
  route(none(query(), Cause::kNoRoute, "ann -> bob"));
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.cause, Cause::kNoBandwidth);
  EXPECT_EQ(refusal.element, "sw2 port 21");
  EXPECT_EQ(refusal.asked, 12'000U);
  EXPECT_EQ(refusal.free, 9'700U);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(CrankbackTest, WithRouteObjectSilentTheFirstRefusalIsToldToo) {
  start_with_two_routes();
  connect(1);
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(setup("sw2"), Cause::kNoBuffer, PortId{21}, 10, 3)});
  answer_all_switches();
  EXPECT_THAT(take_route_queries(), SizeIs(1));
  wait(config.route_timer);
  EXPECT_EQ(explain(outcome()), "no buffer at sw2 port 21: asked 10 cells of buffer, free 3");
  expect_nothing_left();
}

TEST_F(CrankbackTest, AsManyRoutesAreTriedAsAreSetAndNoMore) {
  config.crankbacks = 1;
  start_with_two_routes();
  connect(1);
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{21}, 100, 20)});
  answer_all_switches();
  route(found(query(), detour()));
  all_done("sw1");
  all_done("sw3");
  answer("sw5", {refused(setup("sw5"), Cause::kNoBandwidth, PortId{51}, 100, 30)});
  answer_all_switches();
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(outcome().kind, OutcomeKind::kRefused);
  EXPECT_EQ(manager().counters().crankbacks, 1U);
  EXPECT_EQ(manager().counters().undone, 2U);
  expect_nothing_left();
}

TEST_F(CrankbackTest, EveryFurtherRouteAvoidsAllThatRefused) {
  start_with_two_routes();
  connect(1);
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{21}, 100, 20)});
  answer_all_switches();
  route(found(query(), detour()));
  all_done("sw1");
  all_done("sw3");
  answer("sw5", {refused(setup("sw5"), Cause::kSwitchRefused, {}, 18)});
  answer_all_switches();
  EXPECT_THAT(query().avoid,
              ElementsAre(PathElement{"sw2", PortId{21}}, PathElement{"sw5", PortId{51}}));
}

TEST_F(CrankbackTest, WhatTheEndpointsOwnPortRefusesIsFinal) {
  start_with_two_routes();
  connect(1);
  all_done("sw1");
  all_done("sw2");
  answer("sw3", {refused(setup("sw3"), Cause::kNoBandwidth, PortId{2}, 100, 20)});
  answer_all_switches();
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(outcome().element, "sw3 port 2");
}

TEST_F(CrankbackTest, ASwitchThatIsAwayIsAvoidedBeforeAnybodyIsTold) {
  start_with_two_routes();
  lose("sw2");
  connect(1);
  EXPECT_TRUE(silent("sw1"));
  const RouteQuery without = query();
  EXPECT_THAT(without.avoid, ElementsAre(PathElement{"sw2", PortId{}}));
  route(found(without, detour()));
  answer_all_switches();
  const Outcome connected = outcome();
  EXPECT_EQ(connected.kind, OutcomeKind::kConnected);
  EXPECT_EQ(manager().counters().crankbacks, 1U);
  EXPECT_EQ(manager().counters().undone, 0U);
  // The next call finds both routes in the cache.
  connect(2);
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_FALSE(silent("sw5"));
}

TEST_F(CrankbackTest, WithoutARouteAroundItTheSwitchThatIsAwayIsNamed) {
  start_with_two_routes();
  lose("sw2");
  connect(1);
  route(none(query(), Cause::kNoRoute, "ann -> bob"));
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw2");
  // Every route passes the switches of the two ends.
  lose("sw3");
  attach("sw2");
  connect(2);
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(explain(outcome()), "switch unreachable at sw3");
}

TEST_F(CrankbackTest, ASwitchInTheMiddleThatDoesNotAnswerIsAvoidedAndItsDebtDisturbsNobody) {
  start_with_two_routes();
  connect(1);
  all_done("sw1");
  all_done("sw3");
  const HopSetup two = setup("sw2");
  wait(config.hop_timer);
  all_done("sw1");
  all_done("sw3");
  const HopRemoval late = removal("sw2");
  EXPECT_THAT(take_route_queries(), IsEmpty());
  wait(config.undo_timer);
  // The removal at sw2 is owed; the call proceeds without it.
  EXPECT_EQ(manager().gauges().owed, 1U);
  const RouteQuery without = query();
  EXPECT_THAT(without.avoid, ElementsAre(PathElement{"sw2", PortId{}}));
  route(found(without, detour()));
  all_done("sw1");
  all_done("sw5");
  // cmgr <-- sw2: committed, removed; both of the first try
  answer("sw2", {done(two), removed(late, vci(40))});
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_THAT(cached("sw1"), Contains(Pair(PortId{10}, vci(32))));
  EXPECT_THAT(reported(), IsEmpty());
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  release(2, manager().list({}, 1).at(0));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
}

TEST_F(CrankbackTest, ASwitchLostInTheMiddleIsAvoided) {
  start_with_two_routes();
  connect(1);
  all_done("sw1");
  all_done("sw3");
  take("sw2");
  lose("sw2");
  answer_all_switches();
  EXPECT_EQ(manager().gauges().owed, 1U);
  route(found(query(), detour()));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(CrankbackTest, LabelsThatHadLapsedAreReplacedOnTheSameRoute) {
  start_with_two_routes();
  connect(1);
  // cmgr <-- sw1: this manager does not hold that label
  answer("sw1", {refused(setup("sw1"), Cause::kLabelNotHeld, PortId{10}, 32)});
  answer_all_switches();
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected) << "with one that was reserved";
  EXPECT_EQ(manager().counters().crankbacks, 1U);
  EXPECT_THAT(cached("sw1"), testing::Not(Contains(Pair(PortId{10}, vci(32)))));
}

// A SwitchServer answers with the number alone; the manager knows which it was.
class InvalidNumbers : public CrankbackTest {
 protected:
  // What the client is told when the SwitchServer refuses its hop.
  std::string refusal(const std::string& at, const HopSetup& sent, PortId port, std::uint64_t asked,
                      std::uint64_t free = 0) {
    answer(at, {refused(sent, Cause::kInvalidRequest, port, asked, free)});
    answer_all_switches();
    return explain(outcome());
  }
  HopSetup sent_to(const std::string& at) {
    config.crankbacks = 0;
    start_with_two_routes();
    connect(1);
    return setup(at.c_str());
  }
};

TEST_F(InvalidNumbers, AnInputLabelIsNamed) {
  const HopSetup two = sent_to("sw2");
  EXPECT_EQ(
      refusal("sw2", two, two.input_port, two.input_label.value),
      fmt::format("invalid request at sw2 port {0}: input label 0/32 of port {0}", two.input_port));
}

TEST_F(InvalidNumbers, AnOutputLabelIsNamed) {
  const HopSetup two = sent_to("sw2");
  EXPECT_EQ(refusal("sw2", two, two.output_port, two.output_label.value),
            "invalid request at sw2 port 21: output label 0/40 of port 21");
}

TEST_F(InvalidNumbers, AGenerationIsNamed) {
  const HopSetup three = sent_to("sw3");
  EXPECT_EQ(refusal("sw3", three, {}, 1), "invalid request at sw3: generation 1");
}

TEST_F(InvalidNumbers, AContractIsNamedWithItsBound) {
  const HopSetup three = sent_to("sw3");
  EXPECT_EQ(refusal("sw3", three, {}, 0, 1),
            "invalid request at sw3: traffic contract: 0, bound 1");
}

TEST_F(InvalidNumbers, ANumberThatWasNotSentIsNoneOfThem) {
  const HopSetup three = sent_to("sw3");
  EXPECT_EQ(refusal("sw3", three, {}, 77), "invalid request at sw3: number 77");
}

TEST_F(CrankbackTest, WhatTheWayBackRefusesIsTheLinkAsTheOtherEndNamesIt) {
  start_with_two_routes();
  ConnectRequest both = call(1);
  both.reverse = cells(20);
  ask("mia", {{both}, {}});
  answer_all_switches();
  const ConnectionId up = outcome().connection;
  release(2, up);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  both.request = RequestId{3};
  ask("mia", {{both}, {}});
  // sw2 has no bandwidth towards sw1, out of port 20. The route names that link as sw1 port 10.
  const HopBatch heard = take("sw2");
  ASSERT_THAT(heard.setups, SizeIs(2));
  EXPECT_EQ(heard.setups[1].output_port, PortId{20});
  answer("sw2", {refused(heard.setups[1], Cause::kNoBandwidth, PortId{20}, 20, 5)});
  answer("sw2", {done(heard.setups[0])});
  answer_all_switches();
  EXPECT_THAT(query().avoid, ElementsAre(PathElement{"sw1", PortId{10}}));
}

TEST_F(CrankbackTest, AHoldTriesAnotherRouteToo) {
  start_with_two_routes();
  hold(1, 60'000);
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{21}, 100, 20)});
  answer_all_switches();
  route(found(query(), detour()));
  const HopSetup five = setup("sw5");
  EXPECT_FALSE(five.commit);
  EXPECT_TRUE(five.held);
  EXPECT_EQ(five.key.generation, Generation{2});
  answer("sw5", {done(five, five.output_label)});
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kHeld);
}

TEST_F(CrankbackTest, SwitchedOffTheFirstRefusalEndsTheCall) {
  config.crankbacks = 0;
  start_with_two_routes();
  connect(1);
  all_done("sw1");
  all_done("sw3");
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{21}, 100, 20)});
  answer_all_switches();
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(outcome().cause, Cause::kNoBandwidth);
}

TEST_F(CrankbackTest, ARefusalNamesWhatIsOwedForARouteThatWasTriedBefore) {
  start_with_two_routes();
  connect(7);
  all_done("sw1");
  all_done("sw3");
  take("sw2");
  wait(config.hop_timer);  // sw2 is silent: everything is undone
  all_done("sw1");
  all_done("sw3");
  wait(config.undo_timer);  // silent again: its removal is owed
  route(none(query(), Cause::kNoRoute, "ann -> bob"));
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.cause, Cause::kTimeout);
  EXPECT_EQ(refusal.owed.removals, 1U);
  EXPECT_EQ(refusal.owed.element, "sw2");
}

}  // namespace
}  // namespace xbind::cmgr
