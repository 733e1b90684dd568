// The restart of a port or of the whole fabric, and repeated requests for the same branch.
#include <gtest/gtest.h>

#include <chrono>

#include "switchagent/table/fabric.hpp"

namespace xbind::switchagent {
namespace {

using namespace std::chrono_literals;
using gsmp::FailureCode;
using gsmp::PortFunction;
using gsmp::QosModel;
using gsmp::ServiceId;

class FabricAnewTest : public ::testing::Test {
 protected:
  static FabricOptions options() {
    FabricOptions options;
    options.ports = 3;
    options.labels = {0, 9, 32, 1023};
    return options;
  }
  static gsmp::AddBranch branch(std::uint32_t in_vci, std::uint32_t out_vci) {
    gsmp::AddBranch request;
    request.input_port = kIn;
    request.output_port = kOut;
    request.input_label = gsmp::label_field(atm_label(0, in_vci));
    request.output_label = gsmp::label_field(atm_label(0, out_vci));
    return request;
  }
  FailureCode manage(PortId port, PortFunction function, std::uint32_t rate = 0,
                     std::uint8_t duration_s = 0) {
    gsmp::PortManagement request;
    request.port = port;
    request.function = function;
    request.transmit_cells_per_s = rate;
    request.duration_s = duration_s;
    return fabric.manage(request, now);
  }
  void another_card(PortId port) {
    EXPECT_TRUE(fabric.set_installed(port, false));
    EXPECT_TRUE(fabric.set_installed(port, true));
  }
  gsmp::LabelRangeMessage labels(Label first, Label last, bool query = false) {
    gsmp::LabelRangeMessage message;
    message.port = kIn;
    message.query = query;
    message.ranges = {{gsmp::label_field(first), gsmp::label_field(last), 0}};
    return message;
  }
  std::uint32_t rate(PortId port) const { return fabric.port_record(port).transmit_cells_per_s; }

