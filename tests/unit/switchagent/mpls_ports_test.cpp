// Ports 1 and 4 are ATM, ports 2 and 3 MPLS: the emulated switch's reports about them, the labels
// that they accept, and cells whose kind of label changes inside the switch.
#include "tests/unit/switchagent/agent_fixture.hpp"

namespace xbind::switchagent::test {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;

gsmp::LabelField mpls(std::uint32_t value) { return gsmp::label_field({LabelKind::kMpls, value}); }

FabricOptions two_kinds() {
  FabricOptions options;
  options.ports = 4;
  options.port_labels = {{PortId(2), {mpls_range(16, 99), mpls_range(70000, 0xfffff)}},
                         {PortId(3), {mpls_range(16, 1023)}}};
  return options;
}

class MplsPortsTest : public AgentFixture {
 protected:
  explicit MplsPortsTest(FabricOptions options = two_kinds()) : AgentFixture(std::move(options)) {}

  gsmp::AddBranch branch(std::uint32_t in, gsmp::LabelField in_label, std::uint32_t out,
                         gsmp::LabelField out_label) const {
    gsmp::AddBranch request = add(in, 0, out, 0);
    request.input_label = in_label;
    request.output_label = out_label;
    return request;
  }
  gsmp::PortRecord record(std::uint32_t port) {
    gsmp::PortConfigurationRequest request;
    request.port = PortId(port);
    return answer<gsmp::PortConfiguration>(id, request).record;
  }
  gsmp::ReportRequest report(std::uint32_t port, gsmp::LabelField label) const {
    gsmp::ReportRequest request;
    request.input_port = PortId(port);
    request.input_label = label;
    return request;
  }
  gsmp::LabelRangeMessage ranges(std::uint32_t port, bool query,
                                 std::vector<gsmp::LabelRangeElement> elements) const {
    gsmp::LabelRangeMessage request;
    request.header.transaction = 1;
    request.port = PortId(port);
    request.port_session = session(port);
    request.query = query;
    request.ranges = std::move(elements);
    return request;
  }
  ControllerId id = connect();
};

class OneKindTest : public MplsPortsTest {
 protected:
  OneKindTest()
      : MplsPortsTest([] {
          FabricOptions options = two_kinds();
          options.one_kind = true;
          return options;
        }()) {}
};

TEST_F(MplsPortsTest, PortConfigurationTellsKindAndRanges) {
  const gsmp::PortRecord reported = record(2);
  EXPECT_EQ(reported.port_type, gsmp::kPortTypeMpls);
  EXPECT_EQ(reported.line_type, gsmp::kLineTypeMpls);
  EXPECT_FALSE(reported.vp_switching);
  EXPECT_EQ(gsmp::label_ranges(reported), two_kinds().port_labels.at(PortId(2)));
  EXPECT_EQ(record(1).port_type, gsmp::kPortTypeAtm);
  EXPECT_TRUE(record(1).vp_switching);
}

TEST_F(MplsPortsTest, VersionOneHearsOfNoLabelsThere) {
  const ControllerId old = connect(1);
  gsmp::PortConfigurationRequest request;
  request.header.version = 1;
  request.port = PortId(2);
  const auto reported = answer<gsmp::PortConfiguration>(old, request);
  EXPECT_FALSE(gsmp::label_ranges(reported.record).at(0).possible());
  gsmp::AddBranch add_there = add(2, 100, 1, 200);
  add_there.header.version = 1;
  EXPECT_EQ(code(old, add_there), FailureCode::kInvalidInputLabel);
}

TEST_F(MplsPortsTest, LabelsOfTheOtherKindAreRefused) {
  EXPECT_EQ(code(id, branch(2, label(0, 40), 1, label(0, 40))), FailureCode::kInvalidInputLabel);
  EXPECT_EQ(code(id, branch(1, mpls(40), 2, mpls(40))), FailureCode::kInvalidInputLabel);
  EXPECT_EQ(code(id, branch(1, label(0, 40), 2, label(0, 40))), FailureCode::kInvalidOutputLabel);
  EXPECT_EQ(code(id, branch(2, mpls(40), 1, mpls(40))), FailureCode::kInvalidOutputLabel);
  EXPECT_EQ(fabric.branches(), 0U);
}

TEST_F(MplsPortsTest, LabelsOutsideTheRangesAreRefused) {
  for (const std::uint32_t value : {0U, 15U, 100U, 69999U, 0x100000U, 0x10000020U})
    EXPECT_EQ(code(id, branch(2, mpls(value), 3, mpls(20))), FailureCode::kInvalidInputLabel)
        << value;
  for (const std::uint32_t value : {16U, 99U, 70000U, 0xfffffU})
    EXPECT_EQ(code(id, branch(2, mpls(value), 3, mpls(20))), FailureCode::kNone) << value;
  // The output accepts every label that an MPLS label stack entry can carry.
  EXPECT_EQ(code(id, branch(2, mpls(17), 3, mpls(15))), FailureCode::kInvalidOutputLabel);
  EXPECT_EQ(code(id, branch(2, mpls(17), 3, mpls(0x100000))), FailureCode::kInvalidOutputLabel);
  EXPECT_EQ(code(id, branch(2, mpls(17), 3, mpls(0xfffff))), FailureCode::kNone);
}

TEST_F(MplsPortsTest, CellsChangeTheirKindOfLabelOnTheWay) {
  ASSERT_EQ(code(id, branch(1, label(0, 40), 2, mpls(0xfedcb))), FailureCode::kNone);
  ASSERT_EQ(code(id, branch(3, mpls(1000), 4, label(0, 50))), FailureCode::kNone);
  cell_in(1, 0, 40);
  cell_in(3, 0, 1000);  // as an MPLS line delivers it: the 20 bits of the label
  EXPECT_EQ(cells_out(2), (std::vector<std::pair<int, int>>{{0xf, 0xedcb}}));
  EXPECT_EQ(cells_out(4), (std::vector<std::pair<int, int>>{{0, 50}}));
}

TEST_F(MplsPortsTest, ReportsStatisticsAndEventsNameTheLabelInItsKind) {
  ASSERT_EQ(code(id, branch(2, mpls(0xfedcb), 1, label(0, 50))), FailureCode::kNone);
  ASSERT_EQ(code(id, branch(2, mpls(0xfedcb), 3, mpls(70001))), FailureCode::kNone);
  const auto reported =
      answer<gsmp::ReportPart>(id, report(2, {gsmp::kFlagAll, gsmp::LabelType::kNone, 0}));
  ASSERT_EQ(reported.records.size(), 1U);
  EXPECT_EQ(reported.records[0].input_label, mpls(0xfedcb));
  EXPECT_EQ(reported.records[0].branches,
            (std::vector<gsmp::ReportBranch>{{PortId(1), label(0, 50)}, {PortId(3), mpls(70001)}}));
  const auto one = answer<gsmp::ReportPart>(id, report(2, mpls(0xfedcb))).records;
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].branches, reported.records[0].branches);
  // As an ATM label the same 28 bits name no connection there, neither a channel nor a whole VPI.
  EXPECT_EQ(code(id, report(2, label(0xf, 0xedcb))), FailureCode::kGeneral);
  EXPECT_EQ(code(id, report(2, label(0xf, 0, gsmp::kFlagVpi))), FailureCode::kGeneral);

  cell_in(2, 0xf, 0xedcb);
  gsmp::StatisticsRequest statistics;
  statistics.header.type = MessageType::kConnectionStatistics;
  statistics.port = PortId(2);
  statistics.label = mpls(0xfedcb);
  EXPECT_EQ(answer<gsmp::Statistics>(id, statistics).counters.input_cells, 1U);
  statistics.label = label(0xf, 0xedcb);
  EXPECT_EQ(code(id, statistics), FailureCode::kNoSuchConnection);

  take(id);
  cell_in(2, 1, 5);
  const auto events = take(id);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<gsmp::Event>(events[0]).label, mpls(0x10005));
}

