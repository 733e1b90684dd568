// Connections in both directions: two chains of labels over the same
// ports. exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class BothDirectionsTest : public ExchangeTest {
 protected:
  // Labels for both chains: 0/32 and 0/40 towards bob, 0/70 and 0/80 in the reverse direction.
  void start_with_labels_both_ways() {
    start_with_labels({vci(32)}, {vci(40)});
    answer("sw3", {}, {{PortId{30}, {vci(70)}}});
    answer("sw2", {}, {{PortId{20}, {vci(80)}}});
  }
  // 100 cells/s forward, 20 in the reverse direction.
  void connect_both(std::uint64_t request) {
    ConnectRequest both = call(request);
    both.reverse = cells(20, 2);
    ask("mia", {{both}, {}});
  }
  // The setups that the switch has received: forward, then reverse.
  std::pair<HopSetup, HopSetup> setups(const std::string& name) {
    const HopBatch heard = take(name);
    EXPECT_THAT(heard.setups, SizeIs(2)) << name;
    if (heard.setups.size() != 2) return {};
    const bool in_order = heard.setups[0].key.leg == 0;
    return {heard.setups[in_order ? 0 : 1], heard.setups[in_order ? 1 : 0]};
  }
};

TEST_F(BothDirectionsTest, TwoChainsAreCommittedTogether) {
  start_with_labels_both_ways();
  connect_both(7);
  const auto [one, one_back] = setups("sw1");
  const auto [two, two_back] = setups("sw2");
  const auto [three, three_back] = setups("sw3");
  // Forward:
  EXPECT_TRUE(one.first());
  EXPECT_EQ(two.input_label, vci(32));
  EXPECT_EQ(three.input_label, vci(40));
  EXPECT_TRUE(three.last());
  EXPECT_EQ(one.demand, (Resources{100, 10}));
  // Reverse, over the same ports:
  EXPECT_TRUE(three_back.first());
  EXPECT_EQ(three_back.key, (HopKey{one.key.connection, Generation{1}, 1, 0}));
  EXPECT_EQ(three_back.input_port, PortId{2});
  EXPECT_EQ(three_back.output_port, PortId{30});
  EXPECT_EQ(three_back.output_label, vci(70));
  EXPECT_EQ(two_back.input_port, PortId{21});
  EXPECT_EQ(two_back.input_label, vci(70));
  EXPECT_EQ(two_back.output_port, PortId{20});
  EXPECT_EQ(two_back.output_label, vci(80));
  EXPECT_EQ(one_back.input_label, vci(80));
  EXPECT_EQ(one_back.output_port, PortId{1});
  EXPECT_TRUE(one_back.last());
  EXPECT_EQ(one_back.demand, (Resources{20, 2}));
  answer("sw1", {done(one), done(one_back)});
  answer("sw2", {done(two), done(two_back)});
  answer("sw3", {done(three)});
  EXPECT_THAT(reported(), IsEmpty()) << "one hop of the way back is missing";
  answer("sw3", {done(three_back)});
  // mia <-- cmgr: connected, with four labels
  const Outcome connected = outcome();
  EXPECT_EQ(connected.kind, OutcomeKind::kConnected);
  EXPECT_EQ(connected.ingress, vci(500));
  EXPECT_EQ(connected.egress, vci(600));
  EXPECT_EQ(connected.reverse_ingress, vci(501));
  EXPECT_EQ(connected.reverse_egress, vci(601));
  const auto described = manager().describe(connected.connection);
  ASSERT_TRUE(described.has_value());
  EXPECT_TRUE(described->connection.both());
  EXPECT_EQ(described->connection.contract(), (Contract{{100, 10},
                                                        {20, 2},
                                                        {ServiceCategory::kCbr, 100, 10'000},
                                                        {ServiceCategory::kCbr, 20, 50'000}}));
  EXPECT_THAT(described->connection.hops(), SizeIs(6));
}

// The parameter is a change that raises only the reverse rate or only the reverse buffer.
class LargerReverseContract : public BothDirectionsTest,
                              public ::testing::WithParamInterface<Resources> {};

TEST_P(LargerReverseContract, IsAskedOfEveryHopAndMayBeRefused) {
  start_with_labels_both_ways();
  connect_both(1);
  answer_all_switches();
  const ConnectionId call = outcome().connection;
  const Contract had = manager().describe(call).value().connection.contract();
  // mia --> cmgr: modify 2
  modify(2, call, cells(100, 10), cells(GetParam().cells_per_s, GetParam().buffer_cells));
  // cmgr <-- sw2: refused, no bandwidth for the reverse direction
  const HopBatch heard = take("sw2");
  ASSERT_THAT(heard.modifies, SizeIs(2));
  const bool in_order = heard.modifies[0].key.leg == 0;
  const HopModify& back = heard.modifies[in_order ? 1 : 0];
  EXPECT_EQ(back.demand, GetParam());
  answer("sw2", {done(heard.modifies[in_order ? 0 : 1]),
                 refused(back, Cause::kNoBandwidth, PortId{20}, 500, 30)});
  answer_all_switches();
  // mia <-- cmgr: refused; the contract is unchanged everywhere
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.kind, OutcomeKind::kRefused);
  EXPECT_EQ(explain(refusal), "no bandwidth at sw2 port 20: asked 500 cells/s, free 30");
  EXPECT_EQ(manager().describe(call).value().connection.contract(), had);
  EXPECT_EQ(manager().gauges().owed, 0U);
}

INSTANTIATE_TEST_SUITE_P(CellsOrBuffer, LargerReverseContract,
                         ::testing::Values(Resources{500, 2}, Resources{20, 50}),
                         [](const auto& more) {
                           return more.param.cells_per_s > 20 ? "Cells" : "Buffer";
                         });

TEST_F(BothDirectionsTest, ARefusalOfOneDirectionUndoesBoth) {
  start_with_labels_both_ways();
  connect_both(1);
  const auto [three, three_back] = setups("sw3");
  all_done("sw1");
  all_done("sw2");
  // The reverse direction ends at ann's own port, so no other route helps.
  answer("sw3", {done(three), done(three_back)});
  release(2, outcome().connection);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);

  connect_both(3);
  const auto [one, one_back] = setups("sw1");
  answer("sw1", {done(one), refused(one_back, Cause::kNoBandwidth, PortId{1}, 20, 5)});
  EXPECT_EQ(removal("sw1").key, one.key) << "the direction that refused has left nothing";
  EXPECT_THAT(take("sw2").removals, SizeIs(2));
  EXPECT_THAT(take("sw3").removals, SizeIs(2));
  answer("sw1", {removed({one.key, 0}, vci(32))});
  const auto hop = [&](std::uint16_t leg, std::uint16_t number) {
    return HopRemoval{{one.key.connection, Generation{1}, leg, number}, 0};
  };
  answer("sw2", {removed(hop(0, 1), vci(40)), removed(hop(1, 1), vci(80))});
  EXPECT_THAT(reported(), IsEmpty());
  answer("sw3", {removed(hop(0, 2)), removed(hop(1, 0), vci(70))});
  EXPECT_EQ(explain(outcome()), "no bandwidth at sw1 port 1: asked 20 cells/s, free 5");
  EXPECT_THAT(cached("sw3"), ElementsAre(Pair(PortId{30}, vci(70))));
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(BothDirectionsTest, WithoutLabelsTheyAreReservedForBothWays) {
  attach_all();
  connect_both(1);
  EXPECT_EQ(setup("sw1").key.leg, 0);
  EXPECT_EQ(setup("sw3").key.leg, 1);
  const auto [two, two_back] = setups("sw2");
  EXPECT_FALSE(two.commit);
  EXPECT_FALSE(two_back.commit);
}

TEST_F(BothDirectionsTest, AReleaseRemovesBoth) {
  start_with_labels_both_ways();
  connect_both(1);
  answer_all_switches();
  release(2, outcome().connection);
  for (const char* name : {"sw1", "sw2", "sw3"}) {
    const HopBatch heard = take(name);
    EXPECT_THAT(heard.removals, SizeIs(2));
    answer(name, all_done(heard));
  }
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
}

TEST_F(BothDirectionsTest, TheRouteIsAskedForTheGreaterOfBoth) {
  attach_all();
  ConnectRequest both = call(1, 100);
  both.to = "cyn";
  both.reverse = cells(5'000);
  ask("mia", {{both}, {}});
  EXPECT_THAT(take_route_queries(), ElementsAre(RouteQuery{"ann", "cyn", 5'000}));
}

// What a switch charges lies between SCR and PCR. A path is not excluded because its lines are
// slower than the peak.
TEST_F(BothDirectionsTest, TheRouteIsAskedForTheLeastThatASwitchMayCharge) {
  attach_all();
  ConnectRequest bursts = call(1);
  bursts.to = "cyn";
  bursts.service = ServiceSpec{ServiceKind::kContract};
  bursts.service.contract = {ServiceCategory::kRtVbr, 500'000, 10, 4'000, 60};
  bursts.reverse = cells(20);
  ask("mia", {{bursts}, {}});
  EXPECT_THAT(take_route_queries(), ElementsAre(RouteQuery{"ann", "cyn", 4'000}));
}

TEST_F(BothDirectionsTest, AModifyHasAContractForEach) {
  start_with_labels_both_ways();
  connect_both(1);
  answer_all_switches();
  const ConnectionId both = outcome().connection;
  modify(2, both, cells(100));
  EXPECT_EQ(outcome().cause, Cause::kInvalidRequest) << "the reverse is missing";
  modify(3, both, cells(100), cells(40, 2));
  const HopBatch heard = take("sw2");
  ASSERT_THAT(heard.modifies, SizeIs(2));
  EXPECT_EQ(heard.modifies[0].demand, (Resources{100, 10}));
  EXPECT_EQ(heard.modifies[1].demand, (Resources{40, 2}));
  answer("sw2", all_done(heard));
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kModified);
  EXPECT_EQ(manager().describe(both).value().connection.contract().reverse, (Resources{40, 2}));
}

TEST_F(BothDirectionsTest, AHoldReservesBoth) {
  start_with_labels_both_ways();
  ConnectRequest both = call(1);
  both.reverse = cells(20, 2);
  both.hold_ms = 1'000;
  ask("mia", {{both}, {}});
  const auto [one, one_back] = setups("sw1");
  EXPECT_TRUE(one.held);
  EXPECT_TRUE(one_back.held);
  answer("sw1", {done(one, vci(32)), done(one_back)});
  answer_all_switches();
  const Outcome held = outcome();
  EXPECT_EQ(held.kind, OutcomeKind::kHeld);
  commit(2, held.connection);
  answer_all_switches();
  EXPECT_EQ(outcome().reverse_egress, vci(601));
}

}  // namespace
}  // namespace xbind::cmgr
