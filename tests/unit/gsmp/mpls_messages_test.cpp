// Messages with MPLS labels and of MPLS ports, compared field by field with octets drawn from the
// pictures.
#include <gtest/gtest.h>

#include "tests/unit/gsmp/hex.hpp"
#include "tests/unit/gsmp/worked.hpp"

namespace xbind::gsmp {
namespace {

using test::expect_worked;
using test::golden;
using test::to_hex;

LabelField mpls(std::uint32_t value) { return label_field({LabelKind::kMpls, value}); }

TEST(Mpls, AddBranchFromAtm) {
  AddBranch message;
  message.header.transaction = 0x105;
  message.port_session = 0x5eed0001;
  message.input_port = PortId(1);
  message.output_port = PortId(2);
  message.input_label = label_field(atm_label(0, 103));
  message.output_label = mpls(0xfedcb);
  expect_worked(message, "B7");
}

TEST(Mpls, PortConfigurationHasSeveralRangesAndNoPaths) {
  PortConfiguration message;
  message.header.transaction = 0x0f;
  PortRecord& record = message.record;
  record.port = PortId(1);
  record.port_session = 0x5eed0001;
  record.port_type = kPortTypeMpls;
  record.line_type = kLineTypeMpls;
  record.multicast_labels = record.logical_multicast = record.label_range_message = true;
  record.label_ranges = {{mpls(16), mpls(1023)}, {mpls(70000), mpls(0xfffff)}};
  record.receive_cells_per_s = record.transmit_cells_per_s = 353207;
  record.priorities = 4;
  record.physical_slot = 0;
  record.physical_port = 1;
  record.services = {{8, 1}};
  expect_worked(message, "C13");
  EXPECT_EQ(label_ranges(record), (LabelRanges{mpls_range(16, 1023), mpls_range(70000, 0xfffff)}));
  record.vp_switching = true;
  EXPECT_EQ(to_hex(test::framed(message)), to_hex(golden("C13"))) << "P is x at an MPLS port";
}

TEST(Mpls, LabelRangeCountsInOneNumber) {
  LabelRangeMessage message;
  message.header.transaction = 0x506;
  message.header.result = ResultField::kSuccess;
  message.port = PortId(1);
  message.port_session = 0x5eed0001;
  message.query = message.disjoint = true;
  message.ranges = {{mpls(16), mpls(1023), 1000}, {mpls(70000), mpls(0xfffff), 978576}};
  expect_worked(message, "L5");
}

TEST(Mpls, ReportedConnectionThatLeavesOverAtm) {
  ReportPart message;
  message.header.transaction = 0x606;
  message.header.result = ResultField::kSuccess;
  message.input_port = PortId(3);
  ReportRecord record;
  record.input_label = mpls(0xfedcb);
  record.branches = {{PortId(1), label_field(atm_label(5, 200))}};
  message.records = {record};
  expect_worked(message, "S9");
}

TEST(Mpls, InvalidLabelEvent) {
  Event message;
  message.header.type = MessageType::kInvalidLabel;
  message.header.result = ResultField::kEvent;
  message.port = PortId(3);
  message.port_session = 0x5eed0001;
  message.sequence = 2;
  message.label = mpls(0xfedcb);
  expect_worked(message, "E5");
}

// Version 1.1 has ATM labels only: the reported range contains no label.
TEST(Mpls, AnMplsPortHasNoLabelsInVersion1) {
  PortConfiguration message;
  message.header.version = 1;
  message.record.port_type = kPortTypeMpls;
  message.record.label_ranges = {{mpls(16), mpls(1023)}};
  const auto frame = test::framed(message);
  const auto decoded = decode(std::span(frame).subspan(4));
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  const LabelRanges received = label_ranges(std::get<PortConfiguration>(*decoded).record);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_FALSE(received[0].possible()) << to_string(received[0]);
}

}  // namespace
}  // namespace xbind::gsmp
