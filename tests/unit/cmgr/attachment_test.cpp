// Calls that want certain frames at their ends: the label of the end says which (decision 0066).
// exchange.hpp shows the network.
#include "exchange.hpp"

namespace xbind::cmgr {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class AttachmentTest : public ExchangeTest {
 protected:
  static FrameTraffic frames(std::string_view text) { return FrameTraffic::parse(text).value(); }
  // "vlan 100" at ann, "port" at bob.
  static ConnectRequest frame_call(std::uint64_t request) {
    ConnectRequest wanted = call(request);
    wanted.from_frames = frames("vlan 100");
    wanted.to_frames = frames("port");
    return wanted;
  }
  static Label vlan_100() { return {LabelKind::kMpls, 4'196}; }
  static Label whole_port() { return {LabelKind::kMpls, 16}; }
  // With a label of each link on both paths from ann to bob.
  void start_with_two_routes() {
    config.label_cache_target = 4;
    start_with_labels({vci(32)}, {vci(40)});
    attach("sw5");
    answer("sw1", {}, {{PortId{11}, {vci(33)}}});
    answer("sw5", {}, {{PortId{51}, {vci(60)}}});
  }
};

TEST_F(AttachmentTest, TheEndsHaveTheLabelsOfTheirFrames) {
  start_with_labels({vci(32)}, {vci(40)});
  // mia --> cmgr: connect, with frames at both ends
  ask("mia", {{frame_call(7)}, {}});
  // cmgr --> sw1, sw2, sw3: commit
  const HopSetup one = setup("sw1");
  const HopSetup two = setup("sw2");
  const HopSetup three = setup("sw3");
  EXPECT_EQ(one.input_label, vlan_100());
  EXPECT_EQ(one.output_label, vci(32));
  EXPECT_EQ(two.input_label, vci(32));
  EXPECT_EQ(two.output_label, vci(40));
  EXPECT_EQ(three.input_label, vci(40));
  EXPECT_EQ(three.output_label, whole_port());
  answer("sw1", {done(one)});
  answer("sw2", {done(two)});
  answer("sw3", {done(three)});
  const Outcome connected = outcome();
  EXPECT_EQ(connected.ingress, vlan_100());
  EXPECT_EQ(connected.egress, whole_port());
  release(8, connected.connection);
  answer_all_switches();
  EXPECT_EQ(outcome().kind, OutcomeKind::kReleased);
  expect_nothing_left();
  EXPECT_TRUE(leaves_no_trace());
}

TEST_F(AttachmentTest, OneEndMayHaveFramesAndTheOtherCells) {
  start_with_labels({vci(32)}, {vci(40)});
  ConnectRequest wanted = call(7);
  wanted.to_frames = frames("class 3");
  ask("mia", {{wanted}, {}});
  EXPECT_EQ(setup("sw1").input_label, Label{});
  EXPECT_EQ(setup("sw3").output_label, (Label{LabelKind::kMpls, 8'195}));
}

TEST_F(AttachmentTest, TheOtherDirectionHasTheSameFramesWithItsEndsSwapped) {
  start_with_labels({vci(32)}, {vci(40)});
  answer("sw3", {}, {{PortId{30}, {vci(70)}}});
  answer("sw2", {}, {{PortId{20}, {vci(80)}}});
  ConnectRequest both = frame_call(7);
  both.reverse = cells(20, 2);
  ask("mia", {{both}, {}});
  const HopBatch at_sw1 = take("sw1");
  const HopBatch at_sw3 = take("sw3");
  const auto of_leg = [](const HopBatch& heard, std::uint16_t leg) {
    for (const HopSetup& hop : heard.setups) {
      if (hop.key.leg == leg) return hop;
    }
    ADD_FAILURE() << "no hop of leg " << leg;
    return HopSetup{};
  };
  EXPECT_EQ(of_leg(at_sw1, 0).input_label, vlan_100());
  EXPECT_EQ(of_leg(at_sw3, 0).output_label, whole_port());
  EXPECT_EQ(of_leg(at_sw3, 1).input_label, whole_port());
  EXPECT_EQ(of_leg(at_sw1, 1).output_label, vlan_100());
  answer("sw1", all_done(at_sw1));
  answer("sw3", all_done(at_sw3));
  all_done("sw2");
  const Outcome connected = outcome();
  EXPECT_EQ(connected.reverse_ingress, whole_port());
  EXPECT_EQ(connected.reverse_egress, vlan_100());
}

TEST_F(AttachmentTest, ALabelThatIsTakenIsRefusedAtOnceWithTheFramesNamed) {
  start_with_two_routes();
  ask("mia", {{frame_call(7)}, {}});
  // cmgr <-- sw1: the label of VLAN 100 is taken
  answer("sw1", {refused(setup("sw1"), Cause::kNoLabel, PortId{1}, 4'196)});
  answer_all_switches();
  const Outcome refusal = outcome();
  EXPECT_EQ(refusal.cause, Cause::kNoLabel);
  EXPECT_EQ(refusal.asked, 4'196U);
  EXPECT_EQ(explain(refusal), "no label at sw1 port 1: the label mpls 4196 of 'vlan 100' is taken");
  EXPECT_THAT(take_route_queries(), IsEmpty()) << "every route begins there";
  expect_nothing_left();
}

TEST_F(AttachmentTest, APortWithoutThatLabelRefusesTheRequest) {
  start_with_two_routes();
  ask("mia", {{frame_call(7)}, {}});
  answer("sw3", {refused(setup("sw3"), Cause::kInvalidRequest, PortId{2}, 16)});
  answer_all_switches();
  EXPECT_EQ(explain(outcome()),
            "invalid request at sw3 port 2: the label mpls 16 of 'port' is none of the port's");
  EXPECT_THAT(take_route_queries(), IsEmpty());
  expect_nothing_left();
}

TEST_F(AttachmentTest, AnotherRouteHasTheSameLabelsAtItsEnds) {
  start_with_two_routes();
  ask("mia", {{frame_call(7)}, {}});
  all_done("sw1");
  answer("sw2", {refused(setup("sw2"), Cause::kNoBandwidth, PortId{21}, 100, 20)});
  answer_all_switches();
  const auto queries = take_route_queries();
  ASSERT_THAT(queries, SizeIs(1));
  route(found(queries.front(), detour()));
  EXPECT_EQ(setup("sw1").input_label, vlan_100());
  EXPECT_EQ(setup("sw5").input_label, vci(33));
  EXPECT_EQ(setup("sw3").output_label, whole_port());
}

TEST_F(AttachmentTest, WithoutALabelInTheCacheTheWantedOnesAreReservedToo) {
  start_with_labels({}, {vci(40)});
  ask("mia", {{frame_call(7)}, {}});
  // cmgr --> sw1: reserve a label of the link, and the ingress label
  const HopSetup one = setup("sw1");
  EXPECT_FALSE(one.commit);
  EXPECT_EQ(one.input_label, vlan_100());
  EXPECT_EQ(one.output_label, Label{});
  answer("sw1", {done(one, vci(50))});
  const HopSetup again = setup("sw1");
  EXPECT_TRUE(again.commit);
  EXPECT_EQ(again.input_label, vlan_100());
  EXPECT_EQ(again.output_label, vci(50));
  EXPECT_EQ(setup("sw3").output_label, whole_port());
}

TEST_F(AttachmentTest, AHoldReservesTheLabelsAndItsCommitHasThem) {
  start_with_labels({vci(32)}, {vci(40)});
  ConnectRequest wanted = frame_call(7);
  wanted.hold_ms = 60'000;
  ask("mia", {{wanted}, {}});
  const HopSetup one = setup("sw1");
  const HopSetup two = setup("sw2");
  const HopSetup three = setup("sw3");
  EXPECT_EQ(one.input_label, vlan_100());
  EXPECT_EQ(two.input_label, Label{}) << "only the label of the end is reserved";
  EXPECT_EQ(three.input_label, Label{});
  EXPECT_EQ(three.output_label, whole_port());
  answer("sw1", {done(one, vci(32))});
  answer("sw2", {done(two, vci(40))});
  answer("sw3", {done(three, whole_port())});
  const Outcome held = outcome();
  EXPECT_EQ(held.kind, OutcomeKind::kHeld);
  commit(8, held.connection);
  EXPECT_EQ(setup("sw1").input_label, vlan_100());
  EXPECT_EQ(setup("sw3").output_label, whole_port());
}

TEST_F(AttachmentTest, APreparedConnectionIsNotUsed) {
  config.label_cache_target = 8;
  start_with_labels({vci(32), vci(33)}, {vci(40), vci(41)});
  ASSERT_TRUE(manager().prepare("ann", "bob", cells(100), 1, now).has_value());
  finish();
  answer_all_switches();
  ASSERT_EQ(manager().gauges().prepared, 1U);
  ask("mia", {{frame_call(7)}, {}});
  EXPECT_THAT(reported(), IsEmpty());
  EXPECT_EQ(setup("sw1").input_label, vlan_100());
  EXPECT_EQ(manager().gauges().prepared, 1U);
  answer_all_switches();
}

TEST_F(AttachmentTest, OtherFramesUnderTheSameNumberAreAnotherRequest) {
  start_with_labels({vci(32)}, {vci(40)});
  ask("mia", {{frame_call(7)}, {}});
  ConnectRequest other = frame_call(7);
  other.to_frames = frames("vlan 5");
  ask("mia", {{other}, {}});
  EXPECT_EQ(outcome().reason, "request number 7 is another request's");
}

}  // namespace
}  // namespace xbind::cmgr
