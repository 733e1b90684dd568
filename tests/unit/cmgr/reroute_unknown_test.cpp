// A switch is unknown: no SwitchServer controls it, although its lines may still carry cells.
#include "reroute_fixture.hpp"

namespace xbind::cmgr {
namespace {

// As the Router reports it: the switch's links and the switch itself are unusable.
std::vector<UnusableElement> sw2_unknown() {
  return {{{"sw1", PortId{10}}, Unusable::kUnknown},
          {{"sw2", PortId{20}}, Unusable::kUnknown},
          {{"sw2", PortId{21}}, Unusable::kUnknown},
          {{"sw3", PortId{30}}, Unusable::kUnknown},
          {{"sw2", PortId{}}, Unusable::kUnknown}};
}

// The same for the caller's own switch.
std::vector<UnusableElement> sw1_unknown() {
  return {{{"sw1", PortId{10}}, Unusable::kUnknown},
          {{"sw2", PortId{20}}, Unusable::kUnknown},
          {{"sw1", PortId{1}}, Unusable::kUnknown},
          {{"sw1", PortId{}}, Unusable::kUnknown}};
}

class UnknownSwitchTest : public RerouteTest {
 protected:
  const Connection::Observed& observed(ConnectionId connection) {
    return manager().describe(connection)->connection.observed();
  }
};

TEST_F(UnknownSwitchTest, IsLeftMakeBeforeBreakAndItsRemovalIsOwedUntilItIsBack) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, sw2_unknown());
  make();
  all_done("sw1");
  EXPECT_EQ(notice(), (Notice{connection, NoticeKind::kRerouted, Cause::kNone, "sw2"}));
  // Cells of the call may still pass sw2.
  EXPECT_TRUE(silent("sw2"));
  wait(config.break_delay);
  const HopRemoval from_sw1 = removal("sw1");
  const HopRemoval from_sw2 = removal("sw2");
  const HopRemoval from_sw3 = removal("sw3");
  answer("sw1", {removed(from_sw1, vci(32))});
  answer("sw3", {removed(from_sw3)});
  answer("sw2", {not_removed(from_sw2)});
  EXPECT_EQ(manager().gauges().owed, 1U);
  EXPECT_EQ(manager().gauges().astray, 0U);
  EXPECT_EQ(manager().counters().unknown, 0U);
  // The labels into and out of sw2 stay reserved until sw2 answers.
  EXPECT_THAT(cached("sw1"), IsEmpty());
  // sw2 is back.
  topology(3, {});
  wait(SwitchDesk::kDebtRetry);
  const HopRemoval again = removal("sw2");
  EXPECT_EQ(again.key, from_sw2.key);
  answer("sw2", {removed(again, vci(40))});
  EXPECT_EQ(manager().gauges().owed, 0U);
  EXPECT_THAT(cached("sw1"), ElementsAre(std::pair{PortId{10}, vci(32)}));
  EXPECT_THAT(noticed(), IsEmpty());
  release_and_expect_nothing(connection);
}

TEST_F(UnknownSwitchTest, WithoutAnotherPathTheClientHearsUnknownThenBrokenThenUnknownThenMended) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, sw2_unknown());
  no_other_path(Cause::kNoRoute);
  const Notice unknown = notice();
  EXPECT_EQ(unknown, (Notice{connection, NoticeKind::kUnknown, Cause::kNone, "sw2"}));
  EXPECT_TRUE(observed(connection).in_doubt);
  EXPECT_EQ(observed(connection).broken, "sw2");
  EXPECT_EQ(manager().counters().unknown, 1U);
  EXPECT_EQ(manager().counters().broken, 0U);
  // The retry causes no second notice.
  wait(config.reroute_retry);
  no_other_path(Cause::kNoRoute);
  EXPECT_THAT(noticed(), IsEmpty());
  // sw1 reports that its line to sw2 is down.
  std::vector<UnusableElement> down = sw2_unknown();
  down[0].why = down[1].why = Unusable::kDown;
  topology(3, down);
  no_other_path(Cause::kNoRoute);
  const Notice broken = notice();
  EXPECT_EQ(broken.cause, Cause::kNoRoute);
  EXPECT_EQ(broken.kind, NoticeKind::kBroken);
  EXPECT_FALSE(observed(connection).in_doubt);
  EXPECT_EQ(observed(connection).broken, "sw1 port 10");
  // The line is up again.
  topology(4, sw2_unknown());
  no_other_path(Cause::kNoRoute);
  EXPECT_EQ(notice().element, "sw2");
  topology(5, {});
  EXPECT_EQ(notice().kind, NoticeKind::kMended);
  EXPECT_EQ(observed(connection).broken, "");
  EXPECT_EQ(manager().counters().unknown, 2U);
  EXPECT_EQ(manager().counters().broken, 1U);
  release_and_expect_nothing(connection);
}

TEST_F(UnknownSwitchTest, AtAnEndIsSaidAtOnceSinceEveryPathPassesThere) {
  start_with_two_paths();
  const ConnectionId connection = connected(1);
  topology(2, sw1_unknown());
  EXPECT_THAT(take_route_queries(), IsEmpty());
  EXPECT_EQ(notice().element, "sw1");
  topology(3, {});
  EXPECT_EQ(notice().kind, NoticeKind::kMended);
  release_and_expect_nothing(connection);
}

TEST_F(UnknownSwitchTest, TakesNoNewCallOverARouteThatIsOlderThanThat) {
  start_with_two_paths();
  const ConnectionId first = connected(1);
  topology(2, sw1_unknown());
  EXPECT_EQ(notice().element, "sw1");
  // mia --> cmgr: another call; RouteObject has no news of the failure yet
  connect(2);
  route(found(query(), path()));
  const Outcome refused = outcome();
  EXPECT_EQ(refused.kind, OutcomeKind::kRefused);
  EXPECT_EQ(refused.cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(refused.element, "sw1");
  topology(3, {});
  noticed();
  release_and_expect_nothing(first);
}

TEST_F(UnknownSwitchTest, IsAvoidedAsAWholeWhenTheRouteIsOlderThanThat) {
  start_with_two_paths();
  topology(2, sw2_unknown());
  connect(1);
  route(found(query(), path()));
  const RouteQuery second = query();
  EXPECT_THAT(second.avoid, ElementsAre(PathElement{"sw2", PortId{}}));
  route(found(second, detour()));
  answer_all_switches();
  const Outcome up = outcome();
  EXPECT_EQ(up.kind, OutcomeKind::kConnected);
  release_and_expect_nothing(up.connection);
}

}  // namespace
}  // namespace xbind::cmgr
