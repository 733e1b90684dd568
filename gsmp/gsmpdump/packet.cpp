#include "gsmp/gsmpdump/packet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/wire/reader.hpp"

namespace xbind::gsmpdump {
namespace {

using Octets = std::span<const std::byte>;

constexpr std::uint16_t kEtherIpv4 = 0x0800;
constexpr std::uint16_t kEtherIpv6 = 0x86dd;
constexpr std::uint16_t kEtherVlan = 0x8100;
constexpr std::uint16_t kEtherProviderVlan = 0x88a8;
constexpr std::uint16_t kEtherQinq = 0x9100;  // before 802.1ad, still the default of some switches
constexpr std::uint16_t kEtherQinqOther = 0x9200;
constexpr std::uint8_t kTcp = 6;
constexpr std::size_t kIpv6HeaderOctets = 40;

tl::unexpected<NoSegment> none(NoSegment why) { return tl::make_unexpected(why); }

bool is_vlan_tag(std::uint16_t type) {
  return type == kEtherVlan || type == kEtherProviderVlan || type == kEtherQinq ||
         type == kEtherQinqOther;
}

// Reads up to the EtherType behind all tags, of a link layer that has one.
std::uint16_t read_ether_type(LinkLayer link, wire::Reader& in) {
  in.skip(link == LinkLayer::kEthernet ? 12 : 14);
  std::uint16_t type = in.u16();
  while (in.ok() && is_vlan_tag(type)) {
    in.skip(2);
    type = in.u16();
  }
  return type;
}

// The packet without its link-layer header.
tl::expected<Octets, NoSegment> strip_link(LinkLayer link, Octets packet) {
  wire::Reader in(packet);
  switch (link) {
    case LinkLayer::kIp: break;
    case LinkLayer::kLoopback: in.skip(4); break;
    case LinkLayer::kLinuxAny2: in.skip(20); break;
    case LinkLayer::kLinuxAny:
    case LinkLayer::kEthernet: {
      const std::uint16_t type = read_ether_type(link, in);
      if (!in.ok()) return none(NoSegment::kTruncated);
      if (type != kEtherIpv4 && type != kEtherIpv6) return none(NoSegment::kNotIp);
      break;
    }
  }
  if (!in.ok()) return none(NoSegment::kTruncated);
  return packet.subspan(in.position());
}

// The content of an IP packet. `sent` is the length of `rest` as the sender sent it.
struct Carried {
  std::string from;
  std::string to;
  std::size_t sent = 0;
  Octets rest;
};

std::string ipv4_address(wire::Reader& in) {
  std::array<unsigned, 4> part{};
  for (unsigned& one : part) one = in.u8();
  return fmt::format("{}.{}.{}.{}", part[0], part[1], part[2], part[3]);
}

// Text form of RFC 5952: shortens the first of the longest runs of zeros.
std::string ipv6_address(wire::Reader& in) {
  std::array<unsigned, 8> group{};
  for (unsigned& one : group) one = in.u16();
  std::size_t best = 0;
  std::size_t best_length = 1;  // a single zero is not shortened
  for (std::size_t begin = 0; begin < group.size(); ++begin) {
    std::size_t end = begin;
    while (end < group.size() && group[end] == 0) ++end;
    if (end - begin > best_length) {
      best = begin;
      best_length = end - begin;
    }
  }
  std::string text = "[";
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (best_length > 1 && i == best) {
      text += "::";
      i += best_length - 1;
      continue;
    }
    if (text.back() != ':' && text.back() != '[') text += ':';
    text += fmt::format("{:x}", group[i]);
  }
  return text + "]";
}

tl::expected<Carried, NoSegment> strip_ipv4(Octets packet) {
  wire::Reader in(packet);
  const std::size_t header_octets = std::size_t{in.u8()} % 16 * 4;
  in.skip(1);
  std::size_t total = in.u16();
  in.skip(2);
  const std::uint16_t fragment = in.u16();
  in.skip(1);
  const std::uint8_t protocol = in.u8();
  in.skip(2);
  Carried out;
  out.from = ipv4_address(in);
  out.to = ipv4_address(in);
  if (!in.ok() || header_octets < in.position() || packet.size() < header_octets) {
    return none(NoSegment::kTruncated);
  }
  if ((fragment & 0x3fff) != 0) return none(NoSegment::kFragment);  // not the only fragment
  if (protocol != kTcp) return none(NoSegment::kNotTcp);
  if (total == 0) total = packet.size();  // the network card segments it later
  if (total < header_octets) return none(NoSegment::kTruncated);
  out.sent = total - header_octets;
  out.rest = packet.subspan(header_octets);
  return out;
}

tl::expected<Carried, NoSegment> strip_ipv6(Octets packet) {
  wire::Reader in(packet);
  in.skip(4);
  std::size_t length = in.u16();
  std::uint8_t next = in.u8();
  in.skip(1);
  Carried out;
  out.from = ipv6_address(in);
  out.to = ipv6_address(in);
  if (!in.ok()) return none(NoSegment::kTruncated);
  if (length == 0) length = packet.size() - kIpv6HeaderOctets;
  // Hop-by-hop options, routing, destination options.
  while (next == 0 || next == 43 || next == 60) {
    next = in.u8();
    in.skip(std::size_t{in.u8()} * 8 + 6);
    if (!in.ok()) return none(NoSegment::kTruncated);
  }
  if (next == 44) return none(NoSegment::kFragment);
  if (next != kTcp) return none(NoSegment::kNotTcp);
  const std::size_t extensions = in.position() - kIpv6HeaderOctets;
  if (length < extensions) return none(NoSegment::kTruncated);
  out.sent = length - extensions;
  out.rest = packet.subspan(in.position());
  return out;
}

}  // namespace

