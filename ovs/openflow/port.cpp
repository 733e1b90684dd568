#include "ovs/openflow/port.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "ovs/openflow/header.hpp"
#include "ovs/openflow/multipart.hpp"
#include "ovs/openflow/oxm.hpp"

namespace xbind::ovs::openflow {
namespace {

constexpr std::uint16_t kPropertyEthernet = 0;
constexpr std::uint16_t kEthernetOctets = 32;
constexpr std::size_t kPropertyHeaderOctets = 4;
constexpr std::uint16_t kPortOctetsMin = 40;
constexpr std::uint16_t kPortStatsOctetsMin = 80;

void encode_port(const PortDesc& port, wire::Writer& out) {
  XB_CHECK(port.name.size() <= kPortNameOctetsMax, port.name.size());
  out.u32(port.port);
  out.u16(port.curr_speed_kbps ? kPortOctetsMin + kEthernetOctets : kPortOctetsMin);
  out.zeros(2);
  for (const std::uint8_t octet : port.address) out.u8(octet);
  out.zeros(2);
  out.bytes(std::as_bytes(std::span(port.name)));
  out.zeros(kPortNameOctetsMax - port.name.size());
  out.u32(port.config);
  out.u32(port.state);
  if (!port.curr_speed_kbps) return;
  out.u16(kPropertyEthernet);
  out.u16(kEthernetOctets);
  out.zeros(20);  // padding and four sets of features
  out.u32(*port.curr_speed_kbps);
  out.zeros(4);  // maximum speed
}

std::string decode_name(std::span<const std::byte> octets) {
  const auto end = std::find(octets.begin(), octets.end(), std::byte{0});
  std::string name;
  for (auto octet = octets.begin(); octet != end; ++octet) name += static_cast<char>(*octet);
  return name;
}

// The current speed in the first Ethernet property.
Decoded<std::optional<std::uint32_t>> decode_speed(wire::Reader in) {
  std::optional<std::uint32_t> speed;
  while (in.remaining() != 0) {
    const auto available = static_cast<std::uint32_t>(in.remaining());
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (!in.ok()) return refuse(Refusal::kPropertyLength, available);
    if (length < kPropertyHeaderOctets || length > available)
      return refuse(Refusal::kPropertyLength, length);
    wire::Reader fields(in.bytes(length - kPropertyHeaderOctets));
    in.skip(std::min(padding(length), in.remaining()));
    if (type != kPropertyEthernet) continue;
    if (length != kEthernetOctets) return refuse(Refusal::kPropertyLength, length);
    fields.skip(20);  // padding and four sets of features
    if (!speed) speed = fields.u32();
  }
  return speed;
}

// Reads one description.
Decoded<PortDesc> decode_port(wire::Reader& in) {
  const std::size_t available = in.remaining();
  PortDesc out;
  out.port = in.u32();
  const std::uint16_t length = in.u16();
  in.skip(2);
  for (std::uint8_t& octet : out.address) octet = in.u8();
  in.skip(2);
  out.name = decode_name(in.bytes(kPortNameOctetsMax));
  out.config = in.u32();
  out.state = in.u32();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(available));
  if (length < kPortOctetsMin || length > available) return refuse(Refusal::kEntryLength, length);
  const auto speed = decode_speed(wire::Reader(in.bytes(length - kPortOctetsMin)));
  if (!speed) return tl::make_unexpected(speed.error());
  out.curr_speed_kbps = *speed;
  return out;
}

PortStats decode_stats(std::span<const std::byte> entry) {
  wire::Reader in(entry);
  PortStats out;
  in.skip(4);  // the length of the entry, padding
  out.port = in.u32();
  in.skip(8);  // seconds, nanoseconds
  for (std::uint64_t* counter :
       {&out.rx_packets, &out.tx_packets, &out.rx_octets, &out.tx_octets, &out.rx_dropped,
        &out.tx_dropped, &out.rx_errors, &out.tx_errors}) {
    *counter = in.u64();
  }
  return out;
}

}  // namespace

void encode(const PortStatus& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_message(Type::kPortStatus, xid, out);
  wire::Writer writer(out);
  writer.u8(static_cast<std::uint8_t>(message.reason));
  writer.zeros(7);
  encode_port(message.port, writer);
  finish_message(start, out);
}

Decoded<PortStatus> decode_port_status(std::span<const std::byte> body) {
  wire::Reader in(body);
  const std::uint8_t reason = in.u8();
  in.skip(7);
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  if (reason > static_cast<std::uint8_t>(PortReason::kModify))
    return refuse(Refusal::kPortReason, reason);
  auto port = decode_port(in);
  if (!port) return tl::make_unexpected(port.error());
  return PortStatus{.reason = static_cast<PortReason>(reason), .port = *std::move(port)};
}

void encode(const PortDescRequest&, std::uint32_t xid, wire::Buffer& out) {
  finish_message(begin_request(MultipartType::kPortDesc, xid, out), out);
}

void encode(const PortDescReply& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_reply(MultipartType::kPortDesc, message.more, xid, out);
  wire::Writer writer(out);
  for (const PortDesc& port : message.ports) encode_port(port, writer);
  finish_message(start, out);
}

Decoded<PortDescReply> decode_port_desc_reply(std::span<const std::byte> entries) {
  PortDescReply out;
  wire::Reader in(entries);
  while (in.remaining() != 0) {
    auto port = decode_port(in);
    if (!port) return tl::make_unexpected(port.error());
    out.ports.push_back(*std::move(port));
  }
  return out;
}

void encode(const PortStatsRequest& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_request(MultipartType::kPortStats, xid, out);
  wire::Writer writer(out);
  writer.u32(message.port);
  writer.zeros(4);
  finish_message(start, out);
}

Decoded<PortStatsRequest> decode_port_stats_request(std::span<const std::byte> entries) {
  wire::Reader in(entries);
  PortStatsRequest out;
  out.port = in.u32();
  in.skip(4);
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(entries.size()));
  return out;
}

void encode(const PortStatsReply& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_reply(MultipartType::kPortStats, message.more, xid, out);
  wire::Writer writer(out);
  for (const PortStats& port : message.ports) {
    writer.u16(kPortStatsOctetsMin);
    writer.zeros(2);
    writer.u32(port.port);
    writer.zeros(8);  // seconds, nanoseconds
    for (const std::uint64_t counter :
         {port.rx_packets, port.tx_packets, port.rx_octets, port.tx_octets, port.rx_dropped,
          port.tx_dropped, port.rx_errors, port.tx_errors}) {
      writer.u64(counter);
    }
  }
  finish_message(start, out);
}

Decoded<PortStatsReply> decode_port_stats_reply(std::span<const std::byte> entries) {
  PortStatsReply out;
  while (!entries.empty()) {
    const std::uint16_t length = wire::Reader(entries).u16();
    if (length < kPortStatsOctetsMin || length > entries.size())
      return refuse(Refusal::kEntryLength, length);
    out.ports.push_back(decode_stats(entries.first(length)));
    entries = entries.subspan(length);
  }
  return out;
}

}  // namespace xbind::ovs::openflow
