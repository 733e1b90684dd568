#include "traffic/aal5.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace xbind::aal5 {
namespace {

// Counts cells as a sender would: fills PDUs and pads them.
std::uint64_t cells_by_hand(std::uint64_t frame_octets) {
  std::uint64_t cells = 0;
  while (frame_octets != 0) {
    const std::uint64_t payload = std::min(frame_octets, kPduPayloadMax);
    frame_octets -= payload;
    std::uint64_t pdu = payload + kTrailerOctets;
    while (pdu % kCellPayloadOctets != 0) ++pdu;
    cells += pdu / kCellPayloadOctets;
  }
  return cells;
}

TEST(Aal5Test, KnownFrames) {
  EXPECT_EQ(cells_of_frame(0), 0u);
  EXPECT_EQ(cells_of_frame(1), 1u);
  EXPECT_EQ(cells_of_frame(40), 1u);      // 40 + 8 = 48
  EXPECT_EQ(cells_of_frame(41), 2u);      // 49: padded to 96
  EXPECT_EQ(cells_of_frame(1500), 32u);   // 1508 = 31.4 x 48
  EXPECT_EQ(cells_of_frame(9180), 192u);  // the default MTU of IP over ATM: 9188 = 191.4 x 48
  EXPECT_EQ(cells_of_frame(65535), 1366u);
  EXPECT_EQ(cells_of_frame(65536), 1367u);  // a full PDU and one of a single octet
  EXPECT_EQ(cells_of_frame(65535 + 41), 1368u);
  EXPECT_EQ(cells_of_frame(3 * 65535), 3 * 1366u);
}

TEST(Aal5Test, EveryPduAgreesWithASendersCount) {
  for (std::uint64_t octets = 0; octets <= 2 * kPduPayloadMax + 100; ++octets) {
    ASSERT_EQ(cells_of_frame(octets), cells_by_hand(octets)) << octets;
  }
}

TEST(Aal5Test, TheLargestFrameInSoManyCellsFitsAndOneOctetMoreDoesNot) {
  EXPECT_EQ(octets_in_cells(0), 0u);
  for (std::uint64_t cells = 1; cells <= 3 * kFullPduCells; ++cells) {
    const std::uint64_t octets = octets_in_cells(cells);
    ASSERT_EQ(cells_of_frame(octets), cells) << cells;
    ASSERT_EQ(cells_of_frame(octets + 1), cells + 1) << cells;
  }
  constexpr std::uint64_t kSeed = 1363;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t cells = 1 + random() % (std::uint64_t{1} << (1 + random() % 48));
    const std::uint64_t octets = octets_in_cells(cells);
    ASSERT_EQ(cells_of_frame(octets), cells) << "seed " << kSeed;
    ASSERT_EQ(cells_of_frame(octets + 1), cells + 1) << "seed " << kSeed << " cells " << cells;
  }
}

TEST(Aal5Test, TheLargestNumberOfOctetsDoesNotOverflow) {
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(all % kPduPayloadMax, 0u);  // 2^64 - 1 is a multiple of 2^16 - 1
  EXPECT_EQ(cells_of_frame(all), all / kPduPayloadMax * 1366);
}

}  // namespace
}  // namespace xbind::aal5
