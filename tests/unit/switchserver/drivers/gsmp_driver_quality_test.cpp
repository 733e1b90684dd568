// The driver against a switch that the test emulates by hand: quality of
// service, moves and counters.
#include "tests/unit/switchserver/drivers/answered.hpp"
#include "tests/unit/switchserver/drivers/gsmp_driver_by_hand.hpp"

namespace xbind {
namespace {

using namespace std::chrono_literals;
using gsmp::MessageType;
using testing::ElementsAre;
using testing::SizeIs;

constexpr TrafficContract kCbr{ServiceCategory::kCbr, 4528, 250};

// ----- quality of service ---------------------------------------------------------------------

TEST_F(GsmpDriverByHand, AContractTravelsAsAServiceWithOneBlock) {
  bring_up();
  // --> the octets of vector B4, except for the transaction identifier
  driver.add(cross(101, 201), kCbr, 1);
  driver.flush();
  wire::Buffer octets;
  driver.take_output(octets);
  wire::Buffer expected = gsmp::test::golden("B4");
  std::copy_n(octets.begin() + 9, 3, expected.begin() + 9);
  EXPECT_EQ(gsmp::test::to_hex(octets), gsmp::test::to_hex(expected));
  EXPECT_EQ(driver.driver_counters().by_service, 1U);
}

TEST_F(GsmpDriverByHand, PolicingIsAskedForOnlyWhereItIsOfferedAndPromisedSomething) {
  bring_up();
  EXPECT_EQ(added(kCbr).input_traffic->tc_flags, gsmp::kTcPolicing);
  EXPECT_EQ(added({ServiceCategory::kUbr, 4528, 250}).input_traffic->tc_flags, 0);
  EXPECT_EQ(added({ServiceCategory::kNrtVbr, 4528, 250, 100, 30}).input_traffic->tc_flags, 0);
}

TEST_F(GsmpDriverByHand, WholeFramesAreDiscardedWhereThatIsOffered) {
  gsmp::CapabilitySet frames;
  frames.id = 1;
  frames.packet_discard = gsmp::TrafficControl::kPerConnection;
  services = {{gsmp::ServiceId::kCbr1, {frames}}, {gsmp::ServiceId::kUbr1, {frames}}};
  bring_up();
  EXPECT_EQ(added({ServiceCategory::kUbr, 4528, 250}).input_traffic->tc_flags,
            gsmp::kTcPacketDiscard);
  EXPECT_EQ(added(kCbr).input_traffic->tc_flags, 0) << "its cells are no frames";
}

TEST_F(GsmpDriverByHand, EveryCategoryHasItsBlock) {
  for (auto& [id, record] : ports) {
    record.services = {{{1, 1}, {2, 1}, {5, 1}, {8, 1}, {12, 1}}};
  }
  bring_up();
  const auto block = [&](const TrafficContract& contract) {
    const gsmp::AddBranch add = added(contract);
    EXPECT_EQ(add.input_selector, add.output_selector);
    EXPECT_TRUE(add.one_traffic_block);
    return std::pair{add.input_selector >> 16, add.input_traffic->parameters};
  };
  using gsmp::TrafficParameters;
  EXPECT_EQ(block(kCbr), std::pair(1U, TrafficParameters{gsmp::CellRate{4528, 250}}));
  EXPECT_EQ(block({ServiceCategory::kRtVbr, 4528, 250, 100, 30}),
            std::pair(2U, TrafficParameters{gsmp::VariableRate{4528, 250, 100, 30}}));
  EXPECT_EQ(block({ServiceCategory::kNrtVbr, 4528, 250, 100, 30}),
            std::pair(5U, TrafficParameters{gsmp::VariableRate{4528, 250, 100, 30}}));
  EXPECT_EQ(block({ServiceCategory::kUbr, 4528, 250}),
            std::pair(8U, TrafficParameters{gsmp::CellRate{4528, 250}}));
  EXPECT_EQ(block({ServiceCategory::kGfr, 4528, 250, 100, 30, 20}),
            std::pair(12U, TrafficParameters{gsmp::GuaranteedFrameRate{4528, 250, 100, 30, 20}}));
}

TEST_F(GsmpDriverByHand, AServiceThatAPortDoesNotOfferGoesByPriority) {
  ports[PortId{2}].services = {{{8, 1}, {1, 2}}};  // CBR with another capability set
  ports[PortId{2}].priorities = 2;
  bring_up();
  const auto selectors = [&](const TrafficContract& contract) {
    const gsmp::AddBranch add = added(contract);
    EXPECT_EQ(add.input_qos, gsmp::QosModel::kPriority);
    EXPECT_EQ(add.output_qos, gsmp::QosModel::kPriority);
    EXPECT_FALSE(add.input_traffic);
    return std::pair{add.input_selector, add.output_selector};
  };
  EXPECT_EQ(selectors(kCbr), std::pair(0U, 0U));
  EXPECT_EQ(selectors({ServiceCategory::kRtVbr, 4528, 250, 100, 30}), std::pair(1U, 1U));
  EXPECT_EQ(selectors({ServiceCategory::kNrtVbr, 4528, 250, 100, 30}), std::pair(2U, 1U));
  EXPECT_EQ(selectors({ServiceCategory::kGfr, 4528, 250, 100, 30, 20}), std::pair(3U, 1U));
  EXPECT_EQ(selectors({}), std::pair(0U, 0U)) << "no contract";
  EXPECT_EQ(driver.driver_counters().by_priority, 4U);
  EXPECT_EQ(driver.driver_counters().by_service, 0U);
}

TEST_F(GsmpDriverByHand, ASwitchThatTellsNoServiceConfigurationComesUpAllTheSame) {
  driver.connected(now);
  driver.receive(gsmp::test::golden("A3"), now);
  wire::Buffer octets;
  for (int step = 0; step < 3; ++step) {
    driver.take_output(octets);
    for (const gsmp::Message& message : gsmp::test::messages_of(octets)) {
      if (std::holds_alternative<gsmp::ServiceConfigurationRequest>(message)) {
        fail(message, gsmp::FailureCode::kNotImplemented);
      } else {
        answered(message);
      }
    }
  }
  EXPECT_THAT(taken<driver::Up>(), SizeIs(1));
  EXPECT_EQ(added(kCbr).input_traffic->tc_flags, 0);
}

// ----- move -----------------------------------------------------------------------------------

TEST_F(GsmpDriverByHand, AMoveIsOneRequestWithTheContract) {
  bring_up();
  driver.move(cross(101, 201), PortId{2}, atm_label(0, 301), kCbr, 9);
  driver.flush();
  const auto moves = requests<gsmp::MoveOutputBranch>();
  ASSERT_THAT(moves, SizeIs(1));
  EXPECT_EQ(moves[0].port_session, 0x5eed0001U);
  EXPECT_EQ(moves[0].input_label.value, 101U);
  EXPECT_EQ(moves[0].old_output_port, PortId{2});
  EXPECT_EQ(moves[0].old_output_label.value, 201U);
  EXPECT_EQ(moves[0].new_output_port, PortId{2});
  EXPECT_EQ(moves[0].new_output_label.value, 301U);
  EXPECT_EQ(moves[0].input_traffic->parameters,
            (gsmp::TrafficParameters{gsmp::CellRate{4528, 250}}));
  succeed(moves[0]);
  EXPECT_THAT(taken<driver::Done>(), ElementsAre(Answered(9U, Cause::kNone)));
}

TEST_F(GsmpDriverByHand, AMoveOfWhatIsNotThereIsRefused) {
  bring_up();
  driver.move(cross(101, 201), PortId{2}, atm_label(0, 301), {}, 9);
  driver.flush();
  fail(requests<gsmp::MoveOutputBranch>().at(0), gsmp::FailureCode::kNoSuchBranch);
  const auto done = taken<driver::Done>();
  ASSERT_THAT(done, ElementsAre(Answered(9U, Cause::kSwitchRefused)));
  EXPECT_EQ(done[0].failure_code, 12);
  EXPECT_FALSE(done[0].again);
  EXPECT_TRUE(done[0].absent);
}

TEST_F(GsmpDriverByHand, SoIsOneWhoseWholeConnectionIsNotThere) {
  bring_up();
  driver.move(cross(101, 201), PortId{2}, atm_label(0, 301), {}, 9);
  driver.flush();
  fail(requests<gsmp::MoveOutputBranch>().at(0), gsmp::FailureCode::kNoSuchConnection);
  const auto done = taken<driver::Done>();
  ASSERT_THAT(done, ElementsAre(Answered(9U, Cause::kSwitchRefused)));
  EXPECT_TRUE(done[0].absent);
}

TEST_F(GsmpDriverByHand, AMoveComesBehindTheDeletesThatMayFreeItsLabel) {
  bring_up();
  driver.remove(cross(100, 301), 1);
  driver.move(cross(101, 201), PortId{2}, atm_label(0, 301), {}, 2);
  driver.flush();
  play();
  ASSERT_THAT(asked, SizeIs(2));
  EXPECT_TRUE(std::holds_alternative<gsmp::DeleteBranches>(asked[0]));
  EXPECT_TRUE(std::holds_alternative<gsmp::MoveOutputBranch>(asked[1]));
}

TEST_F(GsmpDriverByHand, AMoveThatIsNotAnsweredTimesOut) {
  bring_up();
  driver.move(cross(101, 201), PortId{2}, atm_label(0, 301), {}, 9);
  play();
  now += 2s;
  tick();
  EXPECT_THAT(taken<driver::Done>(), ElementsAre(Answered(9U, Cause::kTimeout)));
}

// ----- counters -------------------------------------------------------------------------------

TEST_F(GsmpDriverByHand, CountersOfAPortAndOfAConnection) {
  bring_up();
  driver.read_statistics(PortId{2}, {}, 1);
  driver.read_statistics(PortId{1}, atm_label(0, 101), 2);
  const auto asked_for = requests<gsmp::StatisticsRequest>();
  ASSERT_THAT(asked_for, SizeIs(2));
  EXPECT_EQ(asked_for[0].header.type, MessageType::kPortStatistics);
  EXPECT_EQ(asked_for[1].header.type, MessageType::kConnectionStatistics);
  EXPECT_EQ(asked_for[1].label.value, 101U);
  gsmp::Statistics reported;
  reported.header.type = MessageType::kPortStatistics;
  reported.header.transaction = asked_for[0].header.transaction;
  reported.port = PortId{2};
  reported.counters = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  say(reported);
  fail(asked_for[1], gsmp::FailureCode::kNoSuchConnection);
  const auto counted = taken<driver::Statistics>();
  ASSERT_THAT(counted,
              ElementsAre(Answered(1U, Cause::kNone), Answered(2U, Cause::kSwitchRefused)));
  EXPECT_EQ(counted[0].counters, (CellCounters{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(counted[1].failure_code, 11);
}

}  // namespace
}  // namespace xbind
