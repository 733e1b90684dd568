// The rules of Add Branch and Delete Branches (RFC 3292 section 4), one by one.
#include "switchagent/table/fabric.hpp"

#include <gtest/gtest.h>

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;
using gsmp::QosModel;

class FabricTest : public ::testing::Test {
 protected:
  static FabricOptions options() {
    FabricOptions options;
    options.ports = 3;
    options.branches_max = 6;
    options.branches_per_connection_max = 4;
    options.port_cells_per_s = {{PortId(2), 1000}};
    return options;
  }
  explicit FabricTest(FabricOptions with = options())
      : fabric(std::move(with), [next = 0x5eed0001U]() mutable { return next++; }) {}

  static gsmp::AddBranch branch(std::uint32_t in, Label in_label, std::uint32_t out,
                                Label out_label) {
    gsmp::AddBranch request;
    request.input_port = PortId(in);
    request.output_port = PortId(out);
    request.input_label = gsmp::label_field(in_label);
    request.output_label = gsmp::label_field(out_label);
    return request;
  }
  FailureCode add(std::uint32_t in, std::uint32_t in_vci, std::uint32_t out,
                  std::uint32_t out_vci) {
    return fabric.add_branch(branch(in, atm_label(0, in_vci), out, atm_label(0, out_vci)));
  }
  FailureCode remove(std::uint32_t in, std::uint32_t in_vci, std::uint32_t out,
                     std::uint32_t out_vci) {
    return fabric.delete_branch(PortId(in), atm_label(0, in_vci), PortId(out),
                                atm_label(0, out_vci));
  }
  std::optional<Connection> at(std::uint32_t port, std::uint32_t vci) {
    return fabric.find(PortId(port), atm_label(0, vci));
  }

  Fabric fabric;
};

TEST_F(FabricTest, ChecksPortsBeforeTheSession) {
  EXPECT_EQ(fabric.port_states().check(PortId(0), PortId(1), 0), FailureCode::kNoSuchPort);
  EXPECT_EQ(fabric.port_states().check(PortId(4), PortId(1), 0), FailureCode::kNoSuchPort);
  EXPECT_EQ(fabric.port_states().check(PortId(1), PortId(4), 0), FailureCode::kNoSuchPort);
  EXPECT_EQ(fabric.port_states().check(PortId(1), PortId(2), 0x5eed0002),
            FailureCode::kInvalidPortSession);
  EXPECT_EQ(fabric.port_states().check(PortId(1), PortId(2), 0x5eed0001), FailureCode::kNone);
}

// Where a connection leads back to its own port and label, its input and its reverse are the same.
TEST_F(FabricTest, AChannelThatLeadsBackIsNoExceptionFromTheRuleOnPaths) {
  auto path = branch(1, atm_label(0, 0), 2, atm_label(0, 0));
  path.header.type = gsmp::MessageType::kVpcAddBranch;
  ASSERT_EQ(fabric.add_branch(path), FailureCode::kNone);
  EXPECT_EQ(add(1, 40, 1, 40), FailureCode::kVccOntoVpc);
  EXPECT_EQ(remove(1, 0, 2, 0), FailureCode::kNone);
  EXPECT_EQ(add(1, 40, 1, 40), FailureCode::kNone);
  path.output_port = PortId(1);
  EXPECT_EQ(fabric.add_branch(path), FailureCode::kVpcOntoVcc);
}

TEST_F(FabricTest, APortMayHaveARateOfItsOwn) {
  EXPECT_EQ(fabric.port_record(PortId(1)).transmit_cells_per_s, 353207U);
  EXPECT_EQ(fabric.port_record(PortId(2)).transmit_cells_per_s, 1000U);
  EXPECT_EQ(fabric.port_record(PortId(2)).receive_cells_per_s, 1000U);
}

TEST_F(FabricTest, ANewConnection) {
  EXPECT_EQ(add(1, 100, 2, 200), FailureCode::kNone);
  ASSERT_TRUE(at(1, 100));
  EXPECT_EQ(at(1, 100)->branches.size(), 1U);
  EXPECT_TRUE(at(1, 100)->branches[0].same_place(PortId(2), atm_label(0, 200)));
  EXPECT_FALSE(at(2, 200));  // one direction only
}

