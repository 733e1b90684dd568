#include "dataplane/cells/hec.hpp"

namespace xbind::dataplane {
namespace {

constexpr std::uint8_t kPolynomial = 0x07;
constexpr std::uint8_t kCoset = 0x55;

// remainders[n][octet]: the remainder of `octet` followed by n zero octets.
constexpr auto kRemainders = [] {
  std::array<std::array<std::uint8_t, 256>, 4> remainders{};
  for (unsigned octet = 0; octet < 256; ++octet) {
    auto rest = static_cast<std::uint8_t>(octet);
    for (auto& row : remainders) {
      for (int bit = 0; bit < 8; ++bit) {
        rest = static_cast<std::uint8_t>((rest & 0x80) != 0 ? rest << 1 ^ kPolynomial : rest << 1);
      }
      row[octet] = rest;
    }
  }
  return remainders;
}();

constexpr std::uint8_t remainder_of(std::uint32_t wire) {
  return kRemainders[3][wire >> 24] ^ kRemainders[2][wire >> 16 & 0xff] ^
         kRemainders[1][wire >> 8 & 0xff] ^ kRemainders[0][wire & 0xff];
}

// Position of the wrong header bit, from 0 (first bit of octet 0) to 39 (last bit of the HEC), by
// the difference between the received and the computed HEC.
constexpr std::uint8_t kNoSingleBit = 0xff;
constexpr auto kWrongBit = [] {
  std::array<std::uint8_t, 256> bits{};
  bits.fill(kNoSingleBit);
  for (unsigned bit = 0; bit < 32; ++bit)
    bits[remainder_of(0x80000000U >> bit)] = static_cast<std::uint8_t>(bit);
  for (unsigned bit = 0; bit < 8; ++bit) bits[0x80U >> bit] = static_cast<std::uint8_t>(32 + bit);
  return bits;
}();

}  // namespace

std::uint8_t hec(std::uint32_t wire_header) { return remainder_of(wire_header) ^ kCoset; }

HecVerdict HecReceiver::check(std::span<std::byte, kHeaderOctets> header) {
  const auto difference = static_cast<std::uint8_t>(hec(get_u32(header.data())) ^
                                                    std::to_integer<std::uint8_t>(header[4]));
  if (difference == 0) {
    correcting_ = true;
    return HecVerdict::kGood;
  }
  const bool may_correct = correcting_;
  correcting_ = false;
  const std::uint8_t bit = kWrongBit[difference];
  if (!may_correct || bit == kNoSingleBit) return HecVerdict::kDropped;
  header[bit / 8] ^= std::byte{0x80} >> (bit % 8);
  return HecVerdict::kCorrected;
}

}  // namespace xbind::dataplane
