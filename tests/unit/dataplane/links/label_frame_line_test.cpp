// Frames with MPLS labels as cells and back, without an interface: a line to a bridge. Its cells
// are those of a line to a host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../tshark.hpp"
#include "dataplane/erf.hpp"
#include "dataplane/links/frame_line.hpp"
#include "dataplane/links/mpls_frame.hpp"

namespace xbind::dataplane {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kLabelOfCall = 1'000;
constexpr std::uint32_t kLabelAboveVci = 0xfffff;  // in VPI and VCI
constexpr unsigned kLastOfStack = 0x140;           // S = 1, TTL 64: what push_mpls sends

struct LabelFrame {
  std::uint32_t label = kLabelOfCall;
  unsigned flags = kLastOfStack;  // TC, S and TTL
  unsigned type = 0x8847;
  std::size_t packet = 84;
  unsigned version = 4;

  // The host's frame, whose label was not pushed or is popped.
  std::vector<std::byte> host() const { return with({}, 0x0800); }
  std::vector<std::byte> octets() const {
    const std::uint32_t entry = label << 12 | flags;
    return with({std::byte(entry >> 24), std::byte(entry >> 16 & 0xff),
                 std::byte(entry >> 8 & 0xff), std::byte(entry & 0xff)},
                type);
  }

 private:
  std::vector<std::byte> with(const std::vector<std::byte>& between, unsigned of_type) const {
    std::vector<std::byte> made;
    for (const unsigned octet : {2, 0x78, 0x62, 0, 0, 4, 2, 0x78, 0x62, 0, 0, 1})
      made.push_back(static_cast<std::byte>(octet));
    made.push_back(static_cast<std::byte>(of_type >> 8));
    made.push_back(static_cast<std::byte>(of_type & 0xff));
    made.insert(made.end(), between.begin(), between.end());
    for (std::size_t at = 0; at < packet; ++at)
      made.push_back(static_cast<std::byte>(at == 0 ? version << 4 | 5 : at * 11));
    return made;
  }
};

class LabelFrameLineTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kDropped = 0;
  std::uint32_t taken(const ReceivedFrame& received) {
    cells.clear();
    if (!trunk.take_frame(received, cells)) {
      EXPECT_TRUE(cells.empty());
      return kDropped;
    }
    for (const Cell& cell : cells) EXPECT_EQ(cell.header >> 4, cells.front().header >> 4);
    return cells.front().header >> 4;
  }
  std::uint32_t taken(const LabelFrame& frame) {
    const auto octets = frame.octets();
    return taken(ReceivedFrame{.octets = octets});
  }
  std::vector<std::byte> sent_by(FrameLine& line, std::uint32_t label) {
    std::vector<std::byte> sent;
    for (Cell cell : cells) {
      cell.header = cell_header(label >> 16, label & 0xffff, cell.pt());
      const auto frame = line.take_cell(cell);
      if (!frame.empty()) sent.assign(frame.begin(), frame.end());
    }
    return sent;
  }
  // A PDU with the frame of a host becomes cells.
  void host_sends(const std::vector<std::byte>& octets) {
    cells.clear();
    ASSERT_TRUE(host.take_frame({.octets = octets}, cells));
  }
  std::uint64_t dropped(FrameDrop reason) const { return trunk.counters().of(reason); }

  FrameLine trunk{{}, FrameLine::Form::kLabels};
  FrameLine host{{}};
  std::vector<Cell> cells;
};

TEST_F(LabelFrameLineTest, ABridgesFrameIsTheHostsFrameAtTheOtherEnd) {
  EXPECT_EQ(taken(LabelFrame{}), kLabelOfCall);
  EXPECT_EQ(sent_by(host, 16), LabelFrame{}.host());
  EXPECT_EQ(trunk.counters().in, 1U);
  EXPECT_EQ(taken(LabelFrame{.label = kLabelAboveVci}), kLabelAboveVci);
  EXPECT_EQ(sent_by(host, 16), LabelFrame{}.host());
}

