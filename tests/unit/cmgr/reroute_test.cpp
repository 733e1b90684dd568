// A link or switch becomes unusable: connections move to another path while they are up.
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

TEST_F(RerouteTest, ADrainedLinkIsLeftAndTheOldPathGoesLast) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  // RouteObject --> cmgr: sw2 port 21 is drained
  topology(2, link_drained());
  // cmgr --> RouteObject: another path
  route(found(query(), detour()));
  // cmgr --> sw5, sw3: the new hops; sw3's new hop has the same output as the old one
  const HopSetup at_sw5 = setup("sw5");
  EXPECT_EQ(at_sw5.key, (HopKey{connection, Generation{2}, 0, 1}));
  EXPECT_EQ(at_sw5.input_label, vci(33));
  EXPECT_FALSE(at_sw5.takes_over || at_sw5.joins);
  const HopSetup at_sw3 = setup("sw3");
  EXPECT_EQ(at_sw3.key, (HopKey{connection, Generation{2}, 0, 2}));
  EXPECT_TRUE(at_sw3.joins);
  EXPECT_EQ(at_sw3.input_port, PortId{31});
  EXPECT_EQ(at_sw3.input_label, vci(60));
  EXPECT_EQ(at_sw3.output_port, PortId{2});
  EXPECT_EQ(at_sw3.output_label, vci(600)) << "the callee finds the cells where they were";
  EXPECT_TRUE(silent("sw1")) << "nothing leads there before it is made";
  EXPECT_TRUE(silent("sw2"));
  answer("sw5", {done(at_sw5)});
  EXPECT_TRUE(silent("sw1"));
  answer("sw3", {done(at_sw3)});
  // cmgr --> sw1: take over
  const HopSetup at_sw1 = setup("sw1");
  EXPECT_EQ(at_sw1.key, (HopKey{connection, Generation{2}, 0, 0}));
  EXPECT_TRUE(at_sw1.takes_over);
  EXPECT_EQ(at_sw1.input_port, PortId{1});
  EXPECT_EQ(at_sw1.input_label, vci(500)) << "the caller's label stays";
  EXPECT_EQ(at_sw1.output_port, PortId{11});
  EXPECT_EQ(at_sw1.output_label, vci(33));
  EXPECT_THAT(noticed(), IsEmpty());
  answer("sw1", {done(at_sw1)});
  // cmgr --> mia: the connection is on another path
  const Notice rerouted = notice();
  EXPECT_EQ(rerouted.connection, connection);
  EXPECT_EQ(rerouted.kind, NoticeKind::kRerouted);
  EXPECT_EQ(rerouted.element, "sw2 port 21");
  for (const char* name : {"sw1", "sw2", "sw3", "sw5"}) EXPECT_TRUE(silent(name)) << name;
  // After the break delay, cmgr --> sw1, sw2, sw3: remove the old hops
  wait(config.break_delay);
  const auto old = [&](std::uint16_t hop) { return HopKey{connection, Generation{1}, 0, hop}; };
  const HopRemoval from_sw1 = removal("sw1");
  EXPECT_EQ(from_sw1.key, old(0));
  answer("sw1", {removed(from_sw1, vci(32))});
  const HopRemoval from_sw2 = removal("sw2");
  EXPECT_EQ(from_sw2.key, old(1));
  EXPECT_THAT(cached("sw1"), IsEmpty()) << "the other end has not confirmed";
  answer("sw2", {removed(from_sw2, vci(40))});
  const HopRemoval from_sw3 = removal("sw3");
  EXPECT_EQ(from_sw3.key, old(2));
  answer("sw3", {removed(from_sw3)});
  EXPECT_THAT(cached("sw1"), ElementsAre(std::pair{PortId{10}, vci(32)}));
  EXPECT_THAT(cached("sw2"), ElementsAre(std::pair{PortId{21}, vci(40)}));
  EXPECT_EQ(manager().gauges().astray, 0U);
  const auto described = manager().describe(connection);
  ASSERT_TRUE(described.has_value());
  ASSERT_EQ(described->connection.hops().size(), 3U);
  EXPECT_EQ(manager().switches().name(described->connection.hops().nth(1)->at), "sw5");
  EXPECT_EQ(described->connection.reroutes(), 1U);
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, OfAPathThatIsDownNothingIsWaitedFor) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_down());
  make();
  all_done("sw1");
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
  EXPECT_EQ(removal("sw2").key, (HopKey{connection, Generation{1}, 0, 1}));
  EXPECT_EQ(take("sw1").removals.size(), 1U);
  EXPECT_EQ(take("sw3").removals.size(), 1U);
}