std::optional<std::uint16_t> ether_type(LinkLayer link, Octets packet) {
  if (link != LinkLayer::kEthernet && link != LinkLayer::kLinuxAny) return std::nullopt;
  wire::Reader in(packet);
  const std::uint16_t type = read_ether_type(link, in);
  return in.ok() ? std::optional(type) : std::nullopt;
}

tl::expected<Segment, NoSegment> parse_packet(LinkLayer link, Octets packet) {
  const auto ip = strip_link(link, packet);
  if (!ip) return none(ip.error());
  if (ip->empty()) return none(NoSegment::kTruncated);
  const unsigned version = std::to_integer<unsigned>(ip->front()) >> 4;
  if (version != 4 && version != 6) return none(NoSegment::kNotIp);
  const auto carried = version == 4 ? strip_ipv4(*ip) : strip_ipv6(*ip);
  if (!carried) return none(carried.error());

  Segment out;
  wire::Reader in(carried->rest);
  out.from_port = in.u16();
  out.to_port = in.u16();
  out.sequence = in.u32();
  out.acknowledges = in.u32();
  const std::size_t header_octets = std::size_t{in.u8()} / 16 * 4;
  const std::uint8_t flags = in.u8();
  in.skip(6);
  if (!in.ok() || header_octets < in.position() || carried->rest.size() < header_octets ||
      carried->sent < header_octets) {
    return none(NoSegment::kTruncated);
  }
  out.from = fmt::format("{}:{}", carried->from, out.from_port);
  out.to = fmt::format("{}:{}", carried->to, out.to_port);
  out.fin = (flags & 0x01) != 0;
  out.syn = (flags & 0x02) != 0;
  out.rst = (flags & 0x04) != 0;
  out.ack = (flags & 0x10) != 0;
  out.sent_octets = carried->sent - header_octets;
  const Octets payload = carried->rest.subspan(header_octets);
  // Cut off link-layer padding after the packet.
  out.payload = payload.first(std::min(payload.size(), out.sent_octets));
  return out;
}

}  // namespace xbind::gsmpdump
