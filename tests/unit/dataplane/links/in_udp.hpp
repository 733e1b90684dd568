// A capture of one datagram, for tshark.
#pragma once

#include <cstdint>
#include <vector>

#include "core/wire/writer.hpp"

namespace xbind::dataplane {

using Octets = std::vector<std::byte>;

// A capture of one UDP datagram over IPv4, read only by tshark.
inline wire::Buffer in_udp(const Octets& payload, std::uint16_t port) {
  wire::Buffer file;
  wire::Writer out(file);
  const auto size = static_cast<std::uint32_t>(28 + payload.size());
  out.u32(0xa1b2c3d4);
  out.u32(2U << 16 | 4);
  out.zeros(8);
  out.u32(65535);
  out.u32(101);  // raw IP
  out.zeros(8);
  out.u32(size);
  out.u32(size);
  out.u32(0x45000000 | size);
  out.zeros(4);
  out.u32(0x40110000);  // TTL 64, UDP
  out.u32(0x0a000001);
  out.u32(0x0a000002);
  out.u16(50000);
  out.u16(port);
  out.u16(static_cast<std::uint16_t>(8 + payload.size()));
  out.u16(0);
  out.bytes(payload);
  return file;
}

}  // namespace xbind::dataplane
