// The cell of the Cambridge Fast Ring (CFR): 38 octets, 4 of header, 32 of payload and 2 of CRC.
//
//   | VCI 16 | 0 | flags 8 | payload 32 octets | CRC 16 |
//
//   flags, from the highest bit: first cell of a frame, last cell of a frame, half: only the first
//   16 octets of the payload count. The others are 0.
//
// Only these lengths are published (the Fairisle paper, "Performance of the Fairisle port
// controller"). VCI, flags and CRC are this project's choice: the laboratory's notes have two
// octets of VCI and two of flags, whose second has the first two of these bits; "half" is ours: it
// distinguishes padding from data. The CRC is CRC-16/CCITT-FALSE over the octets before it.
//
// Values only; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace xbind::dataplane {

inline constexpr std::size_t kCfrPayloadOctets = 32;
inline constexpr std::size_t kCfrHalfOctets = kCfrPayloadOctets / 2;
inline constexpr std::size_t kCfrCellOctets = 38;

struct CfrCell {
  std::uint16_t vci = 0;
  bool first = false;
  bool last = false;
  bool half = false;
  std::array<std::byte, kCfrPayloadOctets> payload{};

  // The octets that count.
  std::span<const std::byte> data() const {
    return std::span(payload).first(half ? kCfrHalfOctets : kCfrPayloadOctets);
  }
  friend bool operator==(const CfrCell&, const CfrCell&) = default;
};

void encode_cfr(const CfrCell& cell, std::span<std::byte, kCfrCellOctets> octets);

enum class CfrVerdict : std::uint8_t {
  kGood,
  kCrcError,   // no cell
  kMalformed,  // no cell: not 38 octets, or a bit that means nothing is set
};
// `cell` is set with kGood only.
CfrVerdict decode_cfr(std::span<const std::byte> octets, CfrCell& cell);

}  // namespace xbind::dataplane