TEST_F(MplsPortsTest, BranchesAreMovedAndDeletedBetweenKinds) {
  ASSERT_EQ(code(id, branch(1, label(0, 40), 4, label(0, 60))), FailureCode::kNone);
  gsmp::MoveOutputBranch out;
  out.port_session = session(1);
  out.input_port = PortId(1);
  out.input_label = label(0, 40);
  out.old_output_port = PortId(4);
  out.old_output_label = label(0, 60);
  out.new_output_port = PortId(3);
  out.new_output_label = label(0, 61);
  EXPECT_EQ(code(id, out), FailureCode::kInvalidOutputLabel);
  out.new_output_label = mpls(61);
  EXPECT_EQ(code(id, out), FailureCode::kNone);
  gsmp::MoveInputBranch in;
  in.port_session = session(3);
  in.output_port = PortId(3);
  in.output_label = mpls(61);
  in.old_input_port = PortId(1);
  in.old_input_label = label(0, 40);
  in.new_input_port = PortId(2);
  in.new_input_label = label(0, 41);
  EXPECT_EQ(code(id, in), FailureCode::kInvalidInputLabel);
  in.new_input_label = mpls(41);
  EXPECT_EQ(code(id, in), FailureCode::kNone);

  gsmp::DeleteBranches request;
  request.header.transaction = 1;
  gsmp::DeleteElement element;
  element.port_session = session(2);
  element.input_port = PortId(2);
  element.output_port = PortId(3);
  element.input_label = label(0, 41);
  element.output_label = mpls(61);
  request.elements = {element};
  EXPECT_EQ(answer<gsmp::DeleteBranches>(id, request).elements.at(0).error,
            FailureCode::kNoSuchConnection);
  request.elements[0].input_label = mpls(41);
  request.elements[0].output_label = label(0, 61);
  EXPECT_EQ(answer<gsmp::DeleteBranches>(id, request).elements.at(0).error,
            FailureCode::kNoSuchBranch);
  request.elements[0].output_label = mpls(61);
  EXPECT_TRUE(answer<gsmp::DeleteBranches>(id, request).elements.empty());
  EXPECT_EQ(fabric.branches(), 0U);
}

