#include "gsmp/messages/adjacency_v1.hpp"

#include "core/wire/reader.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::gsmp::v1 {

void encode_adjacency(const AdjacencyMessage& message, wire::Writer& out) {
  out.u8(1);
  out.u8(static_cast<std::uint8_t>(MessageType::kAdjacency));
  out.u8(0);
  out.u8(static_cast<std::uint8_t>(message.code));
  out.u48(message.sender.name);
  out.u48(message.receiver.name);
  out.u32(message.sender.port);
  out.u32(message.receiver.port);
  out.u32(message.sender.instance);
  out.u32(message.receiver.instance);
}

Decoded<AdjacencyMessage> decode_adjacency(std::span<const std::byte> message) {
  wire::Reader in(message);
  AdjacencyMessage out;
  out.version = 1;
  out.timer = kTimer;
  in.skip(3);
  const std::uint8_t code = in.u8();
  out.sender.name = in.u48();
  out.receiver.name = in.u48();
  out.sender.port = in.u32();
  out.receiver.port = in.u32();
  out.sender.instance = in.u32();
  out.receiver.instance = in.u32();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(message.size()));
  if (code < 1 || code > 4) return refuse(Refusal::kAdjacencyCode, code);
  out.code = static_cast<AdjacencyCode>(code);
  if (out.sender.instance == 0 && out.code != AdjacencyCode::kRstAck) {
    return refuse(Refusal::kAdjacencyInstance, 0);
  }
  return out;
}

}  // namespace xbind::gsmp::v1