TEST_F(FabricTest, ASecondBranchMakesItPointToMultipoint) {
  add(1, 100, 3, 300);
  EXPECT_EQ(add(1, 100, 2, 200), FailureCode::kNone);
  EXPECT_EQ(add(1, 100, 2, 201), FailureCode::kNone);  // twice on one port
  ASSERT_EQ(at(1, 100)->branches.size(), 3U);
  // In the order of places, independent of the order of arrival.
  EXPECT_TRUE(at(1, 100)->branches[0].same_place(PortId(2), atm_label(0, 200)));
  EXPECT_TRUE(at(1, 100)->branches[2].same_place(PortId(3), atm_label(0, 300)));
}

TEST_F(FabricTest, ARepeatSucceedsAndChangesThePriority) {
  add(1, 100, 2, 200);
  gsmp::AddBranch repeat = branch(1, atm_label(0, 100), 2, atm_label(0, 200));
  repeat.output_selector = 3;
  EXPECT_EQ(fabric.add_branch(repeat), FailureCode::kNone);
  EXPECT_EQ(fabric.branches(), 1U);
  EXPECT_EQ(at(1, 100)->branches[0].output_qos.selector, 3U);
}

TEST_F(FabricTest, TwoConnectionsMayShareAnOutput) {
  EXPECT_EQ(add(1, 100, 3, 300), FailureCode::kNone);
  EXPECT_EQ(add(2, 100, 3, 300), FailureCode::kNone);
  EXPECT_EQ(fabric.branches(), 2U);
}

TEST_F(FabricTest, InputLabelsOutsideTheRange) {
  EXPECT_EQ(add(1, 31, 2, 200), FailureCode::kInvalidInputLabel);
  EXPECT_EQ(add(1, 1024, 2, 200), FailureCode::kInvalidInputLabel);
  EXPECT_EQ(fabric.add_branch(branch(1, atm_label(1, 100), 2, atm_label(0, 200))),
            FailureCode::kInvalidInputLabel);
  EXPECT_EQ(fabric.add_branch(branch(1, {LabelKind::kMpls, 100}, 2, atm_label(0, 200))),
            FailureCode::kInvalidInputLabel);
  EXPECT_EQ(fabric.add_branch(branch(1, {}, 2, atm_label(0, 200))),
            FailureCode::kInvalidInputLabel);
  EXPECT_EQ(fabric.branches(), 0U);
}

TEST_F(FabricTest, OutputLabelsHaveNoRangeButMustBeAtm) {
  EXPECT_EQ(fabric.add_branch(branch(1, atm_label(0, 100), 2, atm_label(9, 60000))),
            FailureCode::kNone);
  EXPECT_EQ(fabric.add_branch(branch(1, atm_label(0, 101), 2, {LabelKind::kMpls, 16})),
            FailureCode::kInvalidOutputLabel);
  EXPECT_EQ(fabric.add_branch(branch(1, atm_label(0, 101), 2, {LabelKind::kAtm, 0x10000020})),
            FailureCode::kInvalidOutputLabel);
}

TEST_F(FabricTest, BothWaysAtOnce) {
  gsmp::AddBranch both = branch(1, atm_label(0, 100), 2, atm_label(0, 200));
  both.input_label.flags = gsmp::kFlagBidirectional;
  EXPECT_EQ(fabric.add_branch(both), FailureCode::kNone);
  ASSERT_TRUE(at(2, 200));
  EXPECT_TRUE(at(2, 200)->branches[0].same_place(PortId(1), atm_label(0, 100)));
  // Unlike the other kind, it cannot be repeated safely.
  EXPECT_EQ(fabric.add_branch(both), FailureCode::kBidirectionalExists);
  // Neither direction accepts a second branch.
  EXPECT_EQ(add(1, 100, 3, 300), FailureCode::kMultipointOntoBidirectional);
  EXPECT_EQ(add(2, 200, 3, 300), FailureCode::kMultipointOntoBidirectional);
  // The directions are deleted separately; the remaining one is an ordinary connection.
  EXPECT_EQ(remove(1, 100, 2, 200), FailureCode::kNone);
  EXPECT_EQ(add(2, 200, 3, 300), FailureCode::kNone);
}

TEST_F(FabricTest, BothWaysWhenTheWayBackIsTaken) {
  add(2, 200, 3, 300);
  gsmp::AddBranch both = branch(1, atm_label(0, 100), 2, atm_label(0, 200));
  both.input_label.flags = gsmp::kFlagBidirectional;
  EXPECT_EQ(fabric.add_branch(both), FailureCode::kBidirectionalExists);
  EXPECT_FALSE(at(1, 100));
}

