// Cells of the Cambridge Fast Ring, octet by octet.
#include "dataplane/cells/cfr_cell.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
namespace xbind::dataplane {
namespace {

using CfrOctets = std::array<std::byte, kCfrCellOctets>;

CfrCell some_cell() {
  CfrCell cell{.vci = 0x1234, .first = true, .last = true, .half = true};
  for (std::size_t at = 0; at < cell.payload.size(); ++at) {
    cell.payload[at] = static_cast<std::byte>(at);
  }
  return cell;
}

CfrOctets encoded(const CfrCell& cell) {
  CfrOctets octets;
  encode_cfr(cell, octets);
  return octets;
}

// Written by hand from the drawing in the header; the CRC by another implementation (Python's
// binascii.crc_hqx, initial value FFFF).
TEST(CfrCell, IsWrittenOctetByOctet) {
  const CfrOctets octets = encoded(some_cell());
  EXPECT_EQ(std::to_integer<int>(octets[0]), 0x12);
  EXPECT_EQ(std::to_integer<int>(octets[1]), 0x34);
  EXPECT_EQ(std::to_integer<int>(octets[2]), 0);
  EXPECT_EQ(std::to_integer<int>(octets[3]), 0xe0);
  EXPECT_EQ(std::to_integer<int>(octets[4]), 0x00);
  EXPECT_EQ(std::to_integer<int>(octets[35]), 0x1f);
  EXPECT_EQ(std::to_integer<int>(octets[36]), 0x11);
  EXPECT_EQ(std::to_integer<int>(octets[37]), 0xc6);
}

TEST(CfrCell, IsReadAsWritten) {
  for (const bool first : {false, true}) {
    for (const bool last : {false, true}) {
      for (const bool half : {false, true}) {
        CfrCell cell = some_cell();
        cell.first = first;
        cell.last = last;
        cell.half = half;
        CfrCell read;
        EXPECT_EQ(decode_cfr(encoded(cell), read), CfrVerdict::kGood);
        EXPECT_EQ(read, cell);
      }
    }
  }
}

TEST(CfrCell, AnyWrongBitIsFound) {
  const CfrOctets good = encoded(some_cell());
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    CfrOctets bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    CfrCell read;
    EXPECT_EQ(decode_cfr(bad, read), CfrVerdict::kCrcError) << "bit " << bit;
    EXPECT_EQ(read, CfrCell{}) << "bit " << bit;
  }
}

TEST(CfrCell, OtherLengthsAndUnknownFlagsAreNoCell) {
  const CfrOctets good = encoded(some_cell());
  CfrCell read;
  EXPECT_EQ(decode_cfr(std::span(good).first(kCfrCellOctets - 1), read), CfrVerdict::kMalformed);
  std::array<std::byte, kCfrCellOctets + 1> longer{};
  std::ranges::copy(good, longer.begin());
  EXPECT_EQ(decode_cfr(longer, read), CfrVerdict::kMalformed);
  EXPECT_EQ(decode_cfr({}, read), CfrVerdict::kMalformed);
  // Flag 0x10 with the CRC of these octets.
  CfrOctets unknown = encoded(CfrCell{});
  unknown[3] = std::byte{0x10};
  unknown[36] = std::byte{0xdd};
  unknown[37] = std::byte{0xfd};
  EXPECT_EQ(decode_cfr(unknown, read), CfrVerdict::kMalformed);
}

TEST(CfrCell, HalfACellHas16Octets) {
  EXPECT_EQ(some_cell().data().size(), 16U);
  EXPECT_EQ(CfrCell{}.data().size(), 32U);
}

}  // namespace
}  // namespace xbind::dataplane
