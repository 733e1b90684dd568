// Why a packet is not delivered. Each drop is counted under exactly one reason.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xbind::wan {

enum class Drop : std::uint8_t {
  // Seen before a line is chosen.
  kEmpty,          // no octets
  kIpv6,           // version 6
  kNotIpv4,        // neither version
  kTruncated,      // fewer octets than its header, or than its total length
  kBadHeader,      // lengths that contradict each other, or a wrong header checksum
  kAboveMtu,       // longer than --mtu
  kFragment,       // a part of a packet: its loss would lose the other parts also
  kForeignSource,  // the source address is not one of the site that sent it
  kNoDestination,  // no site has the destination address
  kNoPath,         // no rule for this pair of addresses
  // At a line.
  kQueueFull,  // the line's queue has no room
  kHeldMost,   // the whole WAN holds --held-octets-max
  kLost,       // by the rule
  kDevice,     // the device of the destination's site did not accept it
};
inline constexpr std::size_t kDrops = 14;

// "empty", "ipv6", ..., "lost", "device": stable words for answers and metrics.
std::string_view to_string(Drop reason);

// One count for each reason.
using DropCounts = std::array<std::uint64_t, kDrops>;
inline std::uint64_t& count_of(DropCounts& counts, Drop reason) {
  return counts[static_cast<std::size_t>(reason)];
}
inline std::uint64_t count_of(const DropCounts& counts, Drop reason) {
  return counts[static_cast<std::size_t>(reason)];
}

}  // namespace xbind::wan