TEST_F(RerouteTest, BackAgainWhenTheOtherPathIsDrained) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_drained());
  make();
  all_done("sw1");
  wait(config.break_delay);
  answer_all_switches();
  topology(3, {{{"sw5", PortId{51}}, Unusable::kDrained}});
  route(found(query(), path()));
  answer_all_switches();
  wait(config.break_delay);
  answer_all_switches();
  EXPECT_EQ(manager().counters().reroutes_done, 2U);
  EXPECT_EQ(manager().switches().name(
                manager().describe(connection).value().connection.hops().nth(1)->at),
            "sw2");
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, WithoutAnotherPathTheClientIsToldOnceAndAgainWhenItIsMended) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_down());
  no_other_path(Cause::kNoRoute);
  const Notice broken = notice();
  EXPECT_EQ(broken.kind, NoticeKind::kBroken);
  EXPECT_EQ(broken.cause, Cause::kNoRoute);
  EXPECT_EQ(broken.element, "ann -> bob");
  EXPECT_EQ(manager().describe(connection).value().connection.observed().broken, "sw2 port 21");
  // The retry fails as well and causes no second notice.
  wait(config.reroute_retry);
  no_other_path(Cause::kNoRoute);
  EXPECT_THAT(noticed(), IsEmpty());
  // RouteObject --> cmgr: nothing is unusable any more
  topology(3, {});
  EXPECT_EQ(notice().kind, NoticeKind::kMended);
  EXPECT_EQ(manager().gauges().astray, 0U);
  EXPECT_EQ(manager().counters().reroutes_failed, 2U);
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, BrokenThenAnotherPathAfterAll) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_down());
  no_other_path(Cause::kNoBandwidth, 50);
  const Notice broken = notice();
  EXPECT_EQ(broken.cause, Cause::kNoBandwidth);
  EXPECT_EQ(broken.asked, 100U);
  EXPECT_EQ(broken.free, 50U);
  wait(config.reroute_retry);
  make();
  all_done("sw1");
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
  EXPECT_EQ(manager().describe(connection).value().connection.observed().broken, "");
  answer_all_switches();
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, ADrainedLinkWithoutAnotherPathIsNobodysTrouble) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_drained());
  no_other_path(Cause::kNoRoute);
  EXPECT_THAT(noticed(), IsEmpty());
  EXPECT_EQ(manager().gauges().astray, 1U);
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, AnAccessLineThatIsDownLeavesNoWay) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, {{{"sw3", PortId{2}}, Unusable::kDown}});
  EXPECT_THAT(take_route_queries(), IsEmpty());
  const Notice broken = notice();
  EXPECT_EQ(broken.kind, NoticeKind::kBroken);
  EXPECT_EQ(broken.cause, Cause::kLinkDown);
  EXPECT_EQ(broken.element, "sw3 port 2");
  topology(3, {});
  EXPECT_EQ(notice().kind, NoticeKind::kMended);
  release_and_expect_nothing(connection);
}