TEST_F(LabelFrameLineTest, AHostsFrameGetsTheLabelOfItsConnection) {
  for (const std::uint32_t label : {kMplsLabelMin, kLabelOfCall, 65'536U, kLabelAboveVci}) {
    host_sends(LabelFrame{}.host());
    EXPECT_EQ(sent_by(trunk, label), (LabelFrame{.label = label, .flags = 0x1ff}.octets()))
        << "the only label, TTL 255";
    trunk.sent();
  }
  EXPECT_EQ(trunk.counters().out, 4U);
}

TEST_F(LabelFrameLineTest, EveryLengthComesBackAsItWas) {
  trunk.set_mtu(1'600);
  for (std::size_t packet = 20; packet <= 1'500; packet += 7) {
    const LabelFrame frame{.flags = 0x1ff, .packet = packet};
    ASSERT_EQ(taken(frame), kLabelOfCall) << packet;
    EXPECT_EQ(sent_by(trunk, kLabelOfCall), frame.octets()) << packet;
  }
}

TEST_F(LabelFrameLineTest, WhatCannotCrossFromTheBridgeIsDroppedByReason) {
  const std::vector<std::pair<LabelFrame, FrameDrop>> bad{
      {{.type = 0x0806}, FrameDrop::kNotMpls},
      {{.type = 0x86dd}, FrameDrop::kNotMpls},
      {{.type = 0x8848}, FrameDrop::kNotMpls},
      {{.flags = 0x040}, FrameDrop::kLabel},  // another label below
      {{.label = 15}, FrameDrop::kLabel},
      {{.label = 0}, FrameDrop::kLabel},
      {{.flags = 0x100}, FrameDrop::kExpired},
      {{.version = 6}, FrameDrop::kNotIpv4},
      {{.version = 0}, FrameDrop::kNotIpv4},  // a pseudowire's control word
      {{.packet = 19}, FrameDrop::kTooShort},
      {{.packet = 0}, FrameDrop::kTooShort},
      {{.packet = 1'497}, FrameDrop::kTooLong},
  };
  for (const auto& [frame, reason] : bad) {
    const std::uint64_t before = dropped(reason);
    const std::uint64_t cells_before = trunk.counters().cells_dropped_in;
    EXPECT_EQ(taken(frame), kDropped) << to_string(reason);
    EXPECT_EQ(dropped(reason), before + 1) << to_string(reason);
    EXPECT_GT(trunk.counters().cells_dropped_in, cells_before);
  }
  EXPECT_EQ(taken(LabelFrame{.packet = 1'496}), kLabelOfCall) << "with its label 1500 octets";
  EXPECT_EQ(trunk.counters().in, 1U);
}

TEST_F(LabelFrameLineTest, OtherBadFramesAreThoseOfEveryInterface) {
  const auto good = LabelFrame{}.octets();
  EXPECT_EQ(taken({.octets = std::span(good).first(13)}), kDropped);
  EXPECT_EQ(dropped(FrameDrop::kTooShort), 1U);
  EXPECT_EQ(taken({.octets = good, .cut = true}), kDropped);
  EXPECT_EQ(dropped(FrameDrop::kTooLong), 1U);
  EXPECT_EQ(taken({.octets = good, .checksum_unfinished = true}), kDropped);
  EXPECT_EQ(dropped(FrameDrop::kChecksum), 1U);
  // A tag, taken out by the kernel or not. VLAN 0 is a priority alone.
  EXPECT_EQ(taken({.octets = good, .tag = 0x8100'0005}), kDropped);
  EXPECT_EQ(taken({.octets = good, .tag = 0x88a8'0000}), kDropped);
  auto tagged = good;
  for (const unsigned octet : {0x05, 0x00, 0x00, 0x81})
    tagged.insert(tagged.begin() + 12, static_cast<std::byte>(octet));
  EXPECT_EQ(taken({.octets = tagged}), kDropped);
  EXPECT_EQ(dropped(FrameDrop::kTag), 3U);
  EXPECT_EQ(taken({.octets = good, .tag = 0x8100'e000}), kLabelOfCall);
}

TEST_F(LabelFrameLineTest, ALabelOfNoConnectionIsDropped) {
  trunk.set_has_call([](std::uint32_t label) { return label == kLabelOfCall; });
  EXPECT_EQ(taken(LabelFrame{.label = 1'001}), kDropped);
  EXPECT_EQ(dropped(FrameDrop::kNoCall), 1U);
  EXPECT_EQ(taken(LabelFrame{}), kLabelOfCall);
}

TEST_F(LabelFrameLineTest, WhatCannotCrossToTheBridgeIsDroppedByReason) {
  auto arp = LabelFrame{}.host();
  arp[13] = std::byte{6};
  host_sends(arp);
  EXPECT_TRUE(sent_by(trunk, kLabelOfCall).empty());
  EXPECT_EQ(dropped(FrameDrop::kNotIpv4), 1U);
  EXPECT_EQ(trunk.counters().cells_dropped_out, cells.size());
  for (const LabelFrame& frame : {LabelFrame{.packet = 19}, LabelFrame{.version = 6}}) {
    host_sends(frame.host());
    EXPECT_TRUE(sent_by(trunk, kLabelOfCall).empty());
  }
  EXPECT_EQ(dropped(FrameDrop::kNotIpv4), 3U);
  for (const std::uint32_t label : {15U, 0x100000U}) {
    host_sends(LabelFrame{}.host());
    EXPECT_TRUE(sent_by(trunk, label).empty());
  }
  EXPECT_EQ(dropped(FrameDrop::kLabel), 2U);
  // The label needs room.
  host_sends(LabelFrame{.packet = 1'497}.host());
  EXPECT_TRUE(sent_by(trunk, kLabelOfCall).empty());
  EXPECT_EQ(dropped(FrameDrop::kTooLong), 1U);
  host_sends(LabelFrame{.packet = 1'496}.host());
  EXPECT_EQ(sent_by(trunk, kLabelOfCall).size(), 1'514U);
  // A wrong CRC, and a PDU that is no frame.
  cells.back().payload[47] ^= std::byte{1};
  EXPECT_TRUE(sent_by(trunk, kLabelOfCall).empty());
  EXPECT_EQ(dropped(FrameDrop::kBadTrailer), 1U);
  cells.clear();
  ASSERT_TRUE(aal5_segment(std::vector<std::byte>(40), {}, cells).has_value());
  EXPECT_TRUE(sent_by(trunk, kLabelOfCall).empty());
  EXPECT_EQ(dropped(FrameDrop::kBadHeader), 1U);
}

TEST_F(LabelFrameLineTest, OamEndsHereAndIsCounted) {
  std::vector<FrameDrop> seen;
  trunk.set_on_drop([&](FrameDrop reason) { seen.push_back(reason); });
  for (const std::uint32_t pt : {4U, 5U, 6U})
    EXPECT_TRUE(trunk.take_cell({.header = cell_header(0, kLabelOfCall, pt)}).empty());
  EXPECT_EQ(seen, std::vector(3, FrameDrop::kOam));
  EXPECT_EQ(trunk.counters().cells_dropped_out, 3U);
  host_sends(LabelFrame{}.host());
  EXPECT_FALSE(sent_by(trunk, kLabelOfCall).empty()) << "frames go on";
}

TEST_F(LabelFrameLineTest, MutatedFramesNeverBecomeAnother) {
  std::mt19937 bits(20261129);
  for (int round = 0; round < 5'000; ++round) {
    auto octets = LabelFrame{.packet = 20 + bits() % 60}.octets();
    for (unsigned count = bits() % 4; count > 0; --count)
      octets[bits() % std::min<std::size_t>(octets.size(), 20)] = static_cast<std::byte>(bits());
    octets.resize(bits() % 8 == 0 ? bits() % (octets.size() + 1) : octets.size());
    const std::uint32_t label = taken({.octets = octets});
    if (label == kDropped) continue;
    ASSERT_GE(label, kMplsLabelMin);
    ASSERT_LE(label, kMplsLabelMax);
    const auto again = sent_by(trunk, label);
    if (octets[12] == std::byte{0x81}) continue;  // a priority tag does not travel
    octets[16] |= std::byte{1};                   // S, the rest of TC, TTL
    octets[16] &= std::byte{0xf1};
    octets[17] = std::byte{255};
    ASSERT_EQ(again, octets) << round;
  }
}

TEST_F(LabelFrameLineTest, TsharkFindsIpv4UnderTheLabel) {
  XB_NEEDS_TSHARK();
  ASSERT_EQ(taken(LabelFrame{}), kLabelOfCall);
  Aal5Reassembly whole;
  for (const Cell& cell : cells) whole.push(cell);
  wire::Buffer file;
  ErfWriter writer(CaptureForm::kErf, file);
  writer.aal5({}, 0, 1, kLabelOfCall, whole.frame().pdu);
  const std::string read = tshark(file, ".erf", "-V");
  EXPECT_THAT(read, HasSubstr("(correct)"));
  EXPECT_THAT(read, HasSubstr("Internet Protocol Version 4"));
}

}  // namespace
}  // namespace xbind::dataplane
