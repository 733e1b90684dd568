#include "dataplane/cells/hec.hpp"

#include <gtest/gtest.h>

#include <random>

namespace xbind::dataplane {
namespace {

using Header = std::array<std::byte, kHeaderOctets>;

Header header_of(std::uint32_t wire) {
  Header header;
  put_u32(header.data(), wire);
  header[4] = std::byte{hec(wire)};
  return header;
}

void turn(Header& header, unsigned bit) { header[bit / 8] ^= std::byte{0x80} >> (bit % 8); }

// The division of I.432.1 bit by bit, as on paper.
unsigned divided(std::uint32_t wire) {
  std::uint64_t rest = std::uint64_t{wire} << 8;
  for (int bit = 39; bit >= 8; --bit) {
    if ((rest >> bit & 1) != 0) rest ^= std::uint64_t{0x107} << (bit - 8);
  }
  return static_cast<unsigned>(rest) ^ 0x55;
}

TEST(Hec, IsTheStandardsForIdleAndUnassignedCells) {
  EXPECT_EQ(hec(0x00000001), 0x52);  // I.432.1 table 4: 00 00 00 01 52
  EXPECT_EQ(hec(0x00000000), 0x55);  // only the coset
}

TEST(Hec, IsTheRemainderOfTheDivision) {
  std::mt19937_64 bits(1);
  for (int round = 0; round < 100000; ++round) {
    const auto wire = static_cast<std::uint32_t>(bits());
    ASSERT_EQ(hec(wire), divided(wire)) << std::hex << wire;
  }
}

TEST(Hec, AnyWrongBitIsCorrectedOnce) {
  std::mt19937_64 bits(2);
  for (unsigned bit = 0; bit < 40; ++bit) {
    const Header sent = header_of(static_cast<std::uint32_t>(bits()));
    Header came = sent;
    turn(came, bit);
    HecReceiver receiver;
    EXPECT_EQ(receiver.check(came), HecVerdict::kCorrected) << bit;
    EXPECT_EQ(came, sent) << bit;
    Header again = sent;
    turn(again, bit);
    EXPECT_EQ(receiver.check(again), HecVerdict::kDropped) << "the next one is only detected";
  }
}

TEST(Hec, AnyTwoWrongBitsAreDropped) {
  const Header sent = header_of(cell_header(0, 32));
  for (unsigned first = 0; first < 40; ++first) {
    for (unsigned second = first + 1; second < 40; ++second) {
      Header came = sent;
      turn(came, first);
      turn(came, second);
      const Header before = came;
      HecReceiver receiver;
      ASSERT_EQ(receiver.check(came), HecVerdict::kDropped) << first << " " << second;
      ASSERT_EQ(came, before);
    }
  }
}

TEST(Hec, AfterAnErrorNothingIsCorrectedUntilAHeaderIsWhole) {
  const Header good = header_of(cell_header(3, 99));
  Header wrong = good;
  turn(wrong, 17);
  HecReceiver receiver;

  Header came = wrong;
  EXPECT_EQ(receiver.check(came), HecVerdict::kCorrected);
  came = wrong;
  EXPECT_EQ(receiver.check(came), HecVerdict::kDropped);
  came = wrong;
  EXPECT_EQ(receiver.check(came), HecVerdict::kDropped);
  came = good;
  EXPECT_EQ(receiver.check(came), HecVerdict::kGood);
  came = wrong;
  EXPECT_EQ(receiver.check(came), HecVerdict::kCorrected);
}

TEST(Hec, ADroppedHeaderEndsCorrectingToo) {
  Header two = header_of(cell_header(3, 99));
  turn(two, 0);
  turn(two, 1);
  Header one = header_of(cell_header(3, 99));
  turn(one, 0);
  HecReceiver receiver;
  EXPECT_EQ(receiver.check(two), HecVerdict::kDropped);
  EXPECT_EQ(receiver.check(one), HecVerdict::kDropped);
}

}  // namespace
}  // namespace xbind::dataplane
