#include "dataplane/links/mpls.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../cells.hpp"
#include "../tshark.hpp"
#include "in_udp.hpp"

namespace xbind::dataplane {
namespace {

Octets mpls_datagram(const std::vector<Cell>& cells, std::uint16_t sequence = 1,
                     std::uint32_t label = 1000) {
  Octets octets(mpls_octets(cells.size()));
  encode_mpls(cells, label, sequence, octets);
  return octets;
}

class MplsReceiverTest : public ::testing::Test {
 protected:
  MplsReceiver receiver{1000};
  std::vector<Cell> cells;

  MplsVerdict decode(const Octets& octets) {
    cells.clear();
    return receiver.decode(octets, cells);
  }
  MplsVerdict numbered(std::uint16_t sequence) {
    return decode(mpls_datagram({make_cell(0, 32)}, sequence));
  }
};

TEST(Mpls, OneCellIsWrittenAsTheRfcDrawsIt) {
  const Octets octets = mpls_datagram({make_cell(0xabc, 0x1234, 0x01020304, 1)}, 0x0506, 0xfedcb);
  ASSERT_EQ(octets.size(), 60u);
  EXPECT_EQ(get_u32(octets.data()), 0xfedcb1ffU);      // label, TC 0, bottom of stack, TTL 255
  EXPECT_EQ(get_u32(octets.data() + 4), 0x00000506U);  // no flags, no length; sequence number
  EXPECT_EQ(get_u32(octets.data() + 8), 0xabc12342U);  // no HEC
  EXPECT_EQ(get_u32(octets.data() + 12), 0x01020304U);
}

TEST(Mpls, SequenceNumbersPassOverZero) {
  EXPECT_EQ(next_sequence(1), 2);
  EXPECT_EQ(next_sequence(65535), 1);
}

TEST_F(MplsReceiverTest, CellsComeBackAsTheyWere) {
  std::mt19937_64 bits(1);
  const auto any = [&] { return static_cast<std::uint32_t>(bits()); };
  std::uint16_t sequence = 65000;
  for (std::size_t count = 1; count <= 170; ++count, sequence = next_sequence(sequence)) {
    std::vector<Cell> sent;
    for (std::size_t index = 0; index < count; ++index)
      sent.push_back(make_cell(any(), any(), any(), any(), any() % 2 == 0));
    ASSERT_EQ(decode(mpls_datagram(sent, sequence)), MplsVerdict::kCells) << count;
    ASSERT_EQ(cells, sent);
  }
}

TEST_F(MplsReceiverTest, PaddingBehindAShortOneIsCutOff) {
  Octets octets = mpls_datagram({make_cell(0, 32, 5)});
  octets[5] = std::byte{56};  // control word and cell
  octets.resize(octets.size() + 40);
  EXPECT_EQ(decode(octets), MplsVerdict::kCells);
  EXPECT_EQ(words(cells), "0/32:5");
}

TEST_F(MplsReceiverTest, WhatHasAnotherShapeIsMalformed) {
  const Octets good = mpls_datagram({make_cell(0, 32), make_cell(0, 33)});
  for (std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{59}, good.size() - 1}) {
    EXPECT_EQ(decode(Octets(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))),
              MplsVerdict::kMalformed)
        << size;
  }
  Octets deeper = good;
  deeper[2] ^= std::byte{1};
  EXPECT_EQ(decode(deeper), MplsVerdict::kMalformed);
  Octets channel_word = good;
  channel_word[4] = std::byte{0x10};
  EXPECT_EQ(decode(channel_word), MplsVerdict::kMalformed);
  Octets longer = mpls_datagram({make_cell(0, 32)});
  longer[5] = std::byte{0x3f};
  EXPECT_EQ(decode(longer), MplsVerdict::kMalformed);
  Octets shorter = mpls_datagram({make_cell(0, 32)});
  shorter[5] = std::byte{4};
  EXPECT_EQ(decode(shorter), MplsVerdict::kMalformed);
  EXPECT_TRUE(cells.empty());
}

TEST_F(MplsReceiverTest, ADatagramWhoseTimeToLiveIsOverIsDropped) {
  Octets last_hop = mpls_datagram({make_cell(0, 32)});
  last_hop[3] = std::byte{1};
  EXPECT_EQ(decode(last_hop), MplsVerdict::kCells);
  Octets expired = last_hop;
  expired[3] = std::byte{0};
  EXPECT_EQ(decode(expired), MplsVerdict::kExpired);
  EXPECT_TRUE(cells.empty());
}