TEST_F(FabricTest, BothWaysNeedsALabelThatIsGoodOnTheWayBack) {
  gsmp::AddBranch both = branch(1, atm_label(0, 100), 2, atm_label(0, 2000));
  both.input_label.flags = gsmp::kFlagBidirectional;
  EXPECT_EQ(fabric.add_branch(both), FailureCode::kInvalidOutputLabel);
}

TEST_F(FabricTest, PrioritiesThatAreNotThere) {
  gsmp::AddBranch request = branch(1, atm_label(0, 100), 2, atm_label(0, 200));
  request.input_selector = 4;  // 0 to 3
  EXPECT_EQ(fabric.add_branch(request), FailureCode::kInvalidServiceSelector);
  request.input_selector = 0;
  request.output_qos = QosModel::kProfile;
  EXPECT_EQ(fabric.add_branch(request), FailureCode::kInvalidServiceSelector);
}

TEST_F(FabricTest, ServicesMustBeListedAndStay) {
  gsmp::AddBranch request = branch(1, atm_label(0, 100), 2, atm_label(0, 200));
  request.input_qos = request.output_qos = QosModel::kService;
  request.input_selector = request.output_selector = gsmp::service_selector(3, 1);
  EXPECT_EQ(fabric.add_branch(request), FailureCode::kInvalidServiceSelector);
  request.input_selector = request.output_selector = gsmp::service_selector(1, 1);
  EXPECT_EQ(fabric.add_branch(request), FailureCode::kNone);
  EXPECT_EQ(fabric.add_branch(request), FailureCode::kNone);  // new parameters, same service
  gsmp::AddBranch other = request;
  other.input_selector = other.output_selector = gsmp::service_selector(8, 1);
  EXPECT_EQ(fabric.add_branch(other), FailureCode::kInvalidServiceSelector);
  // A repeat in the priority model changes nothing.
  EXPECT_EQ(add(1, 100, 2, 200), FailureCode::kNone);
  EXPECT_EQ(at(1, 100)->branches[0].input_qos.selector, gsmp::service_selector(1, 1));
}

TEST_F(FabricTest, AReservationThatIsNotThereComesBeforeAReplaceThatIsOff) {
  gsmp::AddBranch request = branch(1, atm_label(0, 100), 2, atm_label(0, 200));
  request.output_label.flags = gsmp::kFlagReplace;
  EXPECT_EQ(fabric.add_branch(request), FailureCode::kReplaceInactive);
  request.reservation = 1;  // is checked first
  EXPECT_EQ(fabric.add_branch(request), FailureCode::kNoSuchReservation);
  request.reservation = 1025;
  EXPECT_EQ(fabric.add_branch(request), FailureCode::kReservationOutOfRange);
}

TEST_F(FabricTest, TooManyBranchesOfOneConnection) {
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(add(1, 100, 2, 200 + i), FailureCode::kNone);
  EXPECT_EQ(add(1, 100, 2, 300), FailureCode::kTooManyBranches);
  EXPECT_EQ(add(1, 100, 2, 203), FailureCode::kNone);  // a repeat needs no room
}

TEST_F(FabricTest, AFullTable) {
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(add(1, 100 + i, 2, 200), FailureCode::kNone);
  gsmp::AddBranch both = branch(3, atm_label(0, 100), 2, atm_label(0, 200));
  both.input_label.flags = gsmp::kFlagBidirectional;
  EXPECT_EQ(fabric.add_branch(both), FailureCode::kOutOfResources);  // needs two
  EXPECT_EQ(add(1, 105, 2, 200), FailureCode::kNone);
  EXPECT_EQ(add(1, 106, 2, 200), FailureCode::kOutOfResources);
  EXPECT_EQ(add(1, 105, 2, 200), FailureCode::kNone);
  EXPECT_EQ(remove(1, 100, 2, 200), FailureCode::kNone);
  EXPECT_EQ(add(1, 106, 2, 200), FailureCode::kNone);
}

class ConnectionLimitTest : public FabricTest {
 protected:
  static FabricOptions three_connections() {
    FabricOptions options = FabricTest::options();
    options.connections_max = 3;
    options.branches_max = 100;
    return options;
  }
  ConnectionLimitTest() : FabricTest(three_connections()) {}
  gsmp::AddBranch both_ways(std::uint32_t in_vci) {
    gsmp::AddBranch both = branch(3, atm_label(0, in_vci), 2, atm_label(0, in_vci));
    both.input_label.flags = gsmp::kFlagBidirectional;
    return both;
  }
};