// The new path uses another link from sw1 to sw2. sw2's new hop joins the old one. It inherits the
// label towards sw3, together with the session that granted it and its quarantine.
class LabelInheritanceTest : public RerouteTest {
 protected:
  // sw2's session is lost and the next one names `quarantined`; then
  // the call moves to the other path.
  ConnectionId reroute_after_lost_session(const std::vector<PortLabels>& quarantined) {
    start_with_two_paths();
    answer("sw1", {}, {{PortId{12}, {vci(34)}}});
    const ConnectionId connection = connected(1);
    lose("sw2");
    attach("sw2", quarantined);
    topology(
        2, {{{"sw1", PortId{10}}, Unusable::kDrained}, {{"sw2", PortId{20}}, Unusable::kDrained}});
    route(found(query(), {{{"sw1", PortId{1}, PortId{12}},
                           {"sw2", PortId{25}, PortId{21}},
                           {"sw3", PortId{30}, PortId{2}}},
                          10'000}));
    const HopSetup at_sw2 = setup("sw2");
    EXPECT_TRUE(at_sw2.joins);
    EXPECT_EQ(at_sw2.output_label, vci(40));
    answer("sw2", {done(at_sw2)});
    answer_all_switches();
    EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
    wait(config.break_delay);
    answer_all_switches();
    return connection;
  }
  // The label was granted in the first session: the manager returns it and never caches it.
  void expect_returned() {
    EXPECT_THAT(cached("sw2"), IsEmpty());
    wait(Aggregator::kReturnDelay);
    EXPECT_THAT(take("sw2").returned, ElementsAre(PortLabels{PortId{21}, {vci(40)}}));
  }
};

TEST_F(LabelInheritanceTest, OfAnEarlierSessionReturnsIt) {
  const ConnectionId connection = reroute_after_lost_session({});
  release(2, connection);
  // cmgr <-- sw2: removed, 0/40 rests in quarantine
  answer("sw2", {removed(removal("sw2"), vci(40))});
  all_done("sw1");
  all_done("sw3");
  expect_returned();
}

TEST_F(LabelInheritanceTest, ThatRestsInQuarantineAlreadyReturnsIt) {
  const ConnectionId connection = reroute_after_lost_session({{PortId{21}, {vci(40)}}});
  release(2, connection);
  // cmgr <-- sw2: removed; sw2 named 0/40 when it attached
  answer("sw2", {removed(removal("sw2"))});
  all_done("sw1");
  all_done("sw3");
  expect_returned();
}

TEST_F(RerouteTest, BothDirectionsGoOverTogether) {
  start_with_two_paths();
  attach("sw3");
  ConnectRequest request = call(1);
  request.reverse = cells(50);
  ask("mia", {{request}, {}});
  answer_all_switches();
  const ConnectionId connection = outcome().connection;
  topology(2, link_drained());
  route(found(query(), detour()));
  // cmgr --> sw5: both directions, the reverse label reserved first;
  // sw3 joins forward, sw1 in reverse
  std::vector<HopSetup> joins;
  std::vector<HopSetup> overs;
  for (bool again = true; again;) {
    again = false;
    for (const char* name : {"sw1", "sw3", "sw5"}) {
      if (silent(name)) continue;
      again = true;
      const HopBatch heard = take(name);
      for (const HopSetup& it : heard.setups) {
        if (it.joins && it.commit) joins.push_back(it);
        if (it.takes_over && it.commit) overs.push_back(it);
      }
      answer(name, all_done(heard));
    }
  }
  ASSERT_THAT(joins, SizeIs(2));
  ASSERT_THAT(overs, SizeIs(2));
  const auto leg_of = [](const std::vector<HopSetup>& setups, PortId output) {
    for (const HopSetup& it : setups) {
      if (it.output_port == output) return static_cast<int>(it.key.leg);
    }
    return -1;
  };
  EXPECT_EQ(leg_of(joins, PortId{2}), 0) << "at sw3, to bob";
  EXPECT_EQ(leg_of(joins, PortId{1}), 1) << "at sw1, to ann";
  EXPECT_EQ(leg_of(overs, PortId{11}), 0) << "at sw1";
  EXPECT_EQ(leg_of(overs, PortId{31}), 1) << "at sw3";
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
  wait(config.break_delay);
  answer_all_switches();
  EXPECT_EQ(manager().describe(connection).value().connection.hops().size(), 6U);
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, OldNewsIsIgnored) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(5, {});
  topology(4, link_down());
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(manager().counters().stale_topologies, 1U);
  // But an older version of a restarted RouteObject counts.
  manager().on_topology({1, link_down()}, true);
  finish();
  EXPECT_THAT(take_route_queries(), SizeIs(1));
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, ManyWaitForTheirTurn) {
  config.reroutes_at_once = 2;
  config.label_cache_target = 8;
  start_with_labels({vci(32), vci(34), vci(36)}, {vci(40), vci(41), vci(42)});
  attach("sw5");
  std::vector<ConnectionId> all;
  for (std::uint64_t i = 1; i <= 3; ++i) all.push_back(connected(i));
  topology(2, link_down());
  EXPECT_EQ(manager().gauges().reroutes_under_way, 2U);
  // One query serves all of them, because they connect the same pair.
  route(found(query(), detour()));
  for (int round = 0; round < 6; ++round) {
    answer_all_switches();
    for (const RouteQuery& asked : take_route_queries()) route(found(asked, detour()));
  }
  EXPECT_EQ(manager().counters().reroutes_done, 3U);
  EXPECT_EQ(manager().gauges().astray, 0U);
  EXPECT_THAT(noticed(), SizeIs(3));
}

TEST_F(RerouteTest, ANewCallDoesNotTakeAnAnswerThatIsOlderThanTheNews) {
  start_with_two_paths();
  topology(2, link_down());
  EXPECT_EQ(manager().gauges().routes_cached, 1U) << "the pair, without an answer";
  connect(1);
  // RouteObject --> cmgr: an answer that predates the failure
  route(found(query(), path()));
  const RouteQuery again = query();
  EXPECT_THAT(again.avoid, ElementsAre(PathElement{"sw2", PortId{21}}));
  route(found(again, detour()));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
}

TEST_F(RerouteTest, ACallThatIsBeingSetUpIsLookedAtWhenItIsUp) {
  start_with_two_paths();
  connect(1);
  topology(2, link_down());
  EXPECT_THAT(take_route_queries(), IsEmpty());
  for (const char* name : {"sw1", "sw2", "sw3"}) all_done(name);
  EXPECT_EQ(outcome().kind, OutcomeKind::kConnected);
  make();
  all_done("sw1");
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
}

TEST_F(RerouteTest, AChangeOfContractWaitsItsTurn) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  modify(2, connection, cells(50));
  topology(2, link_down());
  EXPECT_THAT(take_route_queries(), IsEmpty()) << "one thing at a time";
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  route(found(query(), detour()));
  modify(3, connection, cells(20));
  EXPECT_EQ(outcome().cause, Cause::kChangeUnderWay);
  const HopSetup at_sw5 = setup("sw5");
  EXPECT_EQ(at_sw5.demand.cells_per_s, 50U);
}

TEST_F(RerouteTest, ATreeIsLeftAndItsClientTold) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  learn_route("guy");
  add_leaf(2, connection, "guy");
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kLeafAdded);
  topology(2, link_down());
  EXPECT_THAT(take_route_queries(), IsEmpty());
  const Notice broken = notice();
  EXPECT_EQ(broken.cause, Cause::kLinkDown);
  EXPECT_EQ(broken.element, "sw2 port 21");
}

