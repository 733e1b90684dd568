#include "ovs/openflow/bundle.hpp"

#include "core/check.hpp"
#include "core/wire/reader.hpp"

namespace xbind::ovs::openflow {

void encode(const BundleControl& message, std::uint32_t xid, wire::Buffer& out) {
  const std::size_t start = begin_message(Type::kBundleControl, xid, out);
  wire::Writer writer(out);
  writer.u32(message.id);
  writer.u16(static_cast<std::uint16_t>(message.type));
  writer.u16(message.flags);
  finish_message(start, out);
}

Decoded<BundleControl> decode_bundle_control(std::span<const std::byte> body) {
  wire::Reader in(body);
  BundleControl out;
  out.id = in.u32();
  const std::uint16_t type = in.u16();
  out.flags = in.u16();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  if (type > static_cast<std::uint16_t>(BundleType::kDiscardReply))
    return refuse(Refusal::kBundleType, type);
  out.type = static_cast<BundleType>(type);
  return out;
}

std::size_t begin_bundle_add(std::uint32_t id, std::uint16_t flags, std::uint32_t xid,
                             wire::Buffer& out) {
  const std::size_t start = begin_message(Type::kBundleAddMessage, xid, out);
  wire::Writer writer(out);
  writer.u32(id);
  writer.zeros(2);
  writer.u16(flags);
  return start;
}

void encode(const BundleAdd& message, std::uint32_t xid, wire::Buffer& out) {
  XB_CHECK(message.message.size() >= kHeaderOctets, message.message.size());
  const std::size_t start = begin_bundle_add(message.id, message.flags, xid, out);
  wire::Writer(out).bytes(message.message);
  finish_message(start, out);
}

Decoded<BundleAdd> decode_bundle_add(std::span<const std::byte> body) {
  wire::Reader in(body);
  BundleAdd out;
  out.id = in.u32();
  in.skip(2);
  out.flags = in.u16();
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  const auto rest = in.bytes(in.remaining());
  const auto inner = decode_header(rest);
  if (!inner) return tl::make_unexpected(inner.error());
  if (inner->length > rest.size()) return refuse(Refusal::kFrameLength, inner->length);
  out.message.assign(rest.begin(), rest.begin() + inner->length);
  return out;
}

}  // namespace xbind::ovs::openflow
