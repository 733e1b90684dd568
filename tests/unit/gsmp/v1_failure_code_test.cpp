// Version 1.1: its failure codes, and the requests that it lacks.
#include <gtest/gtest.h>

#include "gsmp/failure_response.hpp"
#include "gsmp/messages/failure_code_v1.hpp"
#include "tests/unit/gsmp/hex.hpp"
#include "tests/unit/source_dir.hpp"

namespace xbind::gsmp {
namespace {

using test::from_hex;
using test::to_hex;

// ----- failure codes ----------------------------------------------------------------------------

struct CodePair {
  int v3;
  int v1;
};
// Codes of the same meaning in both versions.
constexpr CodePair kSame[] = {{1, 1},   {2, 2},   {3, 3},   {4, 5},  {5, 4},   {6, 6},
                              {10, 16}, {11, 8},  {12, 9},  {13, 7}, {19, 15}, {29, 10},
                              {30, 11}, {31, 12}, {34, 13}, {35, 14}};
// Codes that version 1.1 lacks, and the nearest ones.
constexpr CodePair kNearest[] = {
    {7, 1},   {14, 7}, {15, 1}, {16, 2}, {17, 15}, {18, 15}, {20, 2},  {21, 2},  {22, 2},
    {23, 2},  {24, 3}, {25, 3}, {26, 1}, {27, 1},  {28, 3},  {32, 13}, {33, 14}, {36, 3},
    {37, 2},  {40, 3}, {41, 3}, {42, 3}, {43, 3},  {44, 2},  {45, 3},  {46, 1},  {60, 2},
    {61, 15}, {62, 2}, {63, 3}, {64, 1}, {79, 1},  {80, 14}, {128, 1}, {159, 1}, {255, 1}};

TEST(V1FailureCodes, AreTranslatedBothWays) {
  for (const auto& [v3, number] : kSame) {
    const auto code = static_cast<FailureCode>(v3);
    EXPECT_EQ(v1::failure_code_on_wire(code), number) << to_string(code);
    EXPECT_EQ(
        v1::failure_code_from_wire(static_cast<std::uint8_t>(number), MessageType::kAddBranch),
        code)
        << number;
  }
  for (const auto& [v3, number] : kNearest) {
    EXPECT_EQ(v1::failure_code_on_wire(static_cast<FailureCode>(v3)), number) << v3;
  }
  EXPECT_EQ(v1::failure_code_on_wire(FailureCode::kNone), 0);
  for (int number = 17; number <= 255; ++number) {
    EXPECT_EQ(
        v1::failure_code_from_wire(static_cast<std::uint8_t>(number), MessageType::kAddBranch),
        FailureCode::kUnspecified)
        << number;
  }
}

// docs/gsmp.md repeats both tables as rows "| 4 | 5 |".
TEST(V1FailureCodes, AreThoseOfTheDocument) {
  const std::string document = test::read_text(xbind::test::source_path("docs/gsmp.md"));
  for (const auto& pairs :
       {std::span<const CodePair>(kSame), std::span<const CodePair>(kNearest)}) {
    for (const auto& [v3, number] : pairs) {
      if (v3 == 64 || v3 == 79 || v3 == 128 || v3 == 159 || v3 == 255) continue;  // "others"
      EXPECT_NE(document.find(fmt::format("| {} | {} |", v3, number)), std::string::npos)
          << v3 << " to " << number;
    }
  }
}

TEST(V1FailureCodes, ALabelOutOfRangeIsTheInputsButInAMove) {
  for (const MessageType type :
       {MessageType::kAddBranch, MessageType::kDeleteBranches, MessageType::kDeleteTree,
        MessageType::kVerifyTree, MessageType::kConnectionStatistics}) {
    EXPECT_EQ(v1::failure_code_from_wire(7, type), FailureCode::kInvalidInputLabel);
  }
  EXPECT_EQ(v1::failure_code_from_wire(7, MessageType::kMoveOutputBranch),
            FailureCode::kInvalidOutputLabel);
}

TEST(V1FailureCodes, TheCopyOfARequestHasThem) {
  const auto request =
      from_hex("01100200 00000101 5eed0001 00000001 00000064 00000002 000000c8 00000001");
  wire::Buffer out;
  append_failure(out, request, FailureCode::kInvalidPortSession);
  EXPECT_EQ(to_hex(out),
            "880c0020 01100404 00000101 5eed0001 00000001 00000064 00000002 000000c8 00000001");
  const auto answer = std::get<AddBranch>(test::messages_of(out).at(0));
  EXPECT_EQ(answer.header.code, FailureCode::kInvalidPortSession);
  out.clear();
  append_copy(out, request, ResultField::kSuccess, FailureCode::kNone);
  EXPECT_EQ(to_hex(out),
            "880c0020 01100300 00000101 5eed0001 00000001 00000064 00000002 000000c8 00000001");
}

TEST(V1FailureCodes, OnlyAFailureHasOne) {
  EXPECT_EQ(decode_header(from_hex("0140032e 00000001 01000000 58420200 000b0001"))->header.code,
            FailureCode::kNone);
}

// ----- message types and fields that exist -----

TEST(V1Exists, WhatHasItsFormHereAndOnlyThat) {
  std::vector<int> in_v1;
  std::vector<int> in_v1_only;
  for (int number = 0; number <= 255; ++number) {
    const auto type = static_cast<MessageType>(number);
    if (!exists_in(type, 1)) continue;
    in_v1.push_back(number);
    if (!exists_in(type, 3)) in_v1_only.push_back(number);
  }
  EXPECT_EQ(in_v1, (std::vector<int>{10, 16, 17, 18, 19, 20, 22, 32, 48, 49, 50, 64, 65, 66, 80, 81,
                                     82, 83, 84}));
  EXPECT_EQ(in_v1_only, std::vector<int>{19});
  EXPECT_TRUE(exists_in(MessageType::kReservationRequest, 3));
  EXPECT_FALSE(exists_in(static_cast<MessageType>(99), 3));
  EXPECT_FALSE(exists_in(MessageType::kAddBranch, 2));
}

TEST(V1Exists, WhatAnAddBranchCannotSayIsNamed) {
  const auto add = [](auto change) {
    AddBranch message;
    message.input_label = label_field(atm_label(0, 100), kFlagMultipoint);
    message.output_label = label_field(atm_label(0, 200));
    change(message);
    return v1::lacks(message);
  };
  EXPECT_EQ(add([](AddBranch&) {}), std::nullopt);  // a missing hint does not matter
  EXPECT_EQ(add([](AddBranch& m) { m.reservation = 7; }), "reservation 7 (version 1.1 has none)");
  EXPECT_EQ(add([](AddBranch& m) { m.input_label.flags = kFlagBidirectional; }),
            "bidirectional (not in version 1.1)");
  EXPECT_EQ(add([](AddBranch& m) { m.output_label.flags = kFlagReplace; }),
            "connection replace (not in version 1.1)");
  EXPECT_EQ(add([](AddBranch& m) {
              m.output_label = {0, LabelType::kMpls, 16};
            }),
            "label mpls 16 (version 1.1 has ATM labels only)");
  EXPECT_EQ(add([](AddBranch& m) { m.header.type = MessageType::kVpcAddBranch; }),
            "vpc add branch (not in version 1.1)");
  EXPECT_EQ(add([](AddBranch& m) {
              set_service(m, ServiceId::kCbr1, 1, {0x80, CellRate{1, 2}});
            }),
            "CBR.1 capset 1 to CBR.1 capset 1 (version 1.1 has priorities only)");
  EXPECT_EQ(add([](AddBranch& m) { m.output_selector = 2; }),
            "priorities 0 and 2 (version 1.1 has one, up to 255)");
}

TEST(V1Exists, WhatOthersCannotSayIsNamed) {
  EXPECT_EQ(v1::lacks(DeleteBranches{}),
            "0 branches to delete (version 1.1 deletes one a message)");
  DeleteAll all;
  EXPECT_EQ(v1::lacks(all), std::nullopt);
  all.header.type = MessageType::kDeleteAllOutput;
  EXPECT_EQ(v1::lacks(all), "delete all output port (not in version 1.1)");
  PortManagement port;
  EXPECT_EQ(v1::lacks(port), std::nullopt);
  port.flow_control_flags = kEventPortUp;
  EXPECT_EQ(v1::lacks(port), "flow control flags U (always on in version 1.1)");
  port.function = PortFunction::kSetTransmitRate;
  EXPECT_EQ(v1::lacks(port), "set transmit rate (not in version 1.1)");
  SwitchConfiguration configuration;
  configuration.model_types[0] = 201;
  EXPECT_EQ(v1::lacks(configuration), "mtype 201 (version 1.1 has none)");
  ConnectionActivity activity;
  activity.records.resize(121);
  EXPECT_EQ(v1::lacks(activity), "121 activity records (version 1.1 has 120 a message)");
  AllPortsPart ports;
  ports.records.resize(65);
  EXPECT_EQ(v1::lacks(ports), "65 port records (version 1.1 has 64 a message)");
  Event event;
  event.header.type = MessageType::kAdjacencyUpdate;
  EXPECT_EQ(v1::lacks(event), "adjacency update (not in version 1.1)");
}

using VersionsDeathTest = ::testing::Test;
TEST(VersionsDeathTest, AReservationIsNeverWrittenInVersion1) {
  ReservationRequest request;
  request.header.version = 1;
  wire::Buffer out;
  EXPECT_DEATH(append_frame(out, request), "reservation");
}

}  // namespace
}  // namespace xbind::gsmp