TEST_F(RerouteTest, WhatIsPreparedInAdvanceIsGivenUp) {
  config.label_cache_target = 8;
  start_with_two_paths();
  answer("sw1", {}, {{PortId{10}, {vci(35), vci(37)}}});
  answer("sw2", {}, {{PortId{21}, {vci(43), vci(44)}}});
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), 1, now).has_value());
  finish();
  answer_all_switches();
  EXPECT_EQ(manager().gauges().prepared, 1U);
  topology(2, link_down());
  EXPECT_EQ(manager().gauges().prepared, 0U);
  EXPECT_EQ(take("sw2").removals.size(), 1U);
}

TEST_F(RerouteTest, TheEndsOfANewPathAreToldWhoHasAPreparedConnection) {
  config.label_cache_target = 8;
  start_with_two_paths();
  answer("sw1", {}, {{PortId{10}, {vci(35), vci(37)}}});
  answer("sw2", {}, {{PortId{21}, {vci(43), vci(44)}}});
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), 1, now).has_value());
  finish();
  answer_all_switches();
  connect(1);
  const HopBatch heard = take("sw3");
  ASSERT_THAT(heard.modifies, SizeIs(1));
  ASSERT_THAT(heard.setups, SizeIs(1)) << "the pool's next one";
  answer("sw3", {done(heard.modifies[0]),
                 refused(heard.setups[0], Cause::kNoBandwidth, PortId{2}, 100, 20)});
  answer_all_switches();
  const ConnectionId taken = outcome().connection;
  topology(2, link_drained());
  route(found(query(), detour()));
  std::map<std::string, HopModify> told;
  for (int round = 0; round < 3; ++round) {
    for (const char* name : {"sw1", "sw2", "sw3", "sw5"}) {
      const HopBatch asked = take(name);
      for (const HopModify& change : asked.modifies) told[name] = change;
      answer(name, all_done(asked));
    }
  }
  EXPECT_EQ(told.size(), 2U);
  for (const char* name : {"sw1", "sw3"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(told[name].handover.has_value());
    EXPECT_EQ(told[name].key.generation, Generation{2});
    EXPECT_EQ(told[name].handover->shown_id, taken);
  }
}

