#include "dataplane/links/lsp.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../cells.hpp"
#include "../tshark.hpp"
#include "dataplane/links/mpls.hpp"
#include "in_udp.hpp"

namespace xbind::dataplane {
namespace {

Cell labelled(std::uint32_t label, std::uint32_t number = 0, std::uint32_t pt = 0,
              bool clp = false) {
  return make_cell(label >> 16, label & 0xffff, number, pt, clp);
}

Octets datagram(const std::vector<Cell>& cells) {
  Octets octets(lsp_octets(cells.size()));
  encode_lsp(cells, octets);
  return octets;
}

class Lsp : public ::testing::Test {
 protected:
  std::vector<Cell> cells;

  LspVerdict decode(const Octets& octets) {
    cells.clear();
    return decode_lsp(octets, cells);
  }
};

TEST_F(Lsp, TwoCellsAreWrittenAsTheRfcDrawsThem) {
  const Octets octets = datagram({labelled(0xfedcb, 0x01020304, 1, true), labelled(0xfedcb, 5)});
  ASSERT_EQ(octets.size(), 105u);
  EXPECT_EQ(get_u32(octets.data()), 0xfedcb1ffU);       // label, TC 0, bottom of stack, TTL 255
  EXPECT_EQ(get_u32(octets.data() + 4), 0x00000003U);   // no number; M 0, V 0, PTI 1, C 1
  EXPECT_EQ(get_u32(octets.data() + 8), 0x01020304U);   // no header, no HEC
  EXPECT_EQ(get_u32(octets.data() + 56), 0x00000000U);  // PTI 0, C 0; then the second payload
  EXPECT_EQ(octets[60], std::byte{5});
}

TEST_F(Lsp, CellsComeBackAsTheyWere) {
  std::mt19937_64 bits(1);
  const auto any = [&] { return static_cast<std::uint32_t>(bits()); };
  for (std::size_t count = 1; count <= kLspCellsMax; ++count) {
    const std::uint32_t label = std::max(any() >> 12, kMplsLabelMin);
    std::vector<Cell> sent;
    for (std::size_t index = 0; index < count; ++index)
      sent.push_back(labelled(label, any(), any(), any() % 2 == 0));
    ASSERT_EQ(decode(datagram(sent)), LspVerdict::kCells) << count;
    ASSERT_EQ(cells, sent);
  }
}

TEST_F(Lsp, LabelsBeyondTwentyBitsAndReservedOnesAreNone) {
  EXPECT_FALSE(has_lsp_label(labelled(15)));
  EXPECT_TRUE(has_lsp_label(labelled(16)));
  EXPECT_TRUE(has_lsp_label(labelled(0xfffff)));
  EXPECT_FALSE(has_lsp_label(labelled(0x100000)));
}

TEST_F(Lsp, NumbersAndReservedBitsOfAPeerAreIgnored) {
  Octets octets = datagram({labelled(16, 7)});
  octets[4] = std::byte{0x0f};
  octets[6] = std::byte{9};
  octets[7] = std::byte{0x30};
  EXPECT_EQ(decode(octets), LspVerdict::kCells);
  EXPECT_EQ(words(cells), "0/16:7");
}

TEST_F(Lsp, WhatHasAnotherShapeIsMalformed) {
  const Octets good = datagram({labelled(16), labelled(16)});
  for (std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{55}, good.size() - 1}) {
    EXPECT_EQ(decode(Octets(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))),
              LspVerdict::kMalformed)
        << size;
  }
  const auto with = [&](std::size_t place, unsigned octet) {
    Octets damaged = good;
    damaged[place] = static_cast<std::byte>(octet);
    return decode(damaged);
  };
  EXPECT_EQ(with(2, 0x00), LspVerdict::kMalformed);   // another label stack entry follows
  EXPECT_EQ(with(1, 0x00), LspVerdict::kMalformed);   // label 0: reserved
  EXPECT_EQ(with(4, 0x10), LspVerdict::kMalformed);   // an associated channel, not cells
  EXPECT_EQ(with(7, 0x80), LspVerdict::kMalformed);   // an AAL5 frame
  EXPECT_EQ(with(7, 0x40), LspVerdict::kMalformed);   // VPC service
  EXPECT_EQ(with(56, 0x40), LspVerdict::kMalformed);  // only the second cell
  EXPECT_TRUE(cells.empty());
  std::vector<Cell> many(kLspCellsMax, labelled(16));
  Octets longer = datagram(many);
  longer.resize(longer.size() + kLspCellOctets);
  EXPECT_EQ(decode(longer), LspVerdict::kMalformed);
}

TEST_F(Lsp, ADatagramWhoseTimeToLiveIsOverIsDropped) {
  Octets last_hop = datagram({labelled(16)});
  last_hop[3] = std::byte{1};
  EXPECT_EQ(decode(last_hop), LspVerdict::kCells);
  Octets expired = last_hop;
  expired[3] = std::byte{0};
  EXPECT_EQ(decode(expired), LspVerdict::kExpired);
  EXPECT_TRUE(cells.empty());
}

TEST_F(Lsp, RandomOctetsDoNoHarm) {
  std::mt19937_64 bits(7);
  for (int round = 0; round < 20000; ++round) {
    Octets octets(round % 2 == 0 ? lsp_octets(1 + bits() % 4) : bits() % 300);
    for (std::byte& octet : octets) octet = static_cast<std::byte>(bits());
    const LspVerdict verdict = decode(octets);
    ASSERT_EQ(verdict == LspVerdict::kCells, !cells.empty());
    for (const Cell& cell : cells) ASSERT_TRUE(has_lsp_label(cell));
  }
}

// The fields of each datagram: port, label, whether it is one-to-one VCC service, number, good
// cells. Then PT and CLP of its cells, then the errors.
constexpr const char* kLspFields =
    "-d mpls.label==1000,mplspwatm11_or_aal5pdu -T fields -e udp.dstport -e mpls.label "
    "-e pw.type.atm.11vcc -e pw.cw.seqno -e pw.atm.11.cells -e atm.pti -e atm.clp "
    "-e atm.cell_broken -e pw.payload.size_invalid -E separator=/s";

TEST_F(Lsp, TsharkReadsEveryCell) {
  XB_NEEDS_TSHARK();
  const Octets octets = datagram({labelled(1000, 1), labelled(1000, 2, 1, true)});
  EXPECT_EQ(tshark(in_udp(octets, kMplsUdpPort), ".pcap", kLspFields),
            "6635 1000 1 0 2 0,1 0,1  \n");
}

TEST_F(Lsp, TsharkFindsNoFaultWithASingleCell) {
  XB_NEEDS_TSHARK();
  EXPECT_EQ(tshark(in_udp(datagram({labelled(1000, 1, 4)}), kMplsUdpPort), ".pcap", kLspFields),
            "6635 1000 1 0 1 4 0  \n");
}

}  // namespace
}  // namespace xbind::dataplane
