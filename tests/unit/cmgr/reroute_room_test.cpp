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
  EXPECT_EQ(manager().counters().reroutes_failed, 4U) << "the second one has the cached answer";

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

}  // namespace
}  // namespace xbind::cmgr
