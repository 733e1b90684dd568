// Version 1.1: its worked messages, and every message octet by octet.
// Octets here are written by hand from the pictures of RFC 1987.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/gsmp/hex.hpp"

namespace xbind::gsmp {
namespace {

using test::from_hex;
using test::to_hex;

Message read(std::string_view hex) {
  const auto message = decode(from_hex(hex));
  EXPECT_TRUE(message) << to_string(message.error()) << " in " << hex;
  return message ? *message : Message{};
}
template <class M>
M read_as(std::string_view hex) {
  const Message message = read(hex);
  EXPECT_TRUE(std::holds_alternative<M>(message)) << to_string(message);
  return std::holds_alternative<M>(message) ? std::get<M>(message) : M{};
}
std::string written(const Message& message) {
  wire::Buffer out;
  wire::Writer writer(out);
  encode(message, writer);
  return to_hex(out);
}
// Compares the encoded message with `hex`, from which the caller has decoded it.
#define EXPECT_BOTH_WAYS(hex, message) \
  EXPECT_EQ(written(message), hex) << to_string(Message(message))

Header v1_header(MessageType type, ResultField result = ResultField::kAckAll,
                 std::uint32_t transaction = 0x101) {
  return {.version = 1, .type = type, .result = result, .transaction = transaction};
}

// ----- the worked messages --------------------------------------------------------------------

class GoldenV1 : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string path(const std::string& extension) {
    return test::golden_path("v1/" + GetParam() + extension);
  }
};

TEST_P(GoldenV1, ReadsAsItsWordsAndIsWrittenAsItWasRead) {
  const wire::Buffer octets = from_hex(test::read_text(path(".hex")));
  const auto message = decode(octets);
  ASSERT_TRUE(message) << to_string(message.error());
  if (std::getenv("XBIND_REWRITE_GOLDEN") != nullptr)
    std::ofstream(path(".txt")) << to_string(*message) << '\n';
  EXPECT_EQ(to_string(*message) + "\n", test::read_text(path(".txt")));
  EXPECT_EQ(written(*message), to_hex(octets));
}

TEST_P(GoldenV1, IsRefusedWhenCutShort) {
  const wire::Buffer whole = from_hex(test::read_text(path(".hex")));
  for (std::size_t octets = 0; octets < whole.size(); ++octets) {
    EXPECT_FALSE(decode(std::span(whole).first(octets))) << octets << " octets";
  }
}

// The worked messages of version 1.1 (docs/gsmp.md): V1 to V3, and each message once as W files.
std::vector<std::string> golden_ids() {
  std::vector<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator(test::golden_path("v1"))) {
    if (entry.path().extension() == ".hex") ids.push_back(entry.path().stem());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}
INSTANTIATE_TEST_SUITE_P(All, GoldenV1, ::testing::ValuesIn(golden_ids()),
                         [](const auto& name) { return name.param; });

TEST(GoldenV1Folder, HasEveryMessage) { EXPECT_EQ(golden_ids().size(), 28U); }

// ----- the fields in the common form -----

TEST(V1Connection, AddBranchHasOnePriorityForBothSides) {
  const std::string hex =
      "01100200 00000101 5eed0001 00000001 00000064 00000002 000000c8 00000001";  // V2
  const auto add = read_as<AddBranch>(hex);
  EXPECT_EQ(add.header, v1_header(MessageType::kAddBranch));
  EXPECT_EQ(add.port_session, 0x5eed0001U);
  EXPECT_EQ(add.input_port, PortId(1));
  EXPECT_EQ(add.output_port, PortId(2));
  EXPECT_EQ(label_of(add.input_label), atm_label(0, 100));
  EXPECT_EQ(label_of(add.output_label), atm_label(0, 200));
  EXPECT_EQ(add.input_qos, QosModel::kPriority);
  EXPECT_EQ(add.input_selector, 1U);
  EXPECT_EQ(add.output_selector, 1U);
  EXPECT_EQ(add.reservation, 0U);
  EXPECT_BOTH_WAYS(hex, add);
}

TEST(V1Connection, APriorityBeyondAnOctetIsTheWorst) {
  AddBranch add;
  add.header = v1_header(MessageType::kAddBranch);
  add.output_selector = 256;
  EXPECT_EQ(written(add).substr(63), "000000ff");
}

TEST(V1Connection, TheTopFourBitsOfALabelAreNotRead) {
  const auto add =
      read_as<AddBranch>("01100200 00000101 5eed0001 00000001 f0050064 00000002 300600c8 00000001");
  EXPECT_EQ(label_of(add.input_label), atm_label(5, 100));
  EXPECT_EQ(label_of(add.output_label), atm_label(6, 200));
}

TEST(V1Connection, DeleteBranchIsAMessageOfOneElement) {
  const std::string hex = "01110200 00000201 5eed0001 00000001 00000064 00000002 000000c8 00000000";
  auto deletes = read_as<DeleteBranches>(hex);
  ASSERT_EQ(deletes.elements.size(), 1U);
  const DeleteElement& element = deletes.elements[0];
  EXPECT_EQ(element.error, FailureCode::kNone);
  EXPECT_EQ(element.port_session, 0x5eed0001U);
  EXPECT_EQ(element.input_port, PortId(1));
  EXPECT_EQ(element.output_port, PortId(2));
  EXPECT_EQ(label_of(element.input_label), atm_label(0, 100));
  EXPECT_EQ(label_of(element.output_label), atm_label(0, 200));
  EXPECT_BOTH_WAYS(hex, deletes);
  // A success copies the element.
  deletes.header.result = ResultField::kSuccess;
  EXPECT_EQ(written(deletes),
            "01110300 00000201 5eed0001 00000001 00000064 00000002 000000c8 00000000");
}

TEST(V1Connection, TheFailureOfADeleteIsThatOfItsElement) {
  const std::string hex = "01110409 00000201 5eed0001 00000001 00000064 00000002 000000c8 00000000";
  const auto deletes = read_as<DeleteBranches>(hex);
  EXPECT_EQ(deletes.header.code, FailureCode::kGeneral);
  ASSERT_EQ(deletes.elements.size(), 1U);
  EXPECT_EQ(deletes.elements[0].error, FailureCode::kNoSuchBranch);
  EXPECT_BOTH_WAYS(hex, deletes);
}

TEST(V1Connection, DeleteTreeAndDeleteAllUseTheInputSideAlone) {
  const std::string tree =
      "01120200 00000202 5eed0001 00000001 00000064 00000000 00000000 00000000";
  const auto delete_tree = read_as<DeleteTree>(tree);
  EXPECT_EQ(delete_tree.input_port, PortId(1));
  EXPECT_EQ(label_of(delete_tree.input_label), atm_label(0, 100));
  EXPECT_BOTH_WAYS(tree, delete_tree);

  const std::string all = "01140200 00000203 5eed0001 00000001 00000000 00000000 00000000 00000000";
  const auto delete_all = read_as<DeleteAll>(all);
  EXPECT_EQ(delete_all.header.type, MessageType::kDeleteAllInput);
  EXPECT_EQ(delete_all.port, PortId(1));
  EXPECT_BOTH_WAYS(all, delete_all);
}

TEST(V1Connection, VerifyTreeAnswersTheTrueNumber) {
  const std::string hex = "01130200 00000204 5eed0001 00000001 00000064 00000000 00000000 00020000";
  auto verify = read_as<VerifyTree>(hex);
  EXPECT_EQ(verify.branches, 2);
  EXPECT_EQ(verify.input_port, PortId(1));
  EXPECT_BOTH_WAYS(hex, verify);
  // The code "general" is 16 here; the true number of branches is 3.
  verify.header.result = ResultField::kFailure;
  verify.header.code = FailureCode::kGeneral;
  verify.branches = 3;
  EXPECT_EQ(written(verify),
            "01130410 00000204 5eed0001 00000001 00000064 00000000 00000000 00030000");
  // In version 3 the message does not exist: its body stays opaque.
  const auto framed = test::golden_message("F1");
  EXPECT_TRUE(std::holds_alternative<Opaque>(*decode(framed)));
}

TEST(V1Connection, MoveBranchMovesTheOutput) {
  const std::string hex =
      "01160200 00000301 5eed0001 00000001 00000064 00000002 000000c8 00000003 0000012c 00000002";
  const auto move = read_as<MoveOutputBranch>(hex);
  EXPECT_EQ(move.input_port, PortId(1));
  EXPECT_EQ(move.old_output_port, PortId(2));
  EXPECT_EQ(move.new_output_port, PortId(3));
  EXPECT_EQ(label_of(move.input_label), atm_label(0, 100));
  EXPECT_EQ(label_of(move.old_output_label), atm_label(0, 200));
  EXPECT_EQ(label_of(move.new_output_label), atm_label(0, 300));
  EXPECT_EQ(move.output_selector, 2U);
  EXPECT_BOTH_WAYS(hex, move);
}

TEST(V1Ports, PortManagementHasFlagsOfEightBits) {
  const std::string hex = "01200200 00000501 00000001 5eed0001 00000000 60000007";
  const auto reset = read_as<PortManagement>(hex);
  EXPECT_EQ(reset.function, PortFunction::kResetFlags);
  EXPECT_EQ(reset.event_flags, kEventPortDown | kEventInvalidLabel);
  EXPECT_EQ(reset.flow_control_flags, 0);
  EXPECT_BOTH_WAYS(hex, reset);
  // A success reports flow control for all events that exist: version 1.1 has no Adjacency Update.
  const std::string done = "01200300 00000501 00000001 5eed0011 00000009 000a0003";
  const auto loopback = read_as<PortManagement>(done);
  EXPECT_EQ(loopback.function, PortFunction::kInternalLoopback);
  EXPECT_EQ(loopback.duration_s, 10);
  EXPECT_EQ(loopback.event_sequence, 9U);
  EXPECT_EQ(loopback.port_session, 0x5eed0011U);
  EXPECT_EQ(loopback.flow_control_flags, 0xf800);
  EXPECT_BOTH_WAYS(done, loopback);
}

TEST(V1Ports, SwitchConfigurationTellsNoWindow) {
  const std::string request = "01400200 00000001 00000000";
  EXPECT_BOTH_WAYS(request, read_as<SwitchConfiguration>(request));
  const std::string hex = "01400300 00000001 01000000 58420200 000b0001";
  const auto configuration = read_as<SwitchConfiguration>(hex);
  EXPECT_EQ(configuration.firmware_version, 0x0100);
  EXPECT_EQ(configuration.switch_type, 0x5842);
  EXPECT_EQ(configuration.switch_name, 0x0200000b0001U);
  EXPECT_EQ(configuration.window, 0);
  EXPECT_EQ(configuration.max_reservations, 0U);
  EXPECT_BOTH_WAYS(hex, configuration);
}

TEST(V1Ports, PortConfigurationHasOneRangeAndOneRate) {
  const std::string request = "01410200 00000002 00000001";
  EXPECT_EQ(read_as<PortConfigurationRequest>(request).port, PortId(1));
  EXPECT_BOTH_WAYS(request, read(request));
  const std::string hex = "01410300 00000002 00000001 5eed0001 00010002 002003ff 000563b7 01000104";
  const auto configuration = read_as<PortConfiguration>(hex);
  const PortRecord& record = configuration.record;
  EXPECT_EQ(record.port, PortId(1));
  EXPECT_EQ(record.port_session, 0x5eed0001U);
  EXPECT_EQ(atm_label_range(record), (AtmBounds{1, 2, 32, 1023}));
  EXPECT_EQ(record.transmit_cells_per_s, 353207U);
  EXPECT_EQ(record.receive_cells_per_s, 353207U);
  EXPECT_EQ(record.port_status, PortStatus::kAvailable);
  EXPECT_EQ(record.line_status, LineStatus::kUp);
  EXPECT_EQ(record.line_type, kLineTypeAtm);
  EXPECT_EQ(record.priorities, 4);
  EXPECT_FALSE(record.services);
  EXPECT_BOTH_WAYS(hex, configuration);
}

TEST(V1Ports, AllPortsCountsTheRecordsOfAllParts) {
  const std::string request = "01420200 00000003 00000000";
  EXPECT_BOTH_WAYS(request, read_as<AllPortsRequest>(request));
  const std::string hex =
      "01420300 00000003 00030018"
      " 00000001 5eed0001 00000000 002003ff 000563b7 01000104"
      " 00000002 5eed0002 00000000 002003ff 000563b7 02000204";
  auto part = read_as<AllPortsPart>(hex);
  EXPECT_EQ(part.total, 3);
  ASSERT_EQ(part.records.size(), 2U);
  EXPECT_EQ(part.records[1].port, PortId(2));
  EXPECT_EQ(part.records[1].port_status, PortStatus::kUnavailable);
  EXPECT_EQ(part.records[1].line_status, LineStatus::kDown);
  EXPECT_BOTH_WAYS(hex, part);
  // Version 1.1 has no result More.
  part.header.result = ResultField::kMore;
  EXPECT_BOTH_WAYS(hex, part);
}

TEST(V1Ports, RecordsOfAnotherLengthAreRefused) {
  const auto refused = decode(from_hex(
      "01420300 00000003 0001001c 00000001 5eed0001 00000000 002003ff 000563b7 01000104 00000000"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (DecodeError{Refusal::kRecordLength, 28}));
}

TEST(V1Ports, EventsHaveALabelOnlyWhenItIsInvalid) {
  const std::string hex = "01520000 00000000 00000001 5eed0001 00000001 000003e7";
  const auto event = read_as<Event>(hex);
  EXPECT_EQ(event.header.type, MessageType::kInvalidLabel);
  EXPECT_EQ(event.port, PortId(1));
  EXPECT_EQ(event.sequence, 1U);
  EXPECT_EQ(label_of(event.label), atm_label(0, 999));
  EXPECT_BOTH_WAYS(hex, event);
  EXPECT_EQ(read_as<Event>("01530000 00000000 00000001 5eed0001 00000001 000003e7").label,
            LabelField{});
  // Version 1.1 cannot request a receipt.
  Event down;
  down.header = v1_header(MessageType::kPortDown, ResultField::kReturnReceipt, 0);
  EXPECT_EQ(written(down), "01510000 00000000 00000000 00000000 00000000 00000000");
}

TEST(V1Traffic, VcActivityHasItsFlagsAtTheLabel) {
  const std::string hex =
      "01300300 00000601 00020000"
      " 00000001 a0000064 00000000 00001234"
      " 00000001 40000065 00000000 00000000";
  const auto activity = read_as<ConnectionActivity>(hex);
  ASSERT_EQ(activity.records.size(), 2U);
  EXPECT_TRUE(activity.records[0].valid);
  EXPECT_FALSE(activity.records[0].no_counter);
  EXPECT_TRUE(activity.records[0].active);
  EXPECT_EQ(activity.records[0].traffic_cells, 0x1234U);
  EXPECT_EQ(label_of(activity.records[0].input_label), atm_label(0, 100));
  EXPECT_FALSE(activity.records[1].valid);
  EXPECT_TRUE(activity.records[1].no_counter);
  EXPECT_BOTH_WAYS(hex, activity);
  // The count is only the peer's claim.
  EXPECT_EQ(decode(from_hex("01300200 00000601 ffff0000")).error(),
            (DecodeError{Refusal::kElementCount, 0xffff}));
}

TEST(V1Traffic, StatisticsAreTenCounters) {
  const std::string request = "01310200 00000602 00000001 00000000";
  EXPECT_EQ(read_as<StatisticsRequest>(request).label, LabelField{});
  EXPECT_BOTH_WAYS(request, read(request));
  const std::string hex =
      "01320300 00000603 00000001 00000064 00000000 00000001 00000000 00000002 00000000 00000003"
      " 00000000 00000004 00000000 00000005 00000000 00000006 00000000 00000007 00000000 00000008"
      " 00000000 00000009 00000001 0000000a";
  const auto statistics = read_as<Statistics>(hex);
  EXPECT_EQ(label_of(statistics.label), atm_label(0, 100));
  EXPECT_EQ(statistics.counters.input_cells, 1U);
  EXPECT_EQ(statistics.counters.invalid_labels, 6U);
  EXPECT_EQ(statistics.counters.output_frame_discards, 0x10000000aU);
  EXPECT_BOTH_WAYS(hex, statistics);
}

// ----- header and adjacency --------------------------------------------------------------------

TEST(V1Header, TheTransactionHas32Bits) {
  const auto header = decode_header(from_hex("01400200 fedcba98 00000000"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->header.transaction, 0xfedcba98U);
  EXPECT_EQ(header->header.partition, 0);
  EXPECT_EQ(header->body.size(), 4U);
}

TEST(V1Header, MoreAndReturnReceiptDoNotExist) {
  EXPECT_EQ(decode(from_hex("01400500 00000001 00000000")).error(),
            (DecodeError{Refusal::kResultField, 5}));
  EXPECT_EQ(decode(from_hex("01510600 00000000 00000002 5eed0002 00000001 00000000")).error(),
            (DecodeError{Refusal::kResultField, 6}));
}

TEST(V1Header, AMessageOfVersion3OnlyStaysOctets) {
  const std::string hex = "01460200 00000401 5eed0001 00000007";  // Reservation Request
  EXPECT_BOTH_WAYS(hex, read_as<Opaque>(hex));
}

TEST(V1Header, ARequestIsStampedInItsOwnForm) {
  AddBranch add;
  add.header = v1_header(MessageType::kAddBranch, ResultField::kNoSuccessAck, 0);
  wire::Buffer out = test::framed(add);
  stamp_request(out, 0, 0, 0x00abcdef);
  EXPECT_EQ(to_hex(out).substr(0, 26), "880c0020 01100200 00abcdef");
}

TEST(V1Adjacency, OctetTwoIsNothingAndInstancesHave32Bits) {
  const std::string syn = "010a0001 0200000a 00010000 00000000 00000001 00000000 fa1b2c3d 00000000";
  auto message = read_as<AdjacencyMessage>(syn);
  EXPECT_EQ(message.version, 1);
  EXPECT_EQ(message.code, AdjacencyCode::kSyn);
  EXPECT_FALSE(message.from_master);
  EXPECT_EQ(message.sender, (Endpoint{0x0200000a0001, 1, 0xfa1b2c3d}));
  EXPECT_EQ(message.receiver, Endpoint{});
  EXPECT_EQ(message.timer, 10);
  EXPECT_EQ(message.partition_flag, kRecoveredAdjacency);
  EXPECT_BOTH_WAYS(syn, message);
  // Fields that version 1.1 lacks are not encoded.
  message.timer = 50;
  message.from_master = true;
  message.partition = 7;
  EXPECT_BOTH_WAYS(syn, message);
}

TEST(V1Adjacency, RefusesByName) {
  const std::string rest = " 0200000a 00010000 00000000 00000001 00000000 ";
  EXPECT_EQ(decode(from_hex("010a0081" + rest + "0a1b2c3d 00000000")).error(),
            (DecodeError{Refusal::kAdjacencyCode, 0x81}));  // there is no M bit
  EXPECT_EQ(decode(from_hex("010a0001" + rest + "00000000 00000000")).error(),
            (DecodeError{Refusal::kAdjacencyInstance, 0}));
  EXPECT_EQ(decode(from_hex("010a0001" + rest + "0a1b2c3d")).error(),
            (DecodeError{Refusal::kTruncated, 28}));
}

}  // namespace
}  // namespace xbind::gsmp
