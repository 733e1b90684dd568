#include "dataplane/cells/cfr_cell.hpp"

#include <algorithm>
#include <boost/crc.hpp>

namespace xbind::dataplane {
namespace {

constexpr std::size_t kHeader = 4;
constexpr std::uint8_t kFirst = 0x80;
constexpr std::uint8_t kLast = 0x40;
constexpr std::uint8_t kHalf = 0x20;

std::uint16_t crc_of(std::span<const std::byte> octets) {
  boost::crc_ccitt_false_t crc;
  crc.process_bytes(octets.data(), octets.size());
  return static_cast<std::uint16_t>(crc.checksum());
}

void put_u16(std::byte* out, std::uint16_t value) {
  out[0] = static_cast<std::byte>(value >> 8);
  out[1] = static_cast<std::byte>(value & 0xff);
}

std::uint16_t get_u16(const std::byte* in) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(in[0]) << 8 |
                                    std::to_integer<unsigned>(in[1]));
}

}  // namespace

void encode_cfr(const CfrCell& cell, std::span<std::byte, kCfrCellOctets> octets) {
  const auto flags = static_cast<std::uint8_t>((cell.first ? kFirst : 0) | (cell.last ? kLast : 0) |
                                               (cell.half ? kHalf : 0));
  put_u16(octets.data(), cell.vci);
  put_u16(octets.data() + 2, flags);
  std::ranges::copy(cell.payload, octets.begin() + kHeader);
  put_u16(octets.data() + kHeader + kCfrPayloadOctets,
          crc_of(octets.first<kHeader + kCfrPayloadOctets>()));
}

CfrVerdict decode_cfr(std::span<const std::byte> octets, CfrCell& cell) {
  if (octets.size() != kCfrCellOctets) return CfrVerdict::kMalformed;
  const auto covered = octets.first(kHeader + kCfrPayloadOctets);
  if (crc_of(covered) != get_u16(octets.data() + covered.size())) return CfrVerdict::kCrcError;
  const std::uint16_t flags = get_u16(octets.data() + 2);
  if ((flags & ~unsigned{kFirst | kLast | kHalf}) != 0) return CfrVerdict::kMalformed;
  cell.vci = get_u16(octets.data());
  cell.first = (flags & kFirst) != 0;
  cell.last = (flags & kLast) != 0;
  cell.half = (flags & kHalf) != 0;
  std::ranges::copy(octets.subspan(kHeader, kCfrPayloadOctets), cell.payload.begin());
  return CfrVerdict::kGood;
}

}  // namespace xbind::dataplane
