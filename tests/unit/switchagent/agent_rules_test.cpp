// The agent's answers whose fields come from the request, and the schedulable region of its ports.
#include "tests/unit/switchagent/agent_fixture.hpp"

namespace xbind::switchagent::test {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;
using gsmp::PortFunction;

class AgentRulesTest : public AgentFixture {
 protected:
  static FabricOptions six_ports() {
    FabricOptions options = fabric_options();
    options.ports = 6;
    options.services.clear();  // a record of 56 octets
    return options;
  }
  static AgentOptions two_records_a_part() {
    AgentOptions options = agent_options();
    options.response_octets_max = 16 + 2 * 56;
    return options;
  }
  AgentRulesTest() : AgentFixture(six_ports(), two_records_a_part()) {}
  std::uint8_t model_after_asking_for(std::uint8_t model) {
    gsmp::SwitchConfiguration request;
    request.header.transaction = 1;
    request.model_types[0] = model;
    return answer<gsmp::SwitchConfiguration>(id, request).model_types[0];
  }
  ControllerId id = connect();
};

TEST_F(AgentRulesTest, EachPartOfAllPortsIsFilled) {
  gsmp::AllPortsRequest request;
  request.header.transaction = 1;
  std::vector<std::size_t> records;
  for (const gsmp::Message& part : ask(id, request)) {
    records.push_back(std::get<gsmp::AllPortsPart>(part).records.size());
  }
  EXPECT_EQ(records, (std::vector<std::size_t>{2, 2, 2}));
}

TEST_F(AgentRulesTest, ActivityIsCountedWhateverTheRequestSays) {
  ASSERT_EQ(code(id, add(1, 100, 2, 200)), FailureCode::kNone);
  gsmp::ConnectionActivity request;
  request.header.transaction = 1;
  request.records = {{.valid = true,
                      .no_counter = true,
                      .active = true,
                      .input_port = PortId(1),
                      .traffic_cells = 9,
                      .input_label = label(0, 100)}};
  const auto reported = answer<gsmp::ConnectionActivity>(id, request).records.at(0);
  EXPECT_TRUE(reported.has_count());
  EXPECT_FALSE(reported.active);
  EXPECT_EQ(reported.traffic_cells, 0U);
}

TEST_F(AgentRulesTest, TheLastReservationNumberIsOneThatMayBeDeleted) {
  gsmp::DeleteReservation request;
  request.header.transaction = 1;
  request.reservation = 1024;
  EXPECT_EQ(code(id, request), FailureCode::kNoSuchReservation);
  request.reservation = 1025;
  EXPECT_EQ(code(id, request), FailureCode::kReservationOutOfRange);
}

// Flow control off: the switch itself sends at most ten a second, and counts the others.
TEST_F(AgentRulesTest, InvalidLabelsThatAreNotToldAreNumberedAllTheSame) {
  auto off = manage(1, PortFunction::kResetFlags);
  off.event_flags = off.flow_control_flags = gsmp::kEventInvalidLabel;
  ask(id, off);
  for (int i = 0; i < 5; ++i) cell_in(1, 0, 999);
  const auto first = take(id);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(std::get<gsmp::Event>(first[0]).sequence, 1U);
  now += std::chrono::seconds{1};
  cell_in(1, 0, 999);
  const auto later = take(id);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(std::get<gsmp::Event>(later[0]).sequence, 6U);
}

// ----- the schedulable region -------------------------------------------------------------------

TEST_F(AgentRulesTest, ASwitchWithConnectionsKeepsItsModel) {
  ASSERT_EQ(code(id, add(1, 100, 2, 200)), FailureCode::kNone);
  EXPECT_EQ(model_after_asking_for(kModelRegion), kModelDefault);
}

TEST_F(AgentRulesTest, AModelThatIsSettledStaysUntilTheSwitchBeginsAnew) {
  EXPECT_EQ(model_after_asking_for(kModelDefault), kModelDefault);
  EXPECT_EQ(model_after_asking_for(kModelRegion), kModelDefault);
  fabric.clear();
  EXPECT_EQ(model_after_asking_for(kModelRegion), kModelRegion);
}

gsmp::TrafficClass of_buffer(std::uint16_t buffer) {
  gsmp::TrafficClass one;
  one.buffer = buffer;
  one.traffic.set(gsmp::TrafficParameter::kPcr, 1'000);
  return one;
}

TEST(RegionModelTest, NoTwoClassesShareABuffer) {
  const auto check = [](std::vector<std::uint16_t> buffers) {
    std::vector<gsmp::TrafficClass> classes;
    for (const std::uint16_t buffer : buffers) classes.push_back(of_buffer(buffer));
    return RegionModel::check(classes);
  };
  EXPECT_EQ(check({1, 2, 3}), FailureCode::kNone);
  EXPECT_EQ(check({1, 2, 1}), FailureCode::kInvalidMessage);
  EXPECT_EQ(check({1, 1, 2}), FailureCode::kInvalidMessage);
}

TEST_F(AgentRulesTest, APortThatIsResetHasTheRegionOfItsOwnRate) {
  EXPECT_EQ(model_after_asking_for(kModelRegion), kModelRegion);
  fabric.region().set_classes(PortId(1), {of_buffer(1)}, 353'207);
  const auto whole = fabric.region().region(PortId(1));
  auto slower = manage(1, PortFunction::kSetTransmitRate);
  slower.transmit_cells_per_s = 10'000;
  EXPECT_EQ(code(id, slower), FailureCode::kNone);
  EXPECT_NE(fabric.region().region(PortId(1)), whole);
  EXPECT_EQ(code(id, manage(1, PortFunction::kResetInputPort)), FailureCode::kNone);
  EXPECT_EQ(fabric.region().region(PortId(1)), whole);
}

}  // namespace
}  // namespace xbind::switchagent::test
