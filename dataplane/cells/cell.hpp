// The ATM cell (ITU-T I.361, I.432.1): 53 octets on the wire, 52 here.
//
//   UNI     | GFC 4 | VPI 8 |       VCI 16       | PT 3 | CLP 1 |  HEC 8  | payload 48 octets |
//   NNI     |    VPI 12     |       VCI 16       | PT 3 | CLP 1 |  HEC 8  | payload 48 octets |
//
// A Cell is what the switch stores between two lines: the first four octets of the NNI form as one
// number, and the payload. GFC and HEC belong to one line: they are checked and removed at the
// input, and generated again at the output (hec.hpp, links/plain.hpp).
//
// Values only; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace xbind::dataplane {

inline constexpr std::size_t kPayloadOctets = 48;
inline constexpr std::size_t kHeaderOctets = 5;  // with the HEC
inline constexpr std::size_t kCellOctets = kHeaderOctets + kPayloadOctets;
inline constexpr std::uint16_t kVpiMax = 0xfff;
inline constexpr std::uint16_t kUniVpiMax = 0xff;

using Payload = std::array<std::byte, kPayloadOctets>;

// The PT field. Bit 2 clear: user data, bit 1 congestion experienced (EFCI), bit 0 user-user: with
// AAL5 the last cell of a frame. Bit 2 set: 4 and 5 OAM F5, 6 resource management, 7 reserved.
inline constexpr std::uint8_t kPtUserUser = 1;
inline constexpr std::uint8_t kPtCongestion = 2;
inline constexpr std::uint8_t kPtNotUserData = 4;

// Fields outside their ranges are truncated: vpi 0..4095, pt 0..7.
constexpr std::uint32_t cell_header(std::uint32_t vpi, std::uint32_t vci, std::uint32_t pt = 0,
                                    bool clp = false) {
  return (vpi & kVpiMax) << 20 | (vci & 0xffff) << 4 | (pt & 7) << 1 | (clp ? 1 : 0);
}

struct Cell {
  std::uint32_t header = 0;  // NNI form without HEC, host byte order
  Payload payload{};

  constexpr std::uint16_t vpi() const { return static_cast<std::uint16_t>(header >> 20); }
  constexpr std::uint16_t vci() const { return static_cast<std::uint16_t>(header >> 4); }
  constexpr std::uint8_t pt() const { return header >> 1 & 7; }
  constexpr bool clp() const { return (header & 1) != 0; }
  constexpr bool user_data() const { return (pt() & kPtNotUserData) == 0; }

  friend bool operator==(const Cell&, const Cell&) = default;
};
static_assert(sizeof(Cell) == 52);

enum class CellKind : std::uint8_t {
  kAssigned,       // of a connection, or with an unassigned label
  kUnassigned,     // VPI 0, VCI 0, CLP 0: filler of the ATM layer
  kPhysicalLayer,  // VPI 0, VCI 0, CLP 1: with PT 0 the idle cell, else physical layer OAM
};

// The last two kinds do not concern the ATM layer: a receiver drops them.
constexpr CellKind kind_of(std::uint32_t header) {
  if ((header & 0xfffffff0) != 0) return CellKind::kAssigned;
  return (header & 1) == 0 ? CellKind::kUnassigned : CellKind::kPhysicalLayer;
}

// From the port's point of view.
enum class Direction : std::uint8_t { kIn, kOut };

enum class HeaderForm : std::uint8_t { kUni, kNni };

// The four octets on the wire in the given form. With kUni the upper four bits of the VPI must be
// clear; the GFC takes their place. With kNni `gfc` is ignored.
constexpr std::uint32_t wire_header(std::uint32_t header, HeaderForm form, std::uint8_t gfc = 0) {
  return form == HeaderForm::kNni ? header
                                  : (header & 0x0fffffff) | static_cast<std::uint32_t>(gfc) << 28;
}
// The reverse conversion; the GFC is dropped.
constexpr std::uint32_t from_wire_header(std::uint32_t wire, HeaderForm form) {
  return form == HeaderForm::kNni ? wire : wire & 0x0fffffff;
}

constexpr void put_u32(std::byte* out, std::uint32_t value) {
  for (int octet = 0; octet < 4; ++octet)
    out[octet] = static_cast<std::byte>(value >> (24 - 8 * octet) & 0xff);
}
constexpr std::uint32_t get_u32(const std::byte* in) {
  std::uint32_t value = 0;
  for (int octet = 0; octet < 4; ++octet)
    value = value << 8 | std::to_integer<std::uint32_t>(in[octet]);
  return value;
}

}  // namespace xbind::dataplane