TEST_F(ConnectionLimitTest, HoldsForConnectionsAndNotForTheirBranches) {
  EXPECT_EQ(add(1, 100, 2, 200), FailureCode::kNone);
  EXPECT_EQ(add(1, 101, 2, 201), FailureCode::kNone);
  EXPECT_EQ(fabric.add_branch(both_ways(300)), FailureCode::kOutOfResources) << "that is two";
  EXPECT_EQ(add(1, 102, 2, 202), FailureCode::kNone) << "the third";
  EXPECT_EQ(add(1, 103, 2, 203), FailureCode::kOutOfResources);
  EXPECT_EQ(fabric.branch_table().connections(), 3U);
  EXPECT_EQ(add(1, 102, 3, 202), FailureCode::kNone) << "a branch of one that is there";
  EXPECT_EQ(add(1, 101, 2, 201), FailureCode::kNone) << "a repeat";
  EXPECT_EQ(remove(1, 100, 2, 200), FailureCode::kNone);
  EXPECT_EQ(add(1, 103, 2, 203), FailureCode::kNone) << "in the place of one that is gone";
  remove(1, 101, 2, 201);
  remove(1, 103, 2, 203);
  EXPECT_EQ(fabric.add_branch(both_ways(300)), FailureCode::kNone);
  EXPECT_EQ(fabric.branch_table().connections(), 3U);
}

TEST_F(ConnectionLimitTest, HoldsForAMoveThatMakesTwoOfOne) {
  const auto move_input = [&](std::uint32_t old_vci, std::uint32_t out, std::uint32_t out_vci) {
    gsmp::MoveInputBranch request;
    request.old_input_port = PortId(1);
    request.old_input_label = gsmp::label_field(atm_label(0, old_vci));
    request.new_input_port = PortId(1);
    request.new_input_label = gsmp::label_field(atm_label(0, 500));
    request.output_port = PortId(out);
    request.output_label = gsmp::label_field(atm_label(0, out_vci));
    return fabric.move_input(request);
  };
  add(1, 100, 2, 200);
  add(1, 100, 3, 300);
  add(1, 101, 2, 201);
  add(1, 102, 2, 202);
  EXPECT_EQ(move_input(100, 3, 300), FailureCode::kOutOfResources) << "it would be a fourth";
  EXPECT_EQ(move_input(101, 2, 201), FailureCode::kNone) << "the old one goes";
  EXPECT_EQ(fabric.branch_table().connections(), 3U);
}

TEST_F(FabricTest, Deletes) {
  add(1, 100, 2, 200);
  add(1, 100, 3, 300);
  EXPECT_EQ(remove(1, 101, 2, 200), FailureCode::kNoSuchConnection);
  EXPECT_EQ(remove(1, 100, 2, 201), FailureCode::kNoSuchBranch);
  EXPECT_EQ(remove(1, 100, 2, 200), FailureCode::kNone);
  EXPECT_EQ(at(1, 100)->branches.size(), 1U);
  EXPECT_EQ(remove(1, 100, 2, 200), FailureCode::kNoSuchBranch);
  EXPECT_EQ(remove(1, 100, 3, 300), FailureCode::kNone);
  EXPECT_FALSE(at(1, 100));
  EXPECT_EQ(remove(1, 100, 3, 300), FailureCode::kNoSuchConnection);
  EXPECT_EQ(fabric.branches(), 0U);
}

TEST_F(FabricTest, ListsByLabel) {
  add(1, 300, 2, 200);
  add(1, 100, 2, 200);
  add(2, 200, 2, 200);
  const auto entries = fabric.connections_of(PortId(1));
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].input_label, atm_label(0, 100));
  EXPECT_EQ(entries[1].input_label, atm_label(0, 300));
  fabric.clear();
  EXPECT_TRUE(fabric.connections_of(PortId(1)).empty());
  EXPECT_EQ(fabric.branches(), 0U);
}

TEST_F(FabricTest, ASessionNumberIsNeverZero) {
  const Fabric zeros(options(), [] { return 0U; });
  EXPECT_NE(zeros.port_session(PortId(1)), 0U);
}

}  // namespace
}  // namespace xbind::switchagent
