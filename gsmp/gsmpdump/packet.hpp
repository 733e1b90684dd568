// The TCP segment inside a captured packet: link layer, IPv4 (RFC 791) or IPv6 (RFC 8200), TCP (RFC
// 9293). A capture may contain less of a packet than was sent; the payload then has the captured
// part only. Checksums are ignored: a capture on the sending host has wrong ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace xbind::gsmpdump {

// The headers before the IP header.
enum class LinkLayer : std::uint8_t {
  kEthernet,   // with or without VLAN tags: 802.1Q, 802.1ad, and 0x9100 and 0x9200 of old QinQ
  kIp,         // nothing
  kLoopback,   // four octets of address family (BSD)
  kLinuxAny,   // 16 octets: Linux "any" capture on all interfaces
  kLinuxAny2,  // 20 octets, the newer form
};

enum class NoSegment : std::uint8_t {
  kNotIp,
  kNotTcp,     // or an IPv6 extension header that cannot be skipped
  kFragment,   // an IP fragment: not reassembled, GSMP connections have none
  kTruncated,  // the headers are incomplete
};

struct Segment {
  std::string from;  // "127.0.0.1:40000", "[::1]:6068"
  std::string to;
  std::uint16_t from_port = 0;
  std::uint16_t to_port = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledges = 0;  // with `ack`
  bool syn = false;
  bool ack = false;
  bool fin = false;
  bool rst = false;
  std::size_t sent_octets = 0;         // of payload, as the sender sent it
  std::span<const std::byte> payload;  // a view into the packet; may be shorter than sent_octets
};

tl::expected<Segment, NoSegment> parse_packet(LinkLayer link, std::span<const std::byte> packet);

// The EtherType behind all VLAN tags, if the link layer has one: what a packet is that is kNotIp.
std::optional<std::uint16_t> ether_type(LinkLayer link, std::span<const std::byte> packet);

}  // namespace xbind::gsmpdump