TEST_F(MplsPortsTest, BothDirectionsOfAPairHaveTheirOwnKind) {
  gsmp::AddBranch request = branch(1, label(0, 40), 2, mpls(50));
  request.input_label.flags = gsmp::kFlagBidirectional;
  ASSERT_EQ(code(id, request), FailureCode::kNone);
  EXPECT_TRUE(fabric.find(PortId(2), {LabelKind::kMpls, 50}).has_value());
  request = branch(1, label(0, 41), 2, mpls(500));  // outside the range of input labels
  request.input_label.flags = gsmp::kFlagBidirectional;
  EXPECT_EQ(code(id, request), FailureCode::kInvalidOutputLabel);
}

TEST_F(MplsPortsTest, ThereAreNoVirtualPathsThere) {
  gsmp::AddBranch request = branch(2, mpls(40), 3, mpls(40));
  request.header.type = MessageType::kVpcAddBranch;
  EXPECT_EQ(code(id, request), FailureCode::kNoVpSwitching);
  request = branch(1, label(0, 0), 2, mpls(40));
  request.header.type = MessageType::kVpcAddBranch;
  EXPECT_EQ(code(id, request), FailureCode::kNoVpSwitching);
  request = branch(1, label(0, 0), 4, label(0, 0));
  request.header.type = MessageType::kVpcAddBranch;
  EXPECT_EQ(code(id, request), FailureCode::kNone);
}

TEST_F(MplsPortsTest, LabelRangeTellsAllRangesAndWhatIsLeft) {
  ASSERT_EQ(code(id, branch(2, mpls(16), 3, mpls(16))), FailureCode::kNone);
  const auto reported = answer<gsmp::LabelRangeMessage>(id, ranges(2, true, {{}}));
  EXPECT_TRUE(reported.disjoint);
  EXPECT_EQ(reported.ranges, (std::vector<gsmp::LabelRangeElement>{
                                 {mpls(16), mpls(99), 83}, {mpls(70000), mpls(0xfffff), 978576}}));
  EXPECT_EQ(code(id, ranges(2, true, {{label(0, 0), label(0, 0)}})),
            FailureCode::kInvalidInputLabel);
}

TEST_F(MplsPortsTest, LabelRangeSetsAllRangesAtOnce) {
  ASSERT_EQ(code(id, branch(3, mpls(20), 2, mpls(20))), FailureCode::kNone);
  auto reported = answer<gsmp::LabelRangeMessage>(
      id, ranges(3, false, {{mpls(16), mpls(29)}, {mpls(40), mpls(49)}}));
  EXPECT_EQ(reported.header.code, FailureCode::kNone);
  EXPECT_EQ(reported.ranges, (std::vector<gsmp::LabelRangeElement>{{mpls(16), mpls(29), 13},
                                                                   {mpls(40), mpls(49), 10}}));
  EXPECT_EQ(code(id, branch(3, mpls(30), 2, mpls(30))), FailureCode::kInvalidInputLabel);
  EXPECT_EQ(code(id, branch(3, mpls(40), 2, mpls(30))), FailureCode::kNone);
  reported = answer<gsmp::LabelRangeMessage>(id, ranges(3, false, {{mpls(40), mpls(49)}}));
  EXPECT_EQ(reported.header.code, FailureCode::kOldLabelsInUse);

  reported = answer<gsmp::LabelRangeMessage>(
      id, ranges(3, false, {{mpls(0), mpls(29)}, {mpls(29), mpls(49)}}));
  EXPECT_EQ(reported.header.code, FailureCode::kLabelRangeImpossible);
  EXPECT_EQ(reported.ranges, (std::vector<gsmp::LabelRangeElement>{{mpls(16), mpls(29), 13}}));
  EXPECT_EQ(code(id, ranges(3, false, {{label(0, 40), label(0, 49)}})),
            FailureCode::kInvalidInputLabel);
  EXPECT_EQ(fabric.labels(PortId(3)), (LabelRanges{mpls_range(40, 49)})) << "nothing has changed";
  EXPECT_EQ(gsmp::label_ranges(record(3)), (LabelRanges{mpls_range(16, 1023)})) << "the default";
}

TEST_F(OneKindTest, RefusesBranchesBetweenKinds) {
  EXPECT_EQ(code(id, branch(1, label(0, 40), 2, mpls(40))), FailureCode::kInvalidOutputLabel);
  EXPECT_EQ(code(id, branch(2, mpls(40), 1, label(0, 40))), FailureCode::kInvalidOutputLabel);
  EXPECT_EQ(code(id, branch(1, label(0, 40), 4, label(0, 40))), FailureCode::kNone);
  EXPECT_EQ(code(id, branch(2, mpls(40), 3, mpls(40))), FailureCode::kNone);
}

}  // namespace
}  // namespace xbind::switchagent::test
