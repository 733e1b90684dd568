// Ethernet frames as cells and back, without an interface.
#include "dataplane/links/frame_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "../tshark.hpp"
#include "dataplane/erf.hpp"

namespace xbind::dataplane {
namespace {

using ::testing::HasSubstr;
using Octets = std::vector<std::byte>;

constexpr std::uint32_t kPort = 16;
constexpr std::uint32_t kVlan5 = 4'101;
constexpr std::uint32_t kClass7 = 8'199;

Octets octets(std::initializer_list<unsigned> values) {
  Octets made;
  for (const unsigned value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}
void append(Octets& to, const Octets& more) { to.insert(to.end(), more.begin(), more.end()); }

constexpr unsigned kIpv4 = 0x0800;

// A frame from 02::1 to 02::2 with this type; the body begins as an IPv4 header to 10.1.2.3.
Octets frame(std::size_t body, unsigned type = kIpv4, const Octets& tag = {}) {
  Octets made = octets({2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1});
  append(made, tag);
  append(made, octets({type >> 8, type & 0xff}));
  for (std::size_t at = 0; at < body; ++at) made.push_back(static_cast<std::byte>(at * 7));
  const Octets to = octets({10, 1, 2, 3});
  const std::size_t at = 14 + tag.size() + 16;
  if (made.size() >= at + 4) std::ranges::copy(to, made.begin() + static_cast<std::ptrdiff_t>(at));
  return made;
}
Octets tag_of(unsigned vid, unsigned type = 0x8100) {
  return octets({type >> 8, type & 0xff, vid >> 8, vid & 0xff});
}

std::uint32_t label_of(const Cell& cell) { return cell.header >> 4; }

class FrameLineTest : public ::testing::Test {
 protected:
  // The labels of the cells that the frame became; 0: it was dropped.
  std::uint32_t label(const ReceivedFrame& received) {
    cells.clear();
    if (!line.take_frame(received, cells)) {
      EXPECT_TRUE(cells.empty());
      return 0;
    }
    for (const Cell& cell : cells) EXPECT_EQ(label_of(cell), label_of(cells.front()));
    return label_of(cells.front());
  }
  std::uint32_t label(const Octets& octets) { return label(ReceivedFrame{.octets = octets}); }

  // The frames that the cells become, under another label.
  std::vector<Octets> frames(std::vector<Cell> of, std::uint32_t label) {
    std::vector<Octets> made;
    for (Cell& cell : of) {
      cell.header = cell_header(label >> 16, label & 0xffff, cell.pt());
      const auto frame = line.take_cell(cell);
      if (!frame.empty()) made.emplace_back(frame.begin(), frame.end());
    }
    return made;
  }
  std::uint64_t dropped(FrameDrop reason) const { return line.counters().of(reason); }

  FrameLine line{{{7, {0x0a010000, 16}}, {8, {0x0a010203, 32}}}};
  std::vector<Cell> cells;
};

TEST_F(FrameLineTest, AFrameIsOneBridgedPduOfRfc2684) {
  const Octets sent = frame(60, 0x86dd);
  EXPECT_EQ(label(sent), kPort);
  ASSERT_EQ(cells.size(), aal5_cells(sent.size() + kBridgedOctets));
  Aal5Reassembly whole;
  for (const Cell& cell : cells) {
    const bool last = &cell == &cells.back();
    ASSERT_EQ(whole.push(cell), last ? Aal5Outcome::kFrame : Aal5Outcome::kMore);
  }
  Octets expected = octets({0xaa, 0xaa, 3, 0, 0x80, 0xc2, 0, 7, 0, 0});
  append(expected, sent);
  EXPECT_TRUE(std::ranges::equal(whole.frame().octets, expected));
  EXPECT_EQ(line.counters().in, 1U);
}

TEST_F(FrameLineTest, EveryFrameComesBackAsItWas) {
  std::mt19937 bits(20261129);
  for (std::size_t body = 0; body <= 1500; body += 1 + bits() % 9) {
    const Octets sent = frame(body, 0x0806);
    ASSERT_EQ(label(sent), kPort) << body;
    EXPECT_EQ(frames(cells, kPort), std::vector<Octets>{sent}) << body;
    line.sent();
  }
  EXPECT_EQ(line.counters().in, line.counters().out);
  EXPECT_EQ(line.counters().cells_dropped_in + line.counters().cells_dropped_out, 0U);
}

TEST_F(FrameLineTest, FramesOfTwoLabelsMayInterleave) {
  const Octets one = frame(300, 0x0806);
  const Octets other = frame(301, 0x86dd);
  ASSERT_EQ(label(one), kPort);
  std::vector<Cell> first = cells;
  ASSERT_EQ(label(other), kPort);
  ASSERT_EQ(first.size(), cells.size());
  std::vector<Octets> made;
  for (std::size_t at = 0; at < first.size(); ++at) {
    for (const auto& [cell, vlan] : {std::pair{first[at], kPort}, std::pair{cells[at], kClass7}}) {
      for (const Octets& frame : frames({cell}, vlan)) made.push_back(frame);
    }
  }
  EXPECT_EQ(made, (std::vector<Octets>{one, other}));
}

TEST_F(FrameLineTest, ATagIsTheLabelAndDoesNotTravel) {
  // The tag in the frame, and taken out by the receiver; priority bits do not matter.
  EXPECT_EQ(label(frame(60, kIpv4, tag_of(5))), kVlan5);
  const std::vector<Cell> inside = cells;
  EXPECT_EQ(label(ReceivedFrame{.octets = frame(60), .tag = 0x8100'e005}), kVlan5);
  EXPECT_EQ(cells, inside);
  EXPECT_EQ(frames(cells, kPort), std::vector<Octets>{frame(60)});
  EXPECT_EQ(frames(cells, kVlan5), (std::vector<Octets>{frame(60, kIpv4, tag_of(5))}));
  EXPECT_EQ(frames(cells, 4'096 + 4'094), (std::vector<Octets>{frame(60, kIpv4, tag_of(4'094))}));
}

TEST_F(FrameLineTest, APriorityTagIsNoVlan) {
  EXPECT_EQ(label(ReceivedFrame{.octets = frame(60, 0x0806), .tag = 0x8100'a000}), kPort);
  EXPECT_EQ(label(frame(60, 0x0806, tag_of(0))), kPort);
}

TEST_F(FrameLineTest, TagsWithoutALabelAreDropped) {
  EXPECT_EQ(label(frame(60, kIpv4, tag_of(4'095))), 0U);
  EXPECT_EQ(label(ReceivedFrame{.octets = frame(60), .tag = 0x88a8'0005}), 0U);
  EXPECT_EQ(dropped(FrameDrop::kTag), 2U);
}

TEST_F(FrameLineTest, AClassIsTheLongestPrefixThatHasACall) {
  EXPECT_EQ(label(frame(60)), 8'200U) << "10.1.2.3/32";
  Octets other = frame(60);
  other[33] = std::byte{4};
  EXPECT_EQ(label(other), kClass7) << "10.1.2.4";
  other[31] = std::byte{2};
  EXPECT_EQ(label(other), kPort) << "10.2.2.4";
  EXPECT_EQ(label(frame(60, 0x0806)), kPort) << "not IPv4";
  EXPECT_EQ(label(frame(19)), kPort) << "too short for an IPv4 header";
  EXPECT_EQ(label(ReceivedFrame{.octets = frame(60), .tag = 0x8100'0005}), kVlan5) << "tagged";

  line.set_has_call([](std::uint32_t label) { return label == kClass7 || label == kPort; });
  EXPECT_EQ(label(frame(60)), kClass7);
  line.set_has_call([](std::uint32_t label) { return label == kPort; });
  EXPECT_EQ(label(frame(60)), kPort);
  EXPECT_EQ(dropped(FrameDrop::kNoCall), 0U);
}

TEST_F(FrameLineTest, AFrameForNoCallIsDropped) {
  line.set_has_call([](std::uint32_t label) { return label == kVlan5; });
  EXPECT_EQ(label(frame(60)), 0U);
  EXPECT_EQ(dropped(FrameDrop::kNoCall), 1U);
  EXPECT_EQ(line.counters().cells_dropped_in, aal5_cells(74 + kBridgedOctets));
  EXPECT_EQ(label(frame(60, kIpv4, tag_of(5))), kVlan5);
}

TEST_F(FrameLineTest, AFrameAboveTheMtuIsDroppedOnBothWays) {
  const Octets longest = frame(1500);
  const Octets longer = frame(1501);
  EXPECT_EQ(label(longer), 0U);
  EXPECT_EQ(label(ReceivedFrame{.octets = longest, .cut = true}), 0U);
  EXPECT_EQ(label(frame(1501, kIpv4, tag_of(5))), 0U);
  EXPECT_EQ(dropped(FrameDrop::kTooLong), 3U);
  EXPECT_EQ(line.counters().cells_dropped_in,
            2 * aal5_cells(longer.size() + 10) + aal5_cells(longer.size() + 14) -
                (aal5_cells(longer.size() + 10) - aal5_cells(longest.size() + 10)));
  EXPECT_NE(label(longest), 0U);
  EXPECT_NE(label(frame(1500, kIpv4, tag_of(5))), 0U);

  line.set_mtu(1600);
  ASSERT_NE(label(longer), 0U);
  line.set_mtu(1500);
  EXPECT_TRUE(frames(cells, kPort).empty());
  EXPECT_EQ(dropped(FrameDrop::kTooLong), 4U);
  EXPECT_EQ(line.counters().cells_dropped_out, cells.size());
}

TEST_F(FrameLineTest, AnEndlessFrameIsCutOff) {
  const Cell more{.header = cell_header(0, kPort)};
  for (int count = 0; count < 1'000; ++count) line.take_cell(more);
  EXPECT_EQ(dropped(FrameDrop::kTooLong), 1U);
  EXPECT_EQ(line.counters().cells_dropped_out, 1'000U);
}

TEST_F(FrameLineTest, OtherBadFramesOfTheInterfaceAreDropped) {
  EXPECT_EQ(label(octets({1, 2, 3})), 0U);
  EXPECT_EQ(label(Octets{}), 0U);
  Octets short_tag = frame(0, kIpv4, tag_of(5));
  short_tag.pop_back();
  EXPECT_EQ(label(short_tag), 0U);
  EXPECT_EQ(dropped(FrameDrop::kTooShort), 3U);
  EXPECT_EQ(label(ReceivedFrame{.octets = frame(60), .checksum_unfinished = true}), 0U);
  EXPECT_EQ(dropped(FrameDrop::kChecksum), 1U);
  EXPECT_EQ(line.counters().in, 0U);
}

TEST_F(FrameLineTest, ABrokenTrailerAndLostCellsAreDropped) {
  const Octets sent = frame(200);
  ASSERT_NE(label(sent), 0U);
  const std::vector<Cell> good = cells;
  for (const std::size_t octet : {0UL, 44UL, 47UL}) {  // of the last cell: pad, CRC
    std::vector<Cell> bad = good;
    bad.back().payload[octet] ^= std::byte{1};
    EXPECT_TRUE(frames(bad, kPort).empty());
  }
  EXPECT_EQ(dropped(FrameDrop::kBadTrailer), 3U);
  EXPECT_EQ(line.counters().cells_dropped_out, 3 * good.size());

  std::vector<Cell> without_one(good.begin() + 1, good.end());
  EXPECT_TRUE(frames(without_one, kPort).empty());
  // Without its last cell a frame spoils the next one, and no other.
  std::vector<Cell> two(good.begin(), good.end() - 1);
  two.insert(two.end(), good.begin(), good.end());
  EXPECT_TRUE(frames(two, kPort).empty());
  EXPECT_EQ(dropped(FrameDrop::kBadTrailer), 5U);
  EXPECT_EQ(frames(good, kPort).size(), 1U);
}

TEST_F(FrameLineTest, WhatIsNoBridgedFrameIsDropped) {
  const auto pdu = [](const Octets& octets) {
    std::vector<Cell> made;
    EXPECT_TRUE(aal5_segment(octets, {.vci = kPort}, made).has_value());
    return made;
  };
  Octets routed = octets({0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0, 0});
  append(routed, frame(60));
  EXPECT_TRUE(frames(pdu(routed), kPort).empty());
  EXPECT_TRUE(frames(pdu(octets({0xaa, 0xaa, 3, 0, 0x80, 0xc2, 0, 7, 0, 0, 1})), kPort).empty());
  EXPECT_EQ(dropped(FrameDrop::kBadHeader), 2U);
  ASSERT_NE(label(frame(60)), 0U);
  EXPECT_TRUE(frames(cells, 17).empty()) << "a label that stands for no frames";
  EXPECT_EQ(dropped(FrameDrop::kBadHeader), 3U);
}

TEST_F(FrameLineTest, CellsThatAreNoUserDataEndHere) {
  for (const std::uint32_t pt : {4U, 5U, 6U}) {
    EXPECT_TRUE(line.take_cell({.header = cell_header(0, kPort, pt)}).empty());
  }
  ASSERT_NE(label(frame(60)), 0U);
  EXPECT_EQ(frames(cells, kPort).size(), 1U);
  EXPECT_EQ(line.counters().cells_dropped_out, 0U);
}

TEST_F(FrameLineTest, WhatWasNotSentIsCounted) {
  std::vector<FrameDrop> seen;
  line.set_on_drop([&](FrameDrop reason) { seen.push_back(reason); });
  line.not_sent(frame(60), FrameDrop::kNotSent);
  EXPECT_EQ(seen, std::vector{FrameDrop::kNotSent});
  EXPECT_EQ(dropped(FrameDrop::kNotSent), 1U);
  EXPECT_EQ(line.counters().cells_dropped_out, 2U);
  EXPECT_EQ(line.counters().out, 0U);
}

TEST_F(FrameLineTest, EveryReasonHasItsWord) {
  std::set<std::string_view> words;
  for (std::size_t index = 0; index < kFrameDrops; ++index)
    words.insert(to_string(static_cast<FrameDrop>(index)));
  EXPECT_EQ(words.size(), kFrameDrops);
  EXPECT_EQ(to_string(FrameDrop::kBadTrailer), "bad_trailer");
  EXPECT_EQ(to_string(FrameDrop::kNoCall), "no_call");
}

TEST_F(FrameLineTest, TsharkFindsArpInsideACorrectPdu) {
  XB_NEEDS_TSHARK();
  Octets arp =
      octets({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2,  0,  0, 0, 0, 1, 8, 6,  //
              0,    1,    8,    0,    6,    4,    0,  1,                     //
              2,    0,    0,    0,    0,    1,    10, 77, 0, 1, 0, 0, 0, 0, 0, 0, 10, 77, 0, 2});
  ASSERT_EQ(label(arp), kPort);
  Aal5Reassembly whole;
  for (const Cell& cell : cells) whole.push(cell);
  wire::Buffer file;
  ErfWriter writer(CaptureForm::kErf, file);
  writer.aal5({}, 0, 1, kPort, whole.frame().pdu);  // VPI 0, VCI 16 is ILMI for tshark
  const std::string read = tshark(file, ".erf", "-V");
  EXPECT_THAT(read, HasSubstr("(correct)"));
  EXPECT_THAT(read, HasSubstr("Target IP address: 10.77.0.2"));
}

}  // namespace
}  // namespace xbind::dataplane
