// RouteObject is dead, hangs, or its answer has expired: which path calls get, and when.
#include <algorithm>

#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class RouteSilenceTest : public ExchangeTest {
 protected:
  static RouteReply away(const RouteQuery& query) {
    return none(query, Cause::kNoRouteObject, "routeobject lab");
  }
  // The picture of exchange.hpp with both paths to bob, and without a cached route.
  void start_with_network() {
    start();
    learn_network();
    for (const char* name : {"sw1", "sw2", "sw3", "sw4", "sw5"}) attach(name);
    log_in("mia");
  }
  void learn_network(bool direct = true) {
    std::vector<NetworkLink> links{{"sw2", PortId{22}, "sw4", PortId{40}, 10'000},
                                   {"sw1", PortId{11}, "sw5", PortId{50}, 10'000},
                                   {"sw5", PortId{51}, "sw3", PortId{31}, 10'000}};
    if (direct) {
      links.insert(links.begin(), {{"sw1", PortId{10}, "sw2", PortId{20}, 10'000},
                                   {"sw2", PortId{21}, "sw3", PortId{30}, 10'000}});
    }
    manager().set_network(
        {"sw1", "sw2", "sw3", "sw4", "sw5"}, links, now,
        {{"ann", "sw1", PortId{1}}, {"bob", "sw3", PortId{2}}, {"eve", "sw4", PortId{2}}});
    finish();
  }
  // RouteObject has the query and does not answer; nor does it answer others from now on.
  void hang() {
    ask("mia", {{ConnectRequest{RequestId{900}, "ann", "nobody", cells(1)}}, {}});
    EXPECT_THAT(take_route_queries(), SizeIs(1));
    wait(RouteDesk::kSilence);
  }
  // Whether the manager has asked this switch to set up a hop since the last call.
  bool commanded(const std::string& name) { return !take(name).setups.empty(); }
};

TEST_F(RouteSilenceTest, AnExpiredRouteServesAtOnceWhileRouteObjectIsAsked) {
  attach_all();
  wait(seconds{3600});
  for (const char* name : {"sw1", "sw2", "sw3"}) attach(name);
  connect(1);
  EXPECT_TRUE(commanded("sw1"));
  const auto asked = take_route_queries();
  ASSERT_THAT(asked, SizeIs(1));
  connect(2);
  EXPECT_TRUE(commanded("sw1"));
  EXPECT_THAT(take_route_queries(), IsEmpty()) << "the same question is open";
  EXPECT_EQ(manager().counters().routes_expired, 2U);
  // The answer is another path, which the next call takes.
  attach("sw5");
  route(found(asked[0], detour()));
  connect(3);
  EXPECT_TRUE(commanded("sw5"));
  EXPECT_THAT(take_route_queries(), IsEmpty());
}

TEST_F(RouteSilenceTest, AnExpiredRefusalDoesNotServeAtOnce) {
  start_with_network();
  connect(1);
  manager().on_routes({none(take_route_queries().at(0), Cause::kNoRoute, "ann -> bob")}, seconds{1},
                      now);
  finish();
  EXPECT_EQ(outcome().cause, Cause::kNoRoute);
  wait(seconds{2});
  connect(2);
  EXPECT_THAT(reported(), IsEmpty());
  route(found(take_route_queries().at(0)));
  EXPECT_TRUE(commanded("sw1"));
}

TEST_F(RouteSilenceTest, AnExpiredRouteOverARemovedLinkDoesNotServe) {
  start_with_network();
  connect(1);
  manager().on_routes({found(take_route_queries().at(0))}, seconds{1}, now);
  finish();
  EXPECT_TRUE(commanded("sw2"));
  wait(seconds{2});
  learn_network(false);
  connect(2);
  EXPECT_FALSE(commanded("sw2"));
  ASSERT_THAT(take_route_queries(), SizeIs(1));
  wait(RouteDesk::kSilence);
  EXPECT_TRUE(commanded("sw5")) << "the path that is left";
}

// RouteObject came back with a wrong file, and was corrected.
TEST_F(RouteSilenceTest, AValidRouteOverALinkThatTheNetworkLacksDoesNotServe) {
  start_with_network();
  connect(1);
  manager().on_routes({found(take_route_queries().at(0))}, seconds{3600}, now);
  finish();
  EXPECT_TRUE(commanded("sw2"));
  connect(2);
  EXPECT_TRUE(commanded("sw2")) << "it is valid";
  learn_network(false);
  connect(3);
  EXPECT_FALSE(commanded("sw2"));
  route(found(take_route_queries().at(0), detour()));
  EXPECT_TRUE(commanded("sw5"));
}

TEST_F(RouteSilenceTest, AValidRouteOverLinksThatStayServesOn) {
  start_with_network();
  connect(1);
  manager().on_routes({found(take_route_queries().at(0))}, seconds{3600}, now);
  finish();
  EXPECT_TRUE(commanded("sw2"));
  learn_network();
  connect(2);
  EXPECT_TRUE(commanded("sw2"));
  EXPECT_THAT(take_route_queries(), IsEmpty());
}

TEST_F(RouteSilenceTest, WithRouteObjectDeadANewPairGetsThePathOverTheKnownNetwork) {
  start_with_network();
  connect(1);
  manager().on_routes({away(take_route_queries().at(0))}, seconds{0}, now);
  finish();
  EXPECT_TRUE(commanded("sw1"));
  EXPECT_EQ(manager().counters().routes_found_here, 1U);
  // It cannot be reached: the next pair does not wait for the same answer.
  ask("mia", {{ConnectRequest{RequestId{2}, "ann", "eve", cells(100)}}, {}});
  EXPECT_TRUE(commanded("sw1"));
  EXPECT_THAT(take_route_queries(), IsEmpty()) << "asked again after a pause only";
  wait(RouteDesk::kAskAgain);
  connect(3);
  EXPECT_THAT(take_route_queries(), SizeIs(1));
}

TEST_F(RouteSilenceTest, WithRouteObjectHangingACallWaitsAShortTimeAndTheNextOnesNotAtAll) {
  start_with_network();
  connect(1);
  EXPECT_THAT(take_route_queries(), SizeIs(1));
  wait(RouteDesk::kSilence - Duration{1});
  EXPECT_FALSE(commanded("sw1"));
  wait(Duration{1});
  EXPECT_TRUE(commanded("sw1"));
  ask("mia", {{ConnectRequest{RequestId{2}, "ann", "eve", cells(100)}}, {}});
  EXPECT_TRUE(commanded("sw1"));
  EXPECT_THAT(take_route_queries(), IsEmpty()) << "one open query shows when it answers again";
  // Its late answer ends the silence: the next pair is asked about, and waits.
  manager().on_routes({found({"ann", "bob", 100})}, seconds{10}, now);
  finish();
  ask("mia", {{ConnectRequest{RequestId{3}, "bob", "eve", cells(100)}}, {}});
  EXPECT_THAT(take_route_queries(), SizeIs(1));
  EXPECT_FALSE(commanded("sw3"));
}

TEST_F(RouteSilenceTest, TheKnownNetworkLeavesOutWhatIsUnusableOrTooNarrow) {
  start_with_network();
  hang();
  manager().on_topology({1, {{{"sw1", PortId{10}}, Unusable::kDown}}});
  connect(1);
  EXPECT_TRUE(commanded("sw5"));
  EXPECT_FALSE(commanded("sw2"));
  connect(2);
  (void)reported();
  ask("mia", {{ConnectRequest{RequestId{3}, "ann", "bob", cells(10'001)}}, {}});
  wait(config.route_timer);
  EXPECT_THAT(reported(),
              ::testing::Contains(::testing::Field(&Outcome::cause, Cause::kNoRouteObject)));
}

TEST_F(RouteSilenceTest, WithoutAPathTheCallIsRefusedWithinItsTimerAndLeavesNothing) {
  start_with_network();
  hang();
  for (std::uint64_t i = 1; i <= 2 * RouteDesk::kQueriesMax; ++i) {
    ask("mia", {{ConnectRequest{RequestId{i}, "ann", "other-" + std::to_string(i), cells(1)}}, {}});
    if (i % 100 == 0) wait(config.route_timer);
  }
  wait(config.route_timer);
  const auto outcomes = reported();
  EXPECT_THAT(outcomes, SizeIs(2 * RouteDesk::kQueriesMax + 1));
  EXPECT_TRUE(std::ranges::all_of(
      outcomes, [](const Outcome& it) { return it.cause == Cause::kNoRouteObject; }));
  EXPECT_LE(take_route_queries().size(), RouteDesk::kQueriesMax) << "open queries have a bound";
}

TEST_F(RouteSilenceTest, CrankbackGoesOnOverTheKnownNetwork) {
  start_with_network();
  hang();
  connect(1);
  const HopSetup refusing = setup("sw1");
  answer("sw1", {refused(refusing, Cause::kNoBandwidth, PortId{10}, 100, 0)});
  answer_all_switches();
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(manager().counters().crankbacks, 1U);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

}  // namespace
}  // namespace xbind::cmgr
