// Headers of OXM fields (section 7.2.2.2), for matches and for Set-Field.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xbind::ovs::openflow {

inline constexpr std::uint16_t kOxmClass = 0x8000;     // the fields of the specification
inline constexpr std::uint16_t kVlanPresent = 0x1000;  // the bit of VLAN_VID that says "has a tag"

enum class OxmField : std::uint8_t {
  kInPort = 0,
  kEthType = 5,
  kVlanVid = 6,
  kIpv4Dst = 12,
  kMplsLabel = 34,
};

// The four octets before a value of `octets` octets and its mask.
constexpr std::uint32_t oxm_header(OxmField field, std::uint8_t octets, bool has_mask = false) {
  const std::uint32_t mask = has_mask ? 1 : 0;
  const auto length = static_cast<std::uint32_t>(has_mask ? 2 * octets : octets);
  return static_cast<std::uint32_t>(kOxmClass) << 16 | static_cast<std::uint32_t>(field) << 9 |
         mask << 8 | length;
}

// Octets that follow to reach a multiple of 8.
constexpr std::size_t padding(std::size_t octets) { return (8 - octets % 8) % 8; }

}  // namespace xbind::ovs::openflow