TEST_F(MplsReceiverTest, AnotherLabelIsSomebodyElses) {
  EXPECT_EQ(decode(mpls_datagram({make_cell(0, 32)}, 1, 1001)), MplsVerdict::kForeign);
}

TEST_F(MplsReceiverTest, WhatWasOvertakenIsDropped) {
  EXPECT_EQ(numbered(10), MplsVerdict::kCells);
  EXPECT_EQ(numbered(12), MplsVerdict::kCells);  // 11 is lost, or late
  EXPECT_EQ(numbered(11), MplsVerdict::kOutOfOrder);
  EXPECT_EQ(numbered(12), MplsVerdict::kOutOfOrder);  // repeated by the network
  EXPECT_EQ(numbered(13), MplsVerdict::kCells);
}

TEST_F(MplsReceiverTest, TheNumbersTurn) {
  EXPECT_EQ(numbered(65535), MplsVerdict::kCells);
  EXPECT_EQ(numbered(1), MplsVerdict::kCells);
  EXPECT_EQ(numbered(65535), MplsVerdict::kOutOfOrder);
  EXPECT_EQ(numbered(2), MplsVerdict::kCells);
}

TEST_F(MplsReceiverTest, ASenderThatDoesNotNumberIsHeard) {
  EXPECT_EQ(numbered(0), MplsVerdict::kCells);
  EXPECT_EQ(numbered(9), MplsVerdict::kCells);
  EXPECT_EQ(numbered(0), MplsVerdict::kCells);
}

TEST_F(MplsReceiverTest, APeerThatStartsAnewIsHeardFromItsFirstDatagramOn) {
  EXPECT_EQ(numbered(20000), MplsVerdict::kCells);
  EXPECT_EQ(numbered(1), MplsVerdict::kCells);
  EXPECT_EQ(numbered(2), MplsVerdict::kCells);
  EXPECT_EQ(numbered(20001), MplsVerdict::kCells);  // from before the restart, or 19998 were lost
}

TEST_F(MplsReceiverTest, APeerWhoseFirstDatagramWasLostIsBelievedAfterAWhile) {
  EXPECT_EQ(numbered(20000), MplsVerdict::kCells);
  for (std::uint16_t sequence = 2; sequence <= MplsReceiver::kResyncAfter + 1; ++sequence)
    EXPECT_EQ(numbered(sequence), MplsVerdict::kOutOfOrder);
  EXPECT_EQ(numbered(18), MplsVerdict::kCells);
  EXPECT_EQ(numbered(19), MplsVerdict::kCells);
}

TEST_F(MplsReceiverTest, RandomOctetsDoNoHarm) {
  std::mt19937_64 bits(7);
  for (int round = 0; round < 20000; ++round) {
    Octets octets(bits() % 300);
    for (std::byte& octet : octets) octet = static_cast<std::byte>(bits());
    if (octets.size() >= 4 && round % 2 == 0) put_u32(octets.data(), 1000U << 12 | 0x100);
    const MplsVerdict verdict = decode(octets);
    ASSERT_EQ(verdict == MplsVerdict::kCells, !cells.empty());
  }
}

// The fields of each datagram: port, label, number and length of the control word.
// Of its cells: VPI, VCI, PT, CLP.
constexpr const char* kMplsFields =
    "-d mpls.label==1000,mplspwatmn1cw -T fields -e udp.dstport -e mpls.label -e pw.cw.seqno -e "
    "pw.cw.length -e atm.vpi -e atm.vci -e atm.pti -e atm.clp -e _ws.expert.message -E "
    "separator=/s";

TEST(Mpls, TsharkReadsEveryCell) {
  XB_NEEDS_TSHARK();
  const Octets octets =
      mpls_datagram({make_cell(300, 32, 1), make_cell(4095, 65535, 2, 1, true)}, 9);
  EXPECT_EQ(tshark(in_udp(octets, kMplsUdpPort), ".pcap", kMplsFields),
            "6635 1000 9 0 300,4095 32,65535 0,1 0,1 \n");
}

TEST(Mpls, TsharkFindsNoFaultWithASingleCell) {
  XB_NEEDS_TSHARK();
  EXPECT_EQ(
      tshark(in_udp(mpls_datagram({make_cell(1, 40)}, 10), kMplsUdpPort), ".pcap", kMplsFields),
      "6635 1000 10 0 1 40 0 0 \n");
}

}  // namespace
}  // namespace xbind::dataplane
