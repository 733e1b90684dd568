// IPv4 addresses, and the header of an IPv4 packet as far as the WAN reads it (RFC 791). Pure; any
// thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "wan/drop.hpp"

namespace xbind::wan {

inline constexpr std::size_t kIpv4HeaderOctets = 20;  // without options
inline constexpr std::size_t kPacketOctetsMax = 65'535;

struct Address {
  std::uint32_t value = 0;  // in host order: 10.78.1.2 is 0x0a4e0102

  friend auto operator<=>(const Address&, const Address&) = default;
};
// Reads "10.78.1.2": an address of one host. kBadInput: another form, or an address of the ranges
// 0.0.0.0/8, 127.0.0.0/8 or 224.0.0.0/3.
Result<Address> parse_address(std::string_view text);
std::string to_string(Address address);

struct AddressHash {
  std::size_t operator()(Address address) const {
    return std::hash<std::uint32_t>{}(address.value);
  }
};

// From whom to whom. Each ordered pair has a line of its own.
struct Pair {
  Address from;
  Address to;

  friend auto operator<=>(const Pair&, const Pair&) = default;
};
struct PairHash {
  std::size_t operator()(const Pair& pair) const {
    return std::hash<std::uint64_t>{}(std::uint64_t{pair.from.value} << 32 | pair.to.value);
  }
};

// Reads the addresses of a packet. Refuses whatever is no whole IPv4 packet of at most `mtu`
// octets, with the reason under which it is counted: kEmpty, kIpv6, kNotIpv4, kTruncated,
// kBadHeader, kAboveMtu, kFragment.
tl::expected<Pair, Drop> read_packet(std::span<const std::byte> packet, std::size_t mtu);

// The header checksum of `header`, whose own field counts as it is: 0 if the field is right.
std::uint16_t ipv4_checksum(std::span<const std::byte> header);

}  // namespace xbind::wan