  static constexpr PortId kIn{1};
  static constexpr PortId kOut{2};
  TimePoint now = TimePoint{} + 1000s;
  Fabric fabric{options(), [next = 0x5eed0001U]() mutable { return next++; }};
};

// ----- another card -----------------------------------------------------------------------------

TEST_F(FabricAnewTest, ACardThatIsPulledTakesAlongWhatLeadsOutOfIt) {
  EXPECT_EQ(fabric.add_branch(branch(100, 200)), FailureCode::kNone);
  fabric.set_installed(kOut, false);
  EXPECT_EQ(fabric.branches(), 0U);
}

TEST_F(FabricAnewTest, AnotherCardHasTheRateAndLabelsThatThePortBeganWith) {
  EXPECT_EQ(manage(kIn, PortFunction::kSetTransmitRate, 500), FailureCode::kNone);
  auto narrow = labels(atm_label(0, 100), atm_label(0, 199));
  EXPECT_EQ(fabric.label_range(narrow), FailureCode::kNone);
  EXPECT_EQ(fabric.add_branch(branch(50, 200)), FailureCode::kInvalidInputLabel);
  another_card(kIn);
  EXPECT_EQ(rate(kIn), 353'207U);
  EXPECT_EQ(fabric.add_branch(branch(50, 200)), FailureCode::kNone);
}

TEST_F(FabricAnewTest, TheLoopbackOfACardThatIsPulledEndsWithIt) {
  EXPECT_EQ(manage(kIn, PortFunction::kInternalLoopback, 0, 30), FailureCode::kNone);
  EXPECT_EQ(fabric.next_deadline(), now + 30s);
  another_card(kIn);
  EXPECT_EQ(fabric.next_deadline(), kNever);
}

// ----- rates ------------------------------------------------------------------------------------

TEST_F(FabricAnewTest, ARateMayBeSetUpToThePortsOwn) {
  EXPECT_EQ(manage(kIn, PortFunction::kSetTransmitRate, 353'208), FailureCode::kRateOutOfRange);
  EXPECT_EQ(manage(kIn, PortFunction::kSetTransmitRate, 353'207), FailureCode::kNone);
  EXPECT_EQ(manage(kIn, PortFunction::kSetTransmitRate, 1), FailureCode::kNone);
  EXPECT_EQ(rate(kIn), 1U);
  EXPECT_EQ(fabric.port_record(kIn).receive_cells_per_s, 353'207U) << "it sends slower only";
}

// ----- the whole fabric -------------------------------------------------------------------------

TEST_F(FabricAnewTest, NoReservationAndNoModelOutlivesANewAdjacency) {
  gsmp::ReservationRequest request;
  request.reservation = 1024;
  request.input_port = kIn;
  request.output_port = kOut;
  EXPECT_EQ(fabric.reserve(request), FailureCode::kNone);
  EXPECT_EQ(fabric.reserve(request), FailureCode::kReservationInUse);
  fabric.region().settle(kModelRegion);
  fabric.clear();
  EXPECT_EQ(fabric.reserve(request), FailureCode::kNone);
  EXPECT_FALSE(fabric.region().active());
}

// ----- labels that remain -----

TEST_F(FabricAnewTest, AConnectionOutsideTheNewRangeTakesNoneOfItsLabels) {
  EXPECT_EQ(fabric.add_branch(branch(50, 200)), FailureCode::kNone);
  EXPECT_EQ(fabric.add_branch(branch(105, 201)), FailureCode::kNone);
  auto narrow = labels(atm_label(0, 100), atm_label(0, 109));
  EXPECT_EQ(fabric.label_range(narrow), FailureCode::kOldLabelsInUse);
  EXPECT_EQ(narrow.ranges.at(0).remaining_vcis(), 9U);
}

TEST_F(FabricAnewTest, AVirtualPathLeavesNoChannelOfItsVpi) {
  gsmp::AddBranch path = branch(0, 0);
  path.header.type = gsmp::MessageType::kVpcAddBranch;
  path.input_label = gsmp::label_field(atm_label(3, 0));
  path.output_label = gsmp::label_field(atm_label(4, 0));
  EXPECT_EQ(fabric.add_branch(path), FailureCode::kNone);
  auto of_path = labels(atm_label(3, 32), atm_label(3, 63), true);
  EXPECT_EQ(fabric.label_range(of_path), FailureCode::kNone);
  EXPECT_EQ(of_path.ranges.at(0).remaining_vcis(), 0U);
  auto of_another = labels(atm_label(5, 32), atm_label(5, 63), true);
  EXPECT_EQ(fabric.label_range(of_another), FailureCode::kNone);
  EXPECT_EQ(of_another.ranges.at(0).remaining_vcis(), 992U);
}

// ----- the quality of a branch that is requested again -----

class FabricQualityTest : public FabricAnewTest {
 protected:
  static std::uint32_t selector(ServiceId service) { return gsmp::service_selector(service, 1); }
  static gsmp::AddBranch by_service(ServiceId in, ServiceId out) {
    gsmp::AddBranch request = branch(100, 200);
    set_services(request, selector(in), {0, gsmp::CellRate{1'000, 0}}, selector(out),
                 {0, gsmp::CellRate{1'000, 0}});
    return request;
  }
};

TEST_F(FabricQualityTest, NeitherSideChangesItsService) {
  EXPECT_EQ(fabric.add_branch(by_service(ServiceId::kCbr1, ServiceId::kCbr1)), FailureCode::kNone);
  EXPECT_EQ(fabric.add_branch(by_service(ServiceId::kUbr1, ServiceId::kCbr1)),
            FailureCode::kInvalidServiceSelector);
  EXPECT_EQ(fabric.add_branch(by_service(ServiceId::kCbr1, ServiceId::kUbr1)),
            FailureCode::kInvalidServiceSelector);
  EXPECT_EQ(fabric.add_branch(by_service(ServiceId::kCbr1, ServiceId::kCbr1)), FailureCode::kNone);
}

TEST_F(FabricQualityTest, ARepeatByPriorityLeavesTheServicesOfBothSides) {
  EXPECT_EQ(fabric.add_branch(by_service(ServiceId::kCbr1, ServiceId::kUbr1)), FailureCode::kNone);
  EXPECT_EQ(fabric.add_branch(branch(100, 200)), FailureCode::kNone);
  const auto connection = fabric.find(kIn, atm_label(0, 100));
  ASSERT_TRUE(connection.has_value());
  const Branch& there = connection->branches.at(0);
  EXPECT_EQ(there.input_qos, (Qos{QosModel::kService, selector(ServiceId::kCbr1)}));
  EXPECT_EQ(there.output_qos, (Qos{QosModel::kService, selector(ServiceId::kUbr1)}));
}

TEST_F(FabricQualityTest, WithoutParametersBothSidesAreAsReserved) {
  gsmp::ReservationRequest request;
  request.reservation = 7;
  request.input_port = kIn;
  request.output_port = kOut;
  static_cast<gsmp::QosFields&>(request) = by_service(ServiceId::kCbr1, ServiceId::kUbr1);
  EXPECT_EQ(fabric.reserve(request), FailureCode::kNone);
  const auto use = [&](ServiceId in, ServiceId out) {
    gsmp::AddBranch add = by_service(in, out);
    add.reservation = 7;
    add.input_traffic.reset();
    add.output_traffic.reset();
    return fabric.add_branch(add);
  };
  EXPECT_EQ(use(ServiceId::kUbr1, ServiceId::kUbr1), FailureCode::kInvalidServiceSelector);
  EXPECT_EQ(use(ServiceId::kCbr1, ServiceId::kCbr1), FailureCode::kInvalidServiceSelector);
  EXPECT_EQ(use(ServiceId::kCbr1, ServiceId::kUbr1), FailureCode::kNone);
}

}  // namespace
}  // namespace xbind::switchagent
