// Messages built by hand compared with the worked octets, and every refusal of the decoders.
#include "gsmp/codec.hpp"

#include <gtest/gtest.h>

#include "gsmp/failure_response.hpp"
#include "tests/unit/gsmp/hex.hpp"
#include "tests/unit/gsmp/worked.hpp"

namespace xbind::gsmp {
namespace {

using test::atm;
using test::golden;
using test::golden_message;
using test::hex;
using test::to_hex;

constexpr std::uint64_t kController = 0x0200000a0001;
constexpr std::uint64_t kSwitch = 0x0200000b0001;

AddBranch worked_add_branch() {
  AddBranch message;
  message.header.transaction = 0x101;
  message.port_session = 0x5eed0001;
  message.input_port = PortId(1);
  message.output_port = PortId(2);
  message.input_label = atm(100);
  message.output_label = atm(200);
  return message;
}

TEST(Encode, SynOfTheController) {  // A1
  AdjacencyMessage syn;
  syn.from_master = true;
  syn.sender = {kController, 1, 0x0a1b2c};
  syn.partition_flag = kNewAdjacency;
  EXPECT_EQ(hex(syn), to_hex(golden("A1")));
}

TEST(Encode, AckOfTheSwitch) {  // A6
  AdjacencyMessage ack;
  ack.code = AdjacencyCode::kAck;
  ack.sender = {kSwitch, 0x10, 0x3d4e5f};
  ack.receiver = {kController, 1, 0x0a1b2c};
  ack.partition_flag = kNewAdjacency;
  EXPECT_EQ(hex(ack), to_hex(golden("A6")));
}

TEST(Encode, AddBranch) {  // B1, B2
  AddBranch message = worked_add_branch();
  EXPECT_EQ(hex(message), to_hex(golden("B1")));
  message.header.result = ResultField::kSuccess;
  EXPECT_EQ(hex(message), to_hex(golden("B2")));
}

TEST(Encode, AddBranchWithService) {  // B4
  AddBranch message = worked_add_branch();
  message.header.transaction = 0x102;
  message.input_label = atm(101);
  message.output_label = atm(201);
  set_service(message, ServiceId::kCbr1, 1, {kTcPolicing, CellRate{4528, 250}});
  EXPECT_EQ(hex(message), to_hex(golden("B4")));
  EXPECT_EQ(std::get<AddBranch>(*decode(golden_message("B4"))), message);
}

TEST(Encode, AddBranchBothWays) {  // B5
  AddBranch message = worked_add_branch();
  message.header.transaction = 0x103;
  message.header.result = ResultField::kNoSuccessAck;
  message.input_label = atm(102, kFlagBidirectional);
  message.output_label = atm(202);
  EXPECT_EQ(hex(message), to_hex(golden("B5")));
}

DeleteElement worked_element(std::uint32_t input_vci, std::uint32_t output_vci) {
  return {FailureCode::kNone, 0x5eed0001, PortId(1), PortId(2), atm(input_vci), atm(output_vci)};
}

TEST(Encode, DeleteBranches) {  // D1, D2, D3
  DeleteBranches message;
  message.header.transaction = 0x201;
  message.elements = {worked_element(100, 200)};
  EXPECT_EQ(hex(message), to_hex(golden("D1")));

  message.elements.clear();
  message.header.result = ResultField::kSuccess;
  EXPECT_EQ(hex(message), to_hex(golden("D2")));

  message.header.transaction = 0x202;
  message.header.result = ResultField::kFailure;
  message.header.code = FailureCode::kGeneral;
  message.elements = {worked_element(100, 200), worked_element(0x22b, 0x28f)};
  message.elements[1].error = FailureCode::kNoSuchConnection;
  EXPECT_EQ(hex(message), to_hex(golden("D3")));
}

TEST(Encode, AnErrorThatDoesNotFitFourBitsBecomesUnspecified) {
  DeleteBranches message;
  message.elements = {worked_element(100, 200)};
  message.elements[0].error = FailureCode::kNoQosPerBranch;
  const wire::Buffer frame = test::framed(message);
  const auto decoded = decode(std::span(frame).subspan(kFrameHeaderOctets));
  EXPECT_EQ(std::get<DeleteBranches>(*decoded).elements[0].error, FailureCode::kUnspecified);
}

TEST(Encode, TheLongestDeleteIsTheLongestMessageWeSend) {
  DeleteBranches message;
  message.elements.resize(kDeleteElementsMax, worked_element(100, 200));
  const wire::Buffer frame = test::framed(message);
  EXPECT_EQ(kDeleteElementsMax, 511U);
  EXPECT_LE(frame.size() - kFrameHeaderOctets, kSentOctetsMax);
  EXPECT_GT(frame.size() - kFrameHeaderOctets + kDeleteElementOctets, kSentOctetsMax);
}

TEST(Encode, SwitchConfiguration) {  // C1, C2
  SwitchConfiguration message;
  message.header.transaction = 1;
  EXPECT_EQ(hex(message), to_hex(golden("C1")));
  message.header.result = ResultField::kSuccess;
  message.firmware_version = 0x0100;
  message.window = 256;
  message.switch_type = 0x5842;
  message.switch_name = kSwitch;
  message.max_reservations = 1024;
  EXPECT_EQ(hex(message), to_hex(golden("C2")));
}

PortRecord worked_port() {
  PortRecord record;
  record.port = PortId(1);
  record.port_session = 0x5eed0001;
  record.vp_switching = record.multicast_labels = record.logical_multicast =
      record.label_range_message = true;
  record.label_ranges = {{atm(32), atm(1023)}};
  record.receive_cells_per_s = record.transmit_cells_per_s = 353207;
  record.priorities = 4;
  record.physical_slot = 0;
  record.physical_port = 1;
  record.services = {{{1, 1}, {5, 1}, {8, 1}}};
  return record;
}

TEST(Encode, PortConfiguration) {  // C4
  PortConfiguration message;
  message.header.transaction = 2;
  message.record = worked_port();
  EXPECT_EQ(hex(message), to_hex(golden("C4")));
  EXPECT_EQ(atm_label_range(message.record), (AtmBounds{0, 0, 32, 1023}));
}

TEST(Encode, AllPortsConfigurationRepeatsTheRecord) {
  AllPortsPart message;
  message.header.transaction = 3;
  message.header.result = ResultField::kMore;
  message.total = 5;
  message.records = {worked_port(), worked_port()};
  message.records[1].port = PortId(2);
  message.records[1].services.reset();
  const wire::Buffer frame = test::framed(message);
  EXPECT_EQ(frame.size(),
            4 + 16 + encoded_octets(message.records[0]) + encoded_octets(message.records[1]));
  EXPECT_EQ(std::get<AllPortsPart>(*decode(std::span(frame).subspan(4))), message);
}

TEST(Encode, ReportConnectionState) {  // S2, S3
  ReportRequest request;
  request.header.transaction = 0x602;
  request.input_port = PortId(1);
  request.input_label = label_field(atm_label(0, 0), kFlagAll);
  EXPECT_EQ(hex(request), to_hex(golden("S2")));

  ReportPart part;
  part.header.transaction = 0x602;
  part.input_port = PortId(1);
  ReportRecord record;
  record.all = true;
  record.input_label = atm(100);
  record.branches = {{PortId(2), atm(200)}};
  part.records = {record};
  EXPECT_EQ(hex(part), to_hex(golden("S3")));
}

TEST(Encode, EventOfAdjacencies) {  // E4
  Event event;
  event.header.type = MessageType::kAdjacencyUpdate;
  event.header.code = static_cast<FailureCode>(2);
  EXPECT_EQ(hex(event), to_hex(golden("E4")));
}

TEST(FailureResponse, CopiesTheWholeRequest) {  // B1 -> B3
  wire::Buffer out;
  append_failure(out, golden_message("B1"), FailureCode::kInvalidPortSession);
  EXPECT_EQ(to_hex(out), to_hex(golden("B3")));
}

TEST(FailureResponse, TellsTheTruthAboutALengthThatLied) {
  wire::Buffer request = golden_message("R3");
  request[11] = std::byte{200};
  wire::Buffer out;
  append_failure(out, request, FailureCode::kInvalidMessage);
  EXPECT_EQ(to_hex(out), "880c000c 03480402 00000403 8001000c");
}

TEST(FailureResponse, LeavesWhatFollowsTheMessageBehind) {
  wire::Buffer request = golden_message("R3");
  request.resize(request.size() + 8);
  wire::Buffer out;
  append_failure(out, request, FailureCode::kNotImplemented);
  EXPECT_EQ(to_hex(out), "880c000c 03480403 00000403 8001000c");
}

// ----- unusual input that decoders accept -----

TEST(Decode, AdjacencyWithCapabilitiesBehindIt) {
  wire::Buffer message = golden_message("A1");
  message.resize(message.size() + 4);
  EXPECT_EQ(*decode(message), *decode(golden_message("A1")));
}

TEST(Decode, AdditionalDataInsideTheLength) {
  wire::Buffer message = golden_message("D2");
  message.resize(message.size() + 8);
  message[11] = static_cast<std::byte>(message.size());
  EXPECT_EQ(*decode(message), *decode(golden_message("D2")));
}

TEST(Decode, WhatIsBehindTheTrafficParameters) {
  for (const char* id : {"B1", "B4"}) {
    wire::Buffer message = golden_message(id);
    message.resize(message.size() + 8);
    message[11] = static_cast<std::byte>(message.size());
    EXPECT_EQ(*decode(message), *decode(golden_message(id)));
  }
}

TEST(Decode, AnUnusedLabelDrawnWithItsLength) {
  wire::Buffer message = golden_message("R1");
  message[43] = std::byte{4};  // type 0, length 4, any value
  message[47] = std::byte{9};
  EXPECT_EQ(*decode(message), *decode(golden_message("R1")));
}

TEST(Decode, TheThreeWaysToSayUnsegmented) {
  for (const int sub_message : {0x8001, 0x0001, 0x0000}) {
    wire::Buffer message = golden_message("R3");
    message[8] = static_cast<std::byte>(sub_message >> 8);
    message[9] = static_cast<std::byte>(sub_message & 0xff);
    EXPECT_TRUE(decode(message)) << sub_message;
  }
}

TEST(Decode, AReportDrawnWithThirteenAndSixteenBits) {
  wire::Buffer message = golden_message("S3");
  message[20] = std::byte{0x80};  // A, count 1 of 13 bits, length of 16 bits
  message[21] = std::byte{0x01};
  EXPECT_EQ(*decode(message), *decode(golden_message("S3")));
}

TEST(Decode, AnElementLengthThatLeavesTheFirstWordOut) {
  wire::Buffer message = golden_message("D1");
  message[19] = std::byte{28};
  EXPECT_EQ(*decode(message), *decode(golden_message("D1")));
}

TEST(Decode, AllPortsRequestWithoutItsPort) {
  wire::Buffer message = golden_message("C5");
  message.resize(12);
  message[11] = std::byte{12};
  EXPECT_EQ(*decode(message), *decode(golden_message("C5")));
}

// ----- refusals -------------------------------------------------------------------------------

struct Damage {
  const char* what;
  const char* id;
  std::size_t offset;  // in the message without its frame header
  std::vector<int> octets;
  DecodeError expected;
};

class Refused : public ::testing::TestWithParam<Damage> {};

TEST_P(Refused, ByNameWithItsValue) {
  const Damage& damage = GetParam();
  wire::Buffer message = golden_message(damage.id);
  for (std::size_t i = 0; i < damage.octets.size(); ++i) {
    message.at(damage.offset + i) = static_cast<std::byte>(damage.octets[i]);
  }
  const auto decoded = decode(message);
  ASSERT_FALSE(decoded) << to_string(*decoded);
  EXPECT_EQ(decoded.error(), damage.expected) << to_string(decoded.error());
}

INSTANTIATE_TEST_SUITE_P(
    All, Refused,
    ::testing::Values(
        Damage{"Version", "B1", 0, {2}, {Refusal::kVersion, 2}},
        Damage{"VersionOfSyn", "A1", 0, {2}, {Refusal::kVersion, 2}},
        Damage{"Segment", "B1", 8, {0x80, 0x02}, {Refusal::kSegmented, 0x8002}},
        Damage{"SecondSegment", "B1", 8, {0x00, 0x02}, {Refusal::kSegmented, 2}},
        Damage{"Result", "B1", 2, {7}, {Refusal::kResultField, 7}},
        Damage{"LengthTooShort", "B1", 10, {0, 11}, {Refusal::kLengthField, 11}},
        Damage{"LengthTooLong", "B1", 10, {0, 57}, {Refusal::kLengthField, 57}},
        Damage{"BodyTooShort", "B1", 10, {0, 55}, {Refusal::kTruncated, 43}},
        Damage{"AdjacencyCode", "A1", 3, {0x85}, {Refusal::kAdjacencyCode, 5}},
        Damage{"AdjacencyCodeZero", "A1", 3, {0x80}, {Refusal::kAdjacencyCode, 0}},
        Damage{"AdjacencyTimer", "A1", 2, {0}, {Refusal::kAdjacencyTimer, 0}},
        Damage{"AdjacencyInstance", "A1", 25, {0, 0, 0}, {Refusal::kAdjacencyInstance, 0}},
        Damage{"LabelLength", "B1", 42, {0, 8}, {Refusal::kLabelLength, 8}},
        Damage{"LabelStacked", "B1", 48, {0x41, 0}, {Refusal::kLabelStacked, 0x100}},
        Damage{"LabelFec", "B1", 40, {0x01, 0x03, 0, 12}, {Refusal::kLabelLength, 12}},
        Damage{"ElementCount", "D1", 14, {0, 2}, {Refusal::kElementCount, 2}},
        Damage{"ElementCountHuge", "D1", 14, {0xff, 0xff}, {Refusal::kElementCount, 65535}},
        Damage{"ElementLength", "D1", 18, {0, 20}, {Refusal::kElementLength, 20}},
        Damage{"RecordLength", "S3", 22, {0, 13}, {Refusal::kRecordLength, 13}},
        Damage{"RecordBeyondTheEnd", "S3", 22, {0, 24}, {Refusal::kTruncated, 32}},
        Damage{"PortType", "C4", 28, {2}, {Refusal::kPortType, 2}},
        Damage{"DataFieldsTooShort", "C4", 30, {0, 40}, {Refusal::kDataFieldsLength, 40}},
        Damage{"DataFieldsBeyondTheEnd", "C4", 30, {0, 60}, {Refusal::kDataFieldsLength, 60}},
        Damage{"LabelRangeLength", "C4", 34, {0, 8}, {Refusal::kLabelRangeLength, 8}},
        Damage{"ServiceCount", "C4", 70, {0, 9}, {Refusal::kDataFieldsLength, 52}},
        Damage{"TrafficMissing", "B4", 10, {0, 56}, {Refusal::kTrafficMissing, 1}},
        Damage{"TrafficCutShort", "B4", 10, {0, 64}, {Refusal::kTruncated, 52}},
        Damage{"TrafficOfALongerService", "B4", 24, {0, 5}, {Refusal::kTrafficShared, 1}},
        Damage{"TrafficMissingInAReservation", "R1", 10, {0, 56}, {Refusal::kTrafficMissing, 5}},
        Damage{"MoveTooShort", "M1", 10, {0, 63}, {Refusal::kTruncated, 51}},
        Damage{"DeleteTreeTooShort", "D4", 10, {0, 52}, {Refusal::kTruncated, 40}},
        Damage{"DeleteAllTooShort", "D5", 10, {0, 52}, {Refusal::kTruncated, 40}},
        Damage{"DeleteReservationTooShort", "R2", 10, {0, 16}, {Refusal::kTruncated, 4}},
        Damage{"PortManagementTooShort", "P1", 10, {0, 32}, {Refusal::kTruncated, 20}},
        Damage{"LabelRangeCount", "L1", 21, {2}, {Refusal::kLabelRangeLength, 20}},
        Damage{
            "LabelRangeBeyondTheEnd", "L1", 20, {0x80, 2, 0, 40}, {Refusal::kLabelRangeLength, 40}},
        Damage{"StatisticsTooShort", "S1", 2, {3}, {Refusal::kTruncated, 12}},
        Damage{"ServiceRecords", "C7", 14, {0, 200}, {Refusal::kElementCount, 200}},
        Damage{"CapabilitySets", "C7", 18, {0, 9}, {Refusal::kElementCount, 9}}),
    [](const auto& name) { return name.param.what; });

TEST(Refused, RstackNeedsNoSenderInstance) {
  wire::Buffer message = golden_message("A7");
  message[25] = message[26] = message[27] = std::byte{0};
  EXPECT_TRUE(decode(message));
}

TEST(Refused, EveryNameHasWords) {
  for (int i = 0; i <= static_cast<int>(Refusal::kTrafficCount); ++i) {
    const auto refusal = static_cast<Refusal>(i);
    EXPECT_NE(to_string(refusal), "unknown refusal") << i;
    EXPECT_EQ(to_string(DecodeError{refusal, 7}).find("unknown"), std::string::npos) << i;
  }
}

TEST(FailureCodes, HaveWords) {
  EXPECT_EQ(to_string(FailureCode::kNoSuchPort), "no such port (4)");
  EXPECT_EQ(to_string(FailureCode::kInvalidPortSession), "invalid port session number (5)");
  EXPECT_EQ(to_string(static_cast<FailureCode>(64)), "of the QoS model (64)");
  EXPECT_EQ(to_string(static_cast<FailureCode>(159)), "of the optional model (159)");
  EXPECT_EQ(to_string(static_cast<FailureCode>(99)), "code 99");
}

}  // namespace
}  // namespace xbind::gsmp
