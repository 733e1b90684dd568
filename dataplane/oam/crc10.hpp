// The CRC-10 of OAM cells (ITU-T I.610): the remainder of a division by
// x^10 + x^9 + x^5 + x^4 + x + 1, from 0, with nothing added.
//
// Values only; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace xbind::dataplane {

namespace crc10_detail {

inline constexpr std::uint32_t kMask = 0x3ff;
inline constexpr std::uint32_t kPolynomial = 0x233;  // without x^10

// The remainder of each octet, ten places to the left.
constexpr std::array<std::uint16_t, 256> remainders() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t octet = 0; octet < table.size(); ++octet) {
    std::uint32_t rest = octet << 2;
    for (int bit = 0; bit < 8; ++bit)
      rest = (rest << 1 ^ ((rest & 0x200) != 0 ? kPolynomial : 0)) & kMask;
    table[octet] = static_cast<std::uint16_t>(rest);
  }
  return table;
}
inline constexpr auto kRemainders = remainders();

}  // namespace crc10_detail

// The remainder of the octets as one number. If the last ten bits are 0, it is the CRC that belongs
// there; if the CRC is there, it is 0.
constexpr std::uint16_t crc10(std::span<const std::byte> octets) {
  std::uint32_t rest = 0;
  for (const std::byte octet : octets) {
    const std::uint32_t lower =
        (rest << 8 & crc10_detail::kMask) | std::to_integer<std::uint32_t>(octet);
    rest = lower ^ crc10_detail::kRemainders[rest >> 2];
  }
  return static_cast<std::uint16_t>(rest);
}

}  // namespace xbind::dataplane
