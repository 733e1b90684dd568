#include "gsmp/messages/adjacency.hpp"

#include <fmt/format.h>

#include "core/wire/reader.hpp"
#include "gsmp/messages/adjacency_v1.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/header_v1.hpp"

namespace xbind::gsmp {

void encode(const AdjacencyMessage& message, wire::Writer& out) {
  if (message.version == v1::kVersion) return v1::encode_adjacency(message, out);
  out.u8(message.version);
  out.u8(static_cast<std::uint8_t>(MessageType::kAdjacency));
  out.u8(message.timer);
  out.u8(static_cast<std::uint8_t>((message.from_master ? 0x80 : 0) |
                                   static_cast<std::uint8_t>(message.code)));
  out.u48(message.sender.name);
  out.u48(message.receiver.name);
  out.u32(message.sender.port);
  out.u32(message.receiver.port);
  out.u8(static_cast<std::uint8_t>(message.partition_type << 4 | (message.partition_flag & 0xf)));
  out.u24(message.sender.instance);
  out.u8(message.partition);
  out.u24(message.receiver.instance);
}

Decoded<AdjacencyMessage> decode_adjacency(std::span<const std::byte> message) {
  if (!message.empty() && message[0] == std::byte{v1::kVersion}) {
    return v1::decode_adjacency(message);
  }
  wire::Reader in(message);
  AdjacencyMessage out;
  out.version = in.u8();
  in.skip(1);
  out.timer = in.u8();
  const std::uint8_t m_and_code = in.u8();
  out.sender.name = in.u48();
  out.receiver.name = in.u48();
  out.sender.port = in.u32();
  out.receiver.port = in.u32();
  const std::uint8_t type_and_flag = in.u8();
  out.sender.instance = in.u24();
  out.partition = in.u8();
  out.receiver.instance = in.u24();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(message.size()));
  if (out.version != kVersion) return refuse(Refusal::kVersion, out.version);
  const auto code = static_cast<std::uint8_t>(m_and_code & 0x7f);
  if (code < 1 || code > 4) return refuse(Refusal::kAdjacencyCode, code);
  if (out.timer == 0) return refuse(Refusal::kAdjacencyTimer, out.timer);
  out.from_master = (m_and_code & 0x80) != 0;
  out.code = static_cast<AdjacencyCode>(code);
  out.partition_type = static_cast<std::uint8_t>(type_and_flag >> 4);
  out.partition_flag = static_cast<std::uint8_t>(type_and_flag & 0xf);
  if (out.sender.instance == 0 && out.code != AdjacencyCode::kRstAck) {
    return refuse(Refusal::kAdjacencyInstance, 0);
  }
  return out;
}

std::string name_to_string(std::uint64_t name) {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", name >> 40 & 0xff,
                     name >> 32 & 0xff, name >> 24 & 0xff, name >> 16 & 0xff, name >> 8 & 0xff,
                     name & 0xff);
}

std::string to_string(AdjacencyCode code) {
  switch (code) {
    case AdjacencyCode::kSyn: return "SYN";
    case AdjacencyCode::kSynAck: return "SYNACK";
    case AdjacencyCode::kAck: return "ACK";
    case AdjacencyCode::kRstAck: return "RSTACK";
  }
  return fmt::format("adjacency code {}", static_cast<unsigned>(code));
}

namespace {
std::string words(const Endpoint& end) {
  if (end == Endpoint{}) return "unknown";
  return fmt::format("{} port {} instance 0x{:06x}", name_to_string(end.name), end.port,
                     end.instance);
}
}  // namespace

std::string to_string(const AdjacencyMessage& message) {
  if (message.version == v1::kVersion) {
    return fmt::format("adjacency {} from {} to {}, version 1.1", to_string(message.code),
                       words(message.sender), words(message.receiver));
  }
  std::string text =
      fmt::format("adjacency {}{} from {} to {}, timer {} ms, pflag {}", to_string(message.code),
                  message.from_master ? " (M)" : "", words(message.sender), words(message.receiver),
                  message.timer * 100, message.partition_flag);
  if (message.partition_type != kPartitionNone || message.partition != 0) {
    text += fmt::format(", ptype {} partition {}", message.partition_type, message.partition);
  }
  return text;
}

std::uint64_t name_from(std::string_view device) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char letter : device) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return std::uint64_t{0x02} << 40 | ((hash ^ hash >> 40) & 0xffffffffff);
}

}  // namespace xbind::gsmp
