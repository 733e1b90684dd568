#include "ovs/openflow/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/wire/reader.hpp"
#include "ovs/openflow/oxm.hpp"

namespace xbind::ovs::openflow {
namespace {

constexpr std::uint16_t kElementVersionBitmap = 1;
constexpr std::uint16_t kElementHeaderOctets = 4;
constexpr std::uint8_t kVersionMax = 6;  // OpenFlow 1.5

void encode_data(Type type, std::span<const std::byte> data, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_message(type, xid, out);
  wire::Writer(out).bytes(data);
  finish_message(start, out);
}

void encode_empty(Type type, std::uint32_t xid, wire::Buffer& out) {
  finish_message(begin_message(type, xid, out), out);
}

}  // namespace

std::uint8_t Hello::highest() const {
  if (!bitmap) return version;
  return *bitmap == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(std::bit_width(*bitmap) - 1);
}

void encode(const Hello& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_message(Type::kHello, xid, out);
  out[start] = std::byte{message.version};
  wire::Writer writer(out);
  if (message.bitmap) {
    writer.u16(kElementVersionBitmap);
    writer.u16(kElementHeaderOctets + 4);
    writer.u32(*message.bitmap);
  }
  finish_message(start, out);
}

Decoded<Hello> decode_hello(std::uint8_t version, std::span<const std::byte> body) {
  wire::Reader in(body);
  Hello out{.version = version, .bitmap = std::nullopt};
  while (in.remaining() != 0) {
    const auto available = static_cast<std::uint32_t>(in.remaining());
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (!in.ok()) return refuse(Refusal::kHelloElementLength, available);
    if (length < kElementHeaderOctets || length > available)
      return refuse(Refusal::kHelloElementLength, length);
    wire::Reader element(in.bytes(length - kElementHeaderOctets));
    in.skip(std::min(padding(length), in.remaining()));
    // A bitmap without a word offers nothing, as u32() says with 0.
    if (type == kElementVersionBitmap && !out.bitmap) out.bitmap = element.u32();
  }
  return out;
}

std::string version_name(std::uint8_t version) {
  if (version == 0 || version > kVersionMax) return fmt::format("version {}", version);
  return fmt::format("1.{}", version - 1);
}

void encode(const EchoRequest& message, std::uint32_t xid, wire::Buffer& out) {
  encode_data(Type::kEchoRequest, message.data, xid, out);
}

void encode(const EchoReply& message, std::uint32_t xid, wire::Buffer& out) {
  encode_data(Type::kEchoReply, message.data, xid, out);
}

void encode(const FeaturesRequest&, std::uint32_t xid, wire::Buffer& out) {
  encode_empty(Type::kFeaturesRequest, xid, out);
}

void encode(const FeaturesReply& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_message(Type::kFeaturesReply, xid, out);
  wire::Writer writer(out);
  writer.u64(message.datapath_id);
  writer.u32(message.n_buffers);
  writer.u8(message.n_tables);
  writer.zeros(3);  // auxiliary id, padding
  writer.u32(message.capabilities);
  writer.zeros(4);
  finish_message(start, out);
}

Decoded<FeaturesReply> decode_features_reply(std::span<const std::byte> body) {
  wire::Reader in(body);
  FeaturesReply out;
  out.datapath_id = in.u64();
  out.n_buffers = in.u32();
  out.n_tables = in.u8();
  in.skip(3);
  out.capabilities = in.u32();
  in.skip(4);
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  return out;
}

void encode(const SetConfig& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_message(Type::kSetConfig, xid, out);
  wire::Writer writer(out);
  writer.u16(message.flags);
  writer.u16(message.miss_send_len);
  finish_message(start, out);
}

Decoded<SetConfig> decode_set_config(std::span<const std::byte> body) {
  wire::Reader in(body);
  SetConfig out;
  out.flags = in.u16();
  out.miss_send_len = in.u16();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  return out;
}

void encode(const BarrierRequest&, std::uint32_t xid, wire::Buffer& out) {
  encode_empty(Type::kBarrierRequest, xid, out);
}

void encode(const BarrierReply&, std::uint32_t xid, wire::Buffer& out) {
  encode_empty(Type::kBarrierReply, xid, out);
}

}  // namespace xbind::ovs::openflow
