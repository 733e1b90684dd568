// Messages with one flag set, and with different values in similar fields, field by field. If
// encoder and decoder share a mistake, a round trip does not reveal it. The octets of
// tests/golden/gsmp do, because they were made without the codec.
#include <gtest/gtest.h>

#include "tests/unit/gsmp/hex.hpp"
#include "tests/unit/gsmp/worked.hpp"

namespace xbind::gsmp {
namespace {

using test::expect_worked;

LabelField vpi_vci(std::uint32_t vpi, std::uint32_t vci, std::uint8_t flags = 0) {
  return label_field(atm_label(vpi, vci), flags);
}

PortConfiguration port_with(bool PortRecord::*flag, std::uint32_t transaction,
                            std::uint32_t receives, std::uint32_t transmits) {
  PortConfiguration message;
  message.header.transaction = transaction;
  PortRecord& record = message.record;
  record.port = PortId(6);
  record.port_session = 0x5eed0006;
  record.event_sequence = 9;
  record.event_flags = kEventPortDown;
  record.attribute_flags = 0x8000;
  record.*flag = true;
  record.label_ranges = {{vpi_vci(1, 33), vpi_vci(2, 65000)}};
  record.receive_cells_per_s = receives;
  record.transmit_cells_per_s = transmits;
  record.port_status = PortStatus::kUnavailable;
  record.line_status = LineStatus::kTest;
  record.priorities = 5;
  record.physical_slot = 7;
  record.physical_port = 8;
  return message;
}

TEST(OneFlag, PortConfiguration) {
  expect_worked(port_with(&PortRecord::vp_switching, 0x0a, 353207, 96000), "C8");
  expect_worked(port_with(&PortRecord::multicast_labels, 0x0b, 96000, 353207), "C9");
  expect_worked(port_with(&PortRecord::logical_multicast, 0x0c, 0, 0x80000001), "C10");
  expect_worked(port_with(&PortRecord::label_range_message, 0x0d, 0x80000001, 0), "C11");
  expect_worked(port_with(&PortRecord::qos_messages, 0x0e, 1, 2), "C12");
}

LabelRangeMessage ranges(std::uint32_t transaction, std::vector<LabelRangeElement> elements) {
  LabelRangeMessage message;
  message.header.transaction = transaction;
  message.port = PortId(1);
  message.port_session = 0x5eed0001;
  message.ranges = std::move(elements);
  return message;
}

TEST(OneFlag, LabelRange) {
  LabelRangeMessage multipoint = ranges(0x504, {{vpi_vci(2, 35), vpi_vci(3, 99), 7U << 16 | 513}});
  multipoint.multipoint = true;
  expect_worked(multipoint, "L3");
  EXPECT_EQ(multipoint.ranges[0].remaining_vpis(), 7);
  EXPECT_EQ(multipoint.ranges[0].remaining_vcis(), 513);

  LabelRangeMessage disjoint = ranges(0x505, {{vpi_vci(4, 0, kFlagVpiRange), vpi_vci(6, 0)},
                                              {vpi_vci(0, 41, kFlagVciRange), vpi_vci(0, 77)}});
  disjoint.disjoint = true;
  expect_worked(disjoint, "L4");
}

ActivityRecord activity(std::uint32_t port, LabelField label) {
  ActivityRecord record;
  record.input_port = PortId(port);
  record.input_label = label;
  return record;
}

TEST(OneFlag, ConnectionActivity) {
  ConnectionActivity message;
  message.header.transaction = 0x603;
  message.records = {activity(1, vpi_vci(0, 100)), activity(2, vpi_vci(3, 101))};
  expect_worked(message, "S4");

  // The records: one with a count, one idle, one active, and one for a
  // connection that does not exist.
  message.header.result = ResultField::kSuccess;
  message.records = {activity(1, vpi_vci(0, 100)), activity(2, vpi_vci(0, 101)),
                     activity(3, vpi_vci(0, 102)), activity(4, vpi_vci(0, 103))};
  message.records[0].valid = true;
  message.records[0].traffic_cells = 0x1'0000'0002;
  message.records[1].valid = message.records[1].no_counter = true;
  message.records[2].valid = message.records[2].no_counter = message.records[2].active = true;
  expect_worked(message, "S5");

  message.header.transaction = 0x605;
  message.records = {activity(1, vpi_vci(0, 100)), activity(1, vpi_vci(0, 101))};
  message.records[0].no_counter = true;
  message.records[1].active = true;
  expect_worked(message, "S8");
}

TEST(OneFlag, ReportConnectionState) {
  ReportRequest request;
  request.header.transaction = 0x604;
  request.input_port = PortId(3);
  request.input_label = vpi_vci(5, 0, kFlagVpi);
  expect_worked(request, "S6");

  ReportPart part;
  part.header.transaction = 0x604;
  part.input_port = PortId(3);
  part.sequence = 1;
  part.records = {{.whole_vpi = true,
                   .input_label = vpi_vci(5, 100),
                   .branches = {{PortId(4), vpi_vci(6, 201)}}},
                  {.vpc = true,
                   .input_label = vpi_vci(7, 0),
                   .branches = {{PortId(2), vpi_vci(8, 0)}, {PortId(1), vpi_vci(9, 0)}}}};
  expect_worked(part, "S7");
}

AddBranch add_branch(std::uint32_t transaction) {
  AddBranch message;
  message.header.transaction = transaction;
  message.port_session = 0x5eed0001;
  message.input_port = PortId(1);
  message.output_port = PortId(2);
  message.input_label = vpi_vci(0, 104);
  message.output_label = vpi_vci(0, 204);
  return message;
}

// The input has a service and the output a priority; then both have different services.
TEST(TwoSides, QualityOfAddBranch) {
  AddBranch message = add_branch(0x106);
  message.input_qos = QosModel::kService;
  message.input_selector = service_selector(ServiceId::kCbr1, 3);
  message.output_selector = 2;
  message.input_traffic = TrafficBlock{kTcPolicing, CellRate{4528, 250}};
  expect_worked(message, "B8");

  message = add_branch(0x107);
  set_services(message, service_selector(ServiceId::kCbr1, 4), {0, CellRate{9056, 125}},
               service_selector(ServiceId::kNrtVbr1, 5),
               {kTcPolicing, VariableRate{20'000, 100, 5'000, 50}});
  expect_worked(message, "B9");
}

}  // namespace
}  // namespace xbind::gsmp
