// Packets as a capture contains them: built field by field, with checksums of 0.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/wire/writer.hpp"

namespace xbind::gsmpdump::test {

inline constexpr std::uint8_t kFin = 1, kSyn = 2, kRst = 4, kAck = 16;

struct Tcp {
  std::uint16_t from = 40000;
  std::uint16_t to = 6068;
  std::uint32_t sequence = 1000;
  std::uint32_t acknowledges = 0;
  std::uint8_t flags = kAck;

  Tcp back() const { return {to, from, sequence, acknowledges, flags}; }
};

inline wire::Buffer tcp(const Tcp& header, const wire::Buffer& payload,
                        std::size_t options_octets = 0) {
  wire::Buffer out;
  wire::Writer w(out);
  w.u16(header.from);
  w.u16(header.to);
  w.u32(header.sequence);
  w.u32(header.acknowledges);
  w.u8(static_cast<std::uint8_t>((5 + options_octets / 4) << 4));
  w.u8(header.flags);
  w.u16(65535);
  w.u32(0);
  out.insert(out.end(), options_octets, std::byte{1});  // no operation
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

// From 10.0.0.1 to 10.0.0.2; the other direction for packets from port 6068.
inline wire::Buffer ipv4(const wire::Buffer& segment, bool from_switch = false,
                         std::uint8_t protocol = 6, std::uint16_t fragment = 0x4000) {
  wire::Buffer out;
  wire::Writer w(out);
  w.u16(0x4500);
  w.u16(static_cast<std::uint16_t>(20 + segment.size()));
  w.u16(7);
  w.u16(fragment);
  w.u8(64);
  w.u8(protocol);
  w.u16(0);
  w.u32(from_switch ? 0x0a000002 : 0x0a000001);
  w.u32(from_switch ? 0x0a000001 : 0x0a000002);
  out.insert(out.end(), segment.begin(), segment.end());
  return out;
}

// Between ::1 and 2001:db8::2.
inline wire::Buffer ipv6(const wire::Buffer& behind, std::uint8_t next_header = 6) {
  wire::Buffer out;
  wire::Writer w(out);
  w.u32(0x60000000);
  w.u16(static_cast<std::uint16_t>(behind.size()));
  w.u8(next_header);
  w.u8(64);
  for (int i = 0; i < 3; ++i) w.u32(0);
  w.u32(1);
  w.u32(0x20010db8);
  w.u32(0);
  w.u32(0);
  w.u32(2);
  out.insert(out.end(), behind.begin(), behind.end());
  return out;
}

inline wire::Buffer ethernet(const wire::Buffer& packet, std::uint16_t type = 0x0800,
                             int vlan_tags = 0, std::uint16_t outer_tag = 0x88a8) {
  wire::Buffer out;
  wire::Writer w(out);
  for (int i = 0; i < 3; ++i) w.u32(0);
  for (int i = 0; i < vlan_tags; ++i) {
    w.u16(i + 1 < vlan_tags ? outer_tag : 0x8100);
    w.u16(42);
  }
  w.u16(type);
  out.insert(out.end(), packet.begin(), packet.end());
  return out;
}

// A packet of one connection, in the direction that its ports imply.
inline wire::Buffer packet(const Tcp& header, const wire::Buffer& payload = {}) {
  return ethernet(ipv4(tcp(header, payload), header.from == 6068));
}

inline wire::Buffer octets(std::string_view text) {
  wire::Buffer out;
  for (const char letter : text) out.push_back(static_cast<std::byte>(letter));
  return out;
}

}  // namespace xbind::gsmpdump::test
