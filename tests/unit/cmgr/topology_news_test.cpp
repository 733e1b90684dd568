// RouteObject's reports about the network, and their effect on a connection under way. exchange.hpp
// shows the network; the other path leads over sw5.
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

using TopologyNewsTest = RerouteTest;

TEST_F(TopologyNewsTest, APortThatIsNamedAsDrainedAndAsDownIsDown) {
  start_with_two_paths();
  connected(1);
  const PathElement port{"sw2", PortId{21}};
  topology(2, {{port, Unusable::kDrained}, {port, Unusable::kDown}});
  no_other_path(Cause::kNoRoute);
  EXPECT_EQ(notice().kind, NoticeKind::kBroken);
}

TEST_F(TopologyNewsTest, ADrainedAccessLineStillTakesCalls) {
  start_with_two_paths();
  topology(2, {{{"sw1", PortId{1}}, Unusable::kDrained}, {{"sw3", PortId{2}}, Unusable::kDrained}});
  connected(1);
}

TEST_F(TopologyNewsTest, WithTheAccessLineDownAsWellNoOtherPathIsLookedFor) {
  start_with_two_paths();
  connected(1);
  topology(2, {{{"sw2", PortId{21}}, Unusable::kDown}, {{"sw3", PortId{2}}, Unusable::kDown}});
  EXPECT_THAT(take_route_queries(), IsEmpty());
  const Notice broken = notice();
  EXPECT_EQ(broken.kind, NoticeKind::kBroken);
  EXPECT_EQ(broken.element, "sw3 port 2");
}

TEST_F(TopologyNewsTest, AFailureUnderAnOlderTopologyIsTriedAgainAtOnce) {
  config.crankbacks = 0;
  start_with_two_paths();
  connected(1);
  topology(2, link_down());
  route(found(query(), detour()));
  const HopSetup first = setup("sw5");
  topology(3, link_down());
  answer("sw5", {refused(first, Cause::kNoBandwidth, PortId{51}, 100, 20)});
  all_done("sw3");
  const HopSetup again = setup("sw5");
  EXPECT_GT(again.key.generation, first.key.generation);
  EXPECT_THAT(noticed(), IsEmpty());
}

// The route was not looked up while its link was down.
TEST_F(TopologyNewsTest, ARouteOverWhatFailedAndIsBackIsAskedForAnew) {
  start_with_two_paths();
  release(2, connected(1));
  answer_all_switches();
  topology(2, link_down());
  topology(3, {});
  connect(3);
  EXPECT_THAT(take_route_queries(), SizeIs(1));
}

TEST_F(TopologyNewsTest, ARouteBesideWhatFailedAndIsBackIsStillKnown) {
  start_with_two_paths();
  connected(1);
  topology(2, {{{"sw5", PortId{51}}, Unusable::kDown}});
  topology(3, {});
  connect(2);
  EXPECT_THAT(take_route_queries(), IsEmpty());
}

TEST_F(TopologyNewsTest, ASwitchThatIsMetLaterIsUnusableFromTheStart) {
  start();
  attach("sw1");
  attach("sw3");
  log_in("mia");
  topology(2, {{{"sw5", PortId{51}}, Unusable::kDown}});
  connect(1);
  route(found(query(), detour()));
  EXPECT_THAT(query().avoid, ElementsAre(PathElement{"sw5", PortId{51}}));
}

TEST_F(TopologyNewsTest, ASwitchOfTheNewPathThatIsLostDoesNotStopTheTakeOver) {
  reroute_until_take_over();
  lose("sw5");
  EXPECT_TRUE(silent("sw3")) << "sw5 has confirmed its hop";
  answer("sw1", {done(setup("sw1"))});
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
}

// The hop that joined owns the old path's label, which an earlier session of sw2 granted.
TEST_F(TopologyNewsTest, WhoeverOfThoseThatShareALabelIsRemovedLastSaysThatItRests) {
  start_with_two_paths();
  answer("sw1", {}, {{PortId{12}, {vci(34)}}});
  const ConnectionId connection = connected(1);
  lose("sw2");
  attach("sw2");
  topology(2,
           {{{"sw1", PortId{10}}, Unusable::kDrained}, {{"sw2", PortId{20}}, Unusable::kDrained}});
  route(found(query(), {{{"sw1", PortId{1}, PortId{12}},
                         {"sw2", PortId{25}, PortId{21}},
                         {"sw3", PortId{30}, PortId{2}}},
                        10'000}));
  answer_all_switches();
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
  // The release arrives before the old path is removed: sw2 has two hops with 0/40.
  release(2, connection);
  const HopBatch both = take("sw2");
  ASSERT_THAT(both.removals, SizeIs(2));
  for (const HopRemoval& removal : both.removals) {
    const bool joined = removal.key.generation == Generation{2};
    if (joined) answer("sw2", {removed(removal)});
  }
  for (const HopRemoval& removal : both.removals) {
    const bool old = removal.key.generation == Generation{1};
    if (old) answer("sw2", {removed(removal, vci(40))});
  }
  all_done("sw1");
  all_done("sw3");
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_THAT(cached("sw2"), IsEmpty());
  wait(Aggregator::kReturnDelay);
  EXPECT_THAT(take("sw2").returned, ElementsAre(PortLabels{PortId{21}, {vci(40)}}));
}

}  // namespace
}  // namespace xbind::cmgr
