// The header of an Ethernet frame without FCS, and the tag of IEEE 802.1Q in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xbind::dataplane {

inline constexpr std::size_t kAddressesOctets = 12;  // destination, source
inline constexpr std::size_t kEthernetOctets = 14;   // addresses and type, without tag and FCS
inline constexpr std::size_t kVlanTagOctets = 4;

inline constexpr std::uint32_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint32_t kEtherTypeVlan = 0x8100;
inline constexpr std::uint32_t kEtherTypeMpls = 0x8847;

// The type of a frame without a tag. `untagged` has at least kEthernetOctets.
constexpr std::uint32_t ether_type(std::span<const std::byte> untagged) {
  return std::to_integer<std::uint32_t>(untagged[kAddressesOctets]) << 8 |
         std::to_integer<std::uint32_t>(untagged[kAddressesOctets + 1]);
}

}  // namespace xbind::dataplane
