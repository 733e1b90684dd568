// Connections that need the same room on other paths: their re-routes must not refuse each other
// what one of them could have.
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

TEST_F(RerouteTest, ThoseThatFoundNoRoomAreTriedAgainOneAfterTheOther) {
  config.label_cache_target = 8;
  start_with_labels({vci(32), vci(34)}, {vci(40), vci(41)});
  attach("sw5");
  for (const std::uint64_t request : {1U, 2U}) connected(request);
  topology(2, link_drained());
  EXPECT_EQ(manager().gauges().reroutes_under_way, 2U);
  no_other_path(Cause::kNoBandwidth, 50);
  EXPECT_EQ(manager().counters().reroutes_failed, 2U);

  // What one holds meanwhile must not be what the other lacks.
  wait(config.reroute_retry);
  EXPECT_EQ(manager().gauges().reroutes_under_way, 1U);
  no_other_path(Cause::kNoBandwidth, 50);
  no_other_path(Cause::kNoBandwidth, 50);
  EXPECT_EQ(manager().counters().reroutes_failed, 4U);

  wait(config.reroute_retry);
  EXPECT_EQ(manager().gauges().reroutes_under_way, 2U) << "they may help each other as well";
  route(found(query(), detour()));
  answer_all_switches();
  wait(config.break_delay);
  answer_all_switches();
  EXPECT_EQ(manager().counters().reroutes_done, 2U);
  EXPECT_EQ(manager().gauges().astray, 0U);
}

TEST_F(RerouteTest, OneThatFindsNoRoomAloneMakesWayForTheNext) {
  config.label_cache_target = 8;
  config.crankbacks = 0;
  start_with_labels({vci(32), vci(34)}, {vci(40), vci(41)});
  attach("sw5");
  for (const std::uint64_t request : {1U, 2U}) connected(request);
  topology(2, link_drained());
  no_other_path(Cause::kNoBandwidth, 50);
  wait(config.reroute_retry);
  route(found(query(), detour()));
  const HopBatch first = take("sw5");
  ASSERT_EQ(first.setups.size(), 1U);
  EXPECT_EQ(manager().gauges().reroutes_under_way, 1U);
  answer("sw5", {refused(first.setups[0], Cause::kNoBandwidth, PortId{51}, 100, 50)});
  answer_all_switches();  // nothing of it is left when the other one asks for room
  wait(config.break_delay);
  answer_all_switches();
  EXPECT_EQ(manager().counters().reroutes_failed, 3U);
  EXPECT_EQ(manager().counters().reroutes_done, 1U);
}

// RouteObject prefers a path with room. Where none has room for 300 cells/s, its answer leads where
// there may be no room for 100 either, although another path has it.
TEST_F(RerouteTest, OneThatIsTriedAloneGetsAPathForItsOwnRate) {
  config.crankbacks = 0;
  start_with_two_paths();
  connected(1);
  route(found({"ann", "bob", 300}, detour()));
  topology(2, link_drained());
  EXPECT_THAT(take_route_queries(), IsEmpty()) << "the answer for the greater rate serves";
  answer("sw5", {refused(setup("sw5"), Cause::kNoBandwidth, PortId{51}, 100, 50)});
  answer_all_switches();
  EXPECT_EQ(manager().counters().reroutes_failed, 1U);

  wait(config.reroute_retry);
  const RouteQuery own = query();
  EXPECT_EQ(own, (RouteQuery{"ann", "bob", 100}));
  route(found(own, detour()));
  answer_all_switches();
  wait(config.break_delay);
  answer_all_switches();
  EXPECT_EQ(manager().counters().reroutes_done, 1U);
}

}  // namespace
}  // namespace xbind::cmgr
