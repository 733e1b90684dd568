#include "dataplane/links/plain.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../cells.hpp"

namespace xbind::dataplane {
namespace {

using Octets = std::array<std::byte, kCellOctets>;

Octets encoded(const Cell& cell, HeaderForm form = HeaderForm::kNni) {
  Octets octets;
  encode_plain(cell, form, octets);
  return octets;
}

TEST(PlainLine, ACellIs53OctetsWithItsHec) {
  // VPI 0xabc, VCI 0x1234, PT 1, CLP 0.
  const Octets octets = encoded(make_cell(0xabc, 0x1234, 0x01020304, 1));
  EXPECT_EQ(get_u32(octets.data()), 0xabc12342U);
  EXPECT_EQ(octets[4], std::byte{hec(0xabc12342U)});
  EXPECT_EQ(get_u32(octets.data() + 5), 0x01020304U);
}

TEST(PlainLine, AnIdleCellIsTheStandards) {
  const Octets octets = encoded(Cell{.header = 1});
  EXPECT_EQ(get_u32(octets.data()), 1u);
  EXPECT_EQ(octets[4], std::byte{0x52});
}

TEST(PlainLine, EveryCellComesBackInBothForms) {
  std::mt19937_64 bits(1);
  const auto any = [&] { return static_cast<std::uint32_t>(bits()); };
  HecReceiver receiver;
  for (int round = 0; round < 1000; ++round) {
    for (const HeaderForm form : {HeaderForm::kNni, HeaderForm::kUni}) {
      const Cell sent = make_cell(any() & (form == HeaderForm::kUni ? kUniVpiMax : kVpiMax), any(),
                                  any(), any(), any() % 2 == 0);
      Cell came;
      ASSERT_EQ(decode_plain(encoded(sent, form), form, receiver, came), PlainVerdict::kGood);
      ASSERT_EQ(came, sent);
    }
  }
}

TEST(PlainLine, WrongBitsOfTheHeaderAreMendedOrTheCellIsDropped) {
  const Cell sent = make_cell(5, 77, 8);
  Octets octets = encoded(sent);
  octets[1] ^= std::byte{0x10};
  HecReceiver receiver;
  Cell came;
  EXPECT_EQ(decode_plain(octets, HeaderForm::kNni, receiver, came), PlainVerdict::kCorrected);
  EXPECT_EQ(came, sent);
  came = {};
  EXPECT_EQ(decode_plain(octets, HeaderForm::kNni, receiver, came), PlainVerdict::kHecError);
  EXPECT_EQ(came, Cell{});
}

TEST(PlainLine, AnythingButOneCellIsMalformed) {
  std::vector<std::byte> octets(2 * kCellOctets);
  HecReceiver receiver;
  Cell came;
  for (std::size_t size : {0, 1, 52, 54, 106}) {
    EXPECT_EQ(decode_plain(std::span(octets).first(size), HeaderForm::kNni, receiver, came),
              PlainVerdict::kMalformed)
        << size;
  }
}

}  // namespace
}  // namespace xbind::dataplane