TEST_F(RerouteTest, WhatIsPreparedOverADrainedLinkIsMadeAnewElsewhere) {
  config.label_cache_target = 8;
  start_with_two_paths();
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), 1, now).has_value());
  finish();
  answer_all_switches();
  EXPECT_EQ(manager().gauges().prepared, 1U);
  // RouteObject --> cmgr: drained
  topology(2, link_drained());
  EXPECT_EQ(manager().gauges().prepared, 0U) << "no call gets it";
  EXPECT_EQ(take("sw2").removals.size(), 1U);
  EXPECT_EQ(manager().gauges().reroutes_under_way, 0U) << "it has no cells that could be lost";
  route(found(query(), detour()));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().prepared, 1U);
  connect(1);
  const ConnectionId taken = outcome().connection;
  for (const Hop& hop : manager().describe(taken)->connection.hops()) {
    EXPECT_NE(manager().switches().name(hop.at), "sw2");
  }
}

TEST_F(RerouteTest, WhatIsPreparedIsNotKeptThereThoughThereIsNoOtherPath) {
  start_with_two_paths();
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), 1, now).has_value());
  finish();
  answer_all_switches();
  topology(2, link_drained());
  no_other_path(Cause::kNoRoute);
  EXPECT_EQ(take("sw2").removals.size(), 1U);
  EXPECT_EQ(manager().gauges().prepared, 0U);
  connect(1);
  const Outcome refused = outcome();
  EXPECT_EQ(refused.cause, Cause::kNoRoute);
}

TEST_F(RerouteTest, WhatWasGivenUpGoesThoughTheNetworkIsMendedMeanwhile) {
  config.reroutes_at_once = 1;
  config.label_cache_target = 8;
  start_with_two_paths();
  // mia's call is the first to move and occupies the only slot.
  const ConnectionId hers = connected(1);
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), 1, now).has_value());
  finish();
  answer_all_switches();
  ASSERT_EQ(manager().gauges().prepared, 1U);
  topology(2, link_drained());
  topology(3, {});
  answer_all_switches();
  route(found(query(), path()));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().prepared, 1U);
  EXPECT_EQ(manager().gauges().connections, 2U) << "mia's, and the pool's new one";
  EXPECT_EQ(manager().gauges().astray, 0U);
  (void)hers;
}

TEST_F(RerouteTest, ARefusalForADrainNamesIt) {
  config.crankbacks = 0;
  start_with_two_paths();
  topology(2, link_drained());
  connect(1);
  // The answer is older than the topology report.
  route(found(query()));
  const Outcome refused = outcome();
  EXPECT_EQ(refused.cause, Cause::kNoRoute);
  EXPECT_EQ(refused.element, "drained sw2 port 21");
}

TEST_F(RerouteTest, OfNewsThatWaitsForCreditTheLastIsTold) {
  config.client_session.batches_in_flight = 1;
  start_with_two_paths();
  const ConnectionId connection = connected(1);  // mia has not confirmed the outcome
  topology(2, {{{"sw3", PortId{2}}, Unusable::kDown}});
  topology(3, {});
  EXPECT_THAT(noticed(), IsEmpty()) << "no credit";
  // mia --> cmgr: confirmed;  mia <-- cmgr: mended
  wait(milliseconds{50});
  const Notice mended = notice();
  EXPECT_EQ(mended.connection, connection);
  EXPECT_EQ(mended.kind, NoticeKind::kMended);
  EXPECT_EQ(manager().counters().broken, 1U);
}

TEST_F(RerouteTest, ANoticeThatNobodyHearsIsCounted) {
  start_with_two_paths();
  (void)connected(1);
  manager().detach_client(clients_.at("mia").session);
  topology(2, {{{"sw3", PortId{2}}, Unusable::kDown}});
  EXPECT_EQ(manager().client_counters().notices_lost, 1U);
}

}  // namespace
}  // namespace xbind::cmgr
