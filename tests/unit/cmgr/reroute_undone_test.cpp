// The other path fails or is no longer wanted: its hops are removed, and the old path stays.
#include "cmgr/procedures/timers.hpp"
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

TEST_F(RerouteTest, AHopThatRefusesEndsInTheOldPath) {
  config.crankbacks = 0;
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_down());
  route(found(query(), detour()));
  all_done("sw3");
  // cmgr <-- sw5: refused
  answer("sw5", {refused(setup("sw5"), Cause::kNoBandwidth, PortId{51}, 100, 20)});
  // cmgr --> sw3: remove the new hop
  const HopRemoval back = removal("sw3");
  EXPECT_EQ(back.key.generation, Generation{2});
  EXPECT_TRUE(silent("sw1"));
  answer("sw3", {removed(back)});
  const Notice broken = notice();
  EXPECT_EQ(broken.kind, NoticeKind::kBroken);
  EXPECT_EQ(broken.cause, Cause::kNoBandwidth);
  EXPECT_EQ(broken.element, "sw5 port 51");
  EXPECT_EQ(broken.free, 20U);
  EXPECT_THAT(cached("sw1"), ElementsAre(std::pair{PortId{11}, vci(33)}));
  // The next try gets a path anew and has a later generation.
  wait(config.reroute_retry);
  route(found(query(), detour()));
  const HopSetup again = setup("sw5");
  EXPECT_GT(again.key.generation, Generation{2});
  answer("sw5", {done(again)});
  answer_all_switches();
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, ATakeOverThatIsRefusedUndoesTheNewHops) {
  const ConnectionId connection = reroute_until_take_over();
  // cmgr <-- sw1: its switch has refused
  answer("sw1", {refused(setup("sw1"), Cause::kSwitchRefused, {}, 30)});
  EXPECT_EQ(removal("sw5").key.generation, Generation{2});
  EXPECT_EQ(removal("sw3").key.generation, Generation{2});
  EXPECT_TRUE(silent("sw1"));
  EXPECT_TRUE(silent("sw2")) << "the old path stays";
  EXPECT_EQ(manager().describe(connection).value().connection.hops().size(), 3U);
}

TEST_F(RerouteTest, ATakeOverWithoutAnAnswerIsRemovedToo) {
  const ConnectionId connection = reroute_until_take_over();
  (void)setup("sw1");
  wait(config.hop_timer);
  const HopRemoval back = removal("sw1");
  EXPECT_EQ(back.key, (HopKey{connection, Generation{2}, 0, 0}));
  answer("sw1", {removed(back, vci(33))});
  answer_all_switches();
  EXPECT_THAT(cached("sw1"), ElementsAre(std::pair{PortId{11}, vci(33)}));
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, ATakeOverThatIsTooEarlyIsTriedAgainSoonAndNobodyIsAlarmed) {
  start_with_two_paths();
  (void)connected(1);
  topology(2, link_down());
  make();
  // cmgr <-- sw1: not now, the old hop is being restored
  answer("sw1", {refused(setup("sw1"), Cause::kChangeUnderWay)});
  answer_all_switches();
  EXPECT_THAT(noticed(), IsEmpty());
  wait(milliseconds{100});
  answer_all_switches();
  EXPECT_EQ(notice().kind, NoticeKind::kRerouted);
}

TEST_F(RerouteTest, CellsAreLedBackBeforeTheNewPathGoes) {
  const ConnectionId connection = reroute_until_take_over();
  (void)setup("sw1");
  wait(config.hop_timer);
  // cmgr --> sw1: the old hop; the other removals wait for its confirmation or the undo timer
  const HopRemoval back = removal("sw1");
  EXPECT_TRUE(silent("sw3"));
  EXPECT_TRUE(silent("sw5"));
  answer("sw1", {removed(back, vci(33))});
  EXPECT_EQ(removal("sw5").key.generation, Generation{2});
  EXPECT_EQ(removal("sw3").key.generation, Generation{2});
  EXPECT_EQ(manager().describe(connection).value().connection.hops().size(), 3U);
}

TEST_F(RerouteTest, AReservationToTakeOverLeadsNobodyBack) {
  config.crankbacks = 0;
  config.label_cache_target = 0;  // every hop is reserved first, also the hop that takes over
  attach_all();
  attach("sw5");
  connect(1);
  answer_all_switches();
  const ConnectionId connection = outcome().connection;
  topology(2, link_drained());
  route(found(query(), detour()));
  all_done("sw1");
  all_done("sw5");
  // cmgr --> sw5, sw3: commit; sw5 refuses, sw3 has not answered
  answer("sw5", {refused(setup("sw5"), Cause::kSwitchRefused, {}, 30)});
  // No cell uses the new path, so all its hops are removed at once.
  EXPECT_EQ(take("sw3").removals.size(), 1U);
  EXPECT_EQ(removal("sw1").key.generation, Generation{2});
  EXPECT_EQ(manager().describe(connection).value().connection.hops().size(), 3U);
}

TEST_F(RerouteTest, UntilCellsAreLedBackTheNewPathStays) {
  const ConnectionId connection = reroute_until_take_over();
  (void)setup("sw1");
  wait(config.hop_timer);
  // cmgr <-- sw1: its switch cannot be reached
  answer("sw1", {not_removed(removal("sw1"))});
  EXPECT_TRUE(silent("sw3"));
  EXPECT_TRUE(silent("sw5"));
  wait(config.undo_timer);
  const HopRemoval again = removal("sw1");
  EXPECT_EQ(again.key, (HopKey{connection, Generation{2}, 0, 0}));
  EXPECT_TRUE(silent("sw5"));
  EXPECT_EQ(manager().gauges().reroutes_under_way, 0U) << "others need not wait for it";
  answer("sw1", {removed(again, vci(33))});
  EXPECT_FALSE(silent("sw3"));
  EXPECT_FALSE(silent("sw5"));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().owed, 0U);
  release_and_expect_nothing(connection);
}

