// The traffic parameters that may follow an Add Branch (RFC 3292 section 10.4).
//
// The block is kept as it came, so that a response copies it exactly; the one form we read is that
// of CBR and UBR, where a single block serves both directions (P = 1):
//
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |U|D|I|E|S|V|P|x|                   x                           |  TC flags
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       x       |      PCR, cells a second (24 bits)            |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       x       |      CDVT, microseconds (24 bits)             |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace xbind::gsmp {

// Two blocks of the longest service (MPLS CR-LDP): what is beyond is additional data, and dropped.
inline constexpr std::size_t kTrafficOctetsMax = 2 * (4 + 24);

// Octets kept inside the message: decoding an Add Branch never allocates.
class TrafficOctets {
 public:
  void assign(std::span<const std::byte> octets) {
    size_ = static_cast<std::uint8_t>(std::min(octets.size(), kTrafficOctetsMax));
    std::copy_n(octets.begin(), size_, octets_.begin());
  }
  std::span<const std::byte> view() const { return std::span(octets_).first(size_); }
  bool empty() const { return size_ == 0; }
  friend bool operator==(const TrafficOctets& a, const TrafficOctets& b) {
    return std::ranges::equal(a.view(), b.view());
  }

 private:
  std::array<std::byte, kTrafficOctetsMax> octets_{};
  std::uint8_t size_ = 0;
};

inline constexpr std::uint8_t kTcPolicing = 0x80;  // U

// One block of CBR.1 (1), UBR.1 (8) or UBR.2 (9).
struct CellRate {
  std::uint8_t tc_flags = 0;
  std::uint32_t pcr_cells_per_s = 0;  // 24 bits
  std::uint32_t cdvt_us = 0;          // 24 bits

  friend bool operator==(CellRate, CellRate) = default;
};

TrafficOctets encode(CellRate rate);
// Nothing when the octets are too few for one block.
std::optional<CellRate> decode_cell_rate(const TrafficOctets& traffic);

}  // namespace xbind::gsmp
