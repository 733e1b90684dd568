#include "dataplane/oam/loopback_cell.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "../tshark.hpp"
#include "dataplane/erf.hpp"
#include "dataplane/oam/crc10.hpp"

namespace xbind::dataplane {
namespace {

std::vector<std::byte> octets_of(std::string_view text) {
  std::vector<std::byte> octets;
  for (const char letter : text) octets.push_back(static_cast<std::byte>(letter));
  return octets;
}

// Long division, bit by bit, as on paper.
std::uint32_t divided(std::span<const std::byte> octets) {
  std::uint32_t rest = 0;
  for (const std::byte octet : octets) {
    for (int bit = 7; bit >= 0; --bit) {
      rest = rest << 1 | (std::to_integer<std::uint32_t>(octet) >> bit & 1);
      if ((rest & 0x400) != 0) rest ^= 0x633;
    }
  }
  return rest;
}

std::string hex(std::span<const std::byte> octets) {
  std::string text;
  for (const std::byte octet : octets)
    text += fmt::format("{:02x}", std::to_integer<unsigned>(octet));
  return text;
}

const LoopbackCell kRequestCell{
    .request = true,
    .tag = 0x01020304,
    .location = location_id({.node = 0x112233445566, .port = PortId{7}, .label = 0x30020}),
    .source = source_id(0xa1a2a3a4a5a6a7a8)};

// The catalogue of CRCs gives 0x199 for these nine octets.
TEST(Crc10, HasTheValueOfTheCatalogue) {
  std::vector<std::byte> octets = octets_of("123456789");
  octets.push_back(std::byte{0x199 >> 2});
  octets.push_back(std::byte{(0x199 & 3) << 6});
  EXPECT_EQ(crc10(octets), 0);
  octets.back() ^= std::byte{0x40};
  EXPECT_NE(crc10(octets), 0);
}

TEST(Crc10, IsTheRemainderOfALongDivision) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::byte> octets(1 + random() % 60);
    for (std::byte& octet : octets) octet = static_cast<std::byte>(random());
    EXPECT_EQ(crc10(octets), divided(octets));
  }
}

TEST(LoopbackCellTest, HasEveryFieldAtItsPlace) {
  const Payload payload = encode_loopback(kRequestCell);
  EXPECT_EQ(hex(std::span(payload).first(46)),
            "1801"
            "01020304"
            "58010000000700030020112233445566"
            "5800000000000000a1a2a3a4a5a6a7a8"
            "6a6a6a6a6a6a6a6a");
  EXPECT_EQ(payload[46] & std::byte{0xfc}, std::byte{0});
  EXPECT_EQ(divided(payload), 0U);
}

// The cell that I.610 describes for a loopback at the end point, worked out by hand: all ones as
// location and source.
TEST(LoopbackCellTest, ToTheEndPointIsAllOnes) {
  LoopbackCell cell{.request = true, .tag = 1, .location = {}, .source = {}};
  cell.location.fill(std::byte{0xff});
  cell.source.fill(std::byte{0xff});
  const Payload payload = encode_loopback(cell);
  EXPECT_EQ(hex(payload).substr(0, 92), "180100000001" + std::string(64, 'f') + "6a6a6a6a6a6a6a6a");
  EXPECT_FALSE(point_of(cell.location));
  EXPECT_FALSE(session_of(cell.source));
  LoopbackCell read;
  ASSERT_EQ(decode_loopback(payload, read), LoopbackVerdict::kLoopback);
  EXPECT_EQ(read, cell);
}

TEST(LoopbackCellTest, IsReadAsItWasWritten) {
  for (const bool request : {true, false}) {
    LoopbackCell cell = kRequestCell;
    cell.request = request;
    LoopbackCell read;
    ASSERT_EQ(decode_loopback(encode_loopback(cell), read), LoopbackVerdict::kLoopback);
    EXPECT_EQ(read, cell);
  }
}