TEST_F(RerouteTest, ASwitchServerThatRemovesLaterUnaskedEndsTheWait) {
  const ConnectionId connection = reroute_until_take_over();
  (void)setup("sw1");
  wait(config.hop_timer);
  const HopRemoval back = removal("sw1");
  answer("sw1", {not_removed(back)});
  // cmgr <-- sw1: its switch is back, and the hop that it had kept as a debt is gone
  answer("sw1", {removed(back, vci(33))});
  wait(config.undo_timer);
  EXPECT_TRUE(silent("sw1"));
  EXPECT_FALSE(silent("sw3"));
  EXPECT_FALSE(silent("sw5"));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().owed, 0U);
  release_and_expect_nothing(connection);
}

// The parameter is the stage of the exchange at which the client
// releases: all hops of both paths go.
class ReleasedDuringReroute : public RerouteTest, public ::testing::WithParamInterface<int> {};

TEST_P(ReleasedDuringReroute, BothPathsGo) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_drained());
  const int stages = GetParam();
  if (stages >= 1) route(found(query(), detour()));
  if (stages >= 2) all_done("sw5");
  if (stages >= 3) all_done("sw3");
  if (stages >= 4) all_done("sw1");
  if (stages >= 5) wait(config.break_delay);
  if (stages >= 6) all_done("sw2");
  release_and_expect_nothing(connection);
}

INSTANTIATE_TEST_SUITE_P(Stages, ReleasedDuringReroute, ::testing::Range(0, 7));

TEST_F(RerouteTest, TheSwitchThatIsToTakeOverIsLost) {
  const ConnectionId connection = reroute_until_take_over();
  lose("sw1");
  // It is unknown whether sw1 has taken over: the new path stays until sw1 is back.
  EXPECT_TRUE(silent("sw3"));
  EXPECT_TRUE(silent("sw5"));
  attach("sw1");
  wait(config.undo_timer);
  EXPECT_EQ(removal("sw1").key, (HopKey{connection, Generation{2}, 0, 0}));
}

// Its SwitchServer may be away for as long as it likes: that is no defect of the manager.
TEST_F(RerouteTest, OneThatWaitsForItsSwitchIsNotEndedByForce) {
  const ConnectionId connection = reroute_until_take_over();
  lose("sw1");
  for (int periods = 0; periods < 3; ++periods) wait(ProcedureTimers(config).stuck_after());
  EXPECT_EQ(manager().counters().ended_stuck, 0U);
  attach("sw1");
  wait(config.undo_timer);
  EXPECT_EQ(removal("sw1").key, (HopKey{connection, Generation{2}, 0, 0}));
}

TEST_F(RerouteTest, ReleasedWhileItIsToBeLedBack) {
  const ConnectionId connection = reroute_until_take_over();
  lose("sw1");
  release(9, connection);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  EXPECT_EQ(manager().gauges().owed, 2U) << "of both generations, at sw1";
  EXPECT_EQ(manager().gauges().reroutes_under_way, 0U);
}

// Its line may flicker.
TEST_F(RerouteTest, ToAPathThatIsDownItIsLedBackFirst) {
  config.crankbacks = 0;
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, link_down());
  make();
  (void)setup("sw1");
  wait(config.hop_timer);
  EXPECT_TRUE(silent("sw3"));
  EXPECT_TRUE(silent("sw5"));
  const HopRemoval back = removal("sw1");
  EXPECT_EQ(back.key, (HopKey{connection, Generation{2}, 0, 0}));
  answer("sw1", {removed(back, vci(33))});
  EXPECT_FALSE(silent("sw3"));
  EXPECT_FALSE(silent("sw5"));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(RerouteTest, ToAPathThatIsDownTheNewOneStaysWhileASwitchRefusesToLeadBack) {
  config.crankbacks = 0;
  start_with_two_paths();
  (void)connected(1);
  topology(2, link_down());
  make();
  (void)setup("sw1");
  wait(config.hop_timer);
  HopResult refusal = not_removed(removal("sw1"));
  refusal.cause = Cause::kSwitchRefused;
  answer("sw1", {refusal});
  EXPECT_TRUE(silent("sw3")) << "cells still go there";
  EXPECT_TRUE(silent("sw5"));
  wait(config.undo_timer);
  const HopRemoval again = removal("sw1");
  EXPECT_TRUE(silent("sw3"));
  answer("sw1", {removed(again, vci(33))});
  EXPECT_FALSE(silent("sw3"));
  EXPECT_FALSE(silent("sw5"));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().owed, 0U);
}

TEST_F(RerouteTest, ToAPathThatIsDownNoSwitchIsWaitedForThatCannotBeReached) {
  config.crankbacks = 0;
  start_with_two_paths();
  (void)connected(1);
  topology(2, link_down());
  make();
  (void)setup("sw1");
  wait(config.hop_timer);
  answer("sw1", {not_removed(removal("sw1"))});
  EXPECT_FALSE(silent("sw3"));
  EXPECT_FALSE(silent("sw5"));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().owed, 1U);
}

TEST_F(RerouteTest, ToAPathThatIsDownNobodyIsLedBackAtALostSwitch) {
  config.crankbacks = 0;
  start_with_two_paths();
  (void)connected(1);
  topology(2, link_down());
  make();
  lose("sw1");
  EXPECT_FALSE(silent("sw3"));
  EXPECT_FALSE(silent("sw5"));
  answer_all_switches();
  EXPECT_EQ(manager().gauges().owed, 1U);
}

}  // namespace
}  // namespace xbind::cmgr