TEST(LoopbackCellTest, EveryWrongBitIsNoticed) {
  const Payload payload = encode_loopback(kRequestCell);
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    Payload wrong = payload;
    wrong[bit / 8] ^= static_cast<std::byte>(0x80 >> bit % 8);
    LoopbackCell read;
    EXPECT_EQ(decode_loopback(wrong, read),
              bit < 8 ? LoopbackVerdict::kOther : LoopbackVerdict::kDamaged)
        << bit;
  }
}

TEST(LoopbackCellTest, ReservedBitsMayBeSet) {
  Payload payload = encode_loopback(kRequestCell);
  payload[1] |= std::byte{0xfe};
  payload[40] = std::byte{0};
  payload[46] = std::byte{0xfc};
  payload[47] = std::byte{0};
  const std::uint32_t crc = divided(payload);
  payload[46] |= static_cast<std::byte>(crc >> 8);
  payload[47] = static_cast<std::byte>(crc & 0xff);
  LoopbackCell read;
  ASSERT_EQ(decode_loopback(payload, read), LoopbackVerdict::kLoopback);
  EXPECT_EQ(read, kRequestCell);
}

TEST(LoopbackCellTest, TsharkFindsItsCrcCorrect) {
  XB_NEEDS_TSHARK();
  wire::Buffer capture;
  ErfWriter(CaptureForm::kErf, capture)
      .cell(CaptureTime{1}, 0,
            {.header = cell_header(0, 32, kPtSegment), .payload = encode_loopback(kRequestCell)});
  const std::string text = tshark(capture, ".erf", "-V");
  EXPECT_THAT(text, ::testing::HasSubstr("Function Type: OAM Cell Loopback (8)"));
  EXPECT_THAT(text, ::testing::ContainsRegex("CRC-10: 0x3b8.*correct"));
}

TEST(LoopbackIds, ReadAsTheyWereWritten) {
  for (const Direction side : {Direction::kIn, Direction::kOut}) {
    const LoopbackPoint point{.node = node_number("switch-1"),
                              .side = side,
                              .port = PortId{0xfedcba98},
                              .label = 0x0fffffff};
    EXPECT_EQ(point_of(location_id(point)), point);
  }
  EXPECT_EQ(session_of(source_id(77)), 77U);
}

TEST(LoopbackIds, OfOtherFormsAreNotOurs) {
  EXPECT_FALSE(point_of(LoopbackId{}));
  EXPECT_FALSE(point_of(source_id(1)));
  EXPECT_FALSE(session_of(LoopbackId{}));
  EXPECT_FALSE(session_of(location_id({})));
  LoopbackId source = source_id(1);
  source[5] = std::byte{1};
  EXPECT_FALSE(session_of(source));
}

TEST(LoopbackIds, OfNodesDifferAndFitInto48Bits) {
  EXPECT_NE(node_number("switch-1"), node_number("switch-2"));
  EXPECT_NE(node_number(""), node_number("a"));
  EXPECT_EQ(node_number("switch-1") >> 48, 0U);
}

TEST(OamHeaders, AreF5ByThePayloadTypeAndF4ByTheVci) {
  for (std::uint32_t pt = 0; pt < 8; ++pt)
    EXPECT_EQ(is_f5(cell_header(0, 32, pt)), pt == kPtSegment || pt == kPtEndToEnd) << pt;
  for (std::uint32_t vci = 0; vci < 40; ++vci) {
    const bool f4 = vci == kVciSegment || vci == kVciEndToEnd;
    EXPECT_EQ(is_f4(cell_header(4095, vci, 7, true)), f4) << vci;
    EXPECT_EQ(may_be_oam(cell_header(1, vci, 3)), f4) << vci;
    EXPECT_TRUE(may_be_oam(cell_header(1, vci, kPtSegment)));
  }
}

}  // namespace
}  // namespace xbind::dataplane
