#include "ovs/openflow/messages.hpp"

#include <utility>

#include "core/wire/reader.hpp"
#include "ovs/openflow/multipart.hpp"

namespace xbind::ovs::openflow {
namespace {

template <class T>
Decoded<Body> widen(Decoded<T>&& decoded) {
  if (!decoded) return tl::make_unexpected(decoded.error());
  return Body(std::in_place_type<T>, *std::move(decoded));
}

// A reply, with the flag of its multipart header.
template <class T>
Decoded<Body> widen_reply(Decoded<T>&& decoded, bool more) {
  if (decoded) decoded->more = more;
  return widen(std::move(decoded));
}

template <class T>
Body with_data(std::span<const std::byte> data) {
  return T{.data = {data.begin(), data.end()}};
}

Decoded<Body> decode_request(MultipartType type, std::span<const std::byte> entries) {
  switch (type) {
    case MultipartType::kFlow: return widen(decode_flow_stats_request(entries));
    case MultipartType::kPortStats: return widen(decode_port_stats_request(entries));
    case MultipartType::kGroupDesc: return GroupDescRequest{};
    case MultipartType::kMeterConfig: return widen(decode_meter_config_request(entries));
    case MultipartType::kPortDesc: return PortDescRequest{};
  }
  return Unknown{.multipart = static_cast<std::uint16_t>(type)};
}

Decoded<Body> decode_reply(MultipartType type, bool more, std::span<const std::byte> entries) {
  switch (type) {
    case MultipartType::kFlow: return widen_reply(decode_flow_stats_reply(entries), more);
    case MultipartType::kPortStats: return widen_reply(decode_port_stats_reply(entries), more);
    case MultipartType::kGroupDesc: return widen_reply(decode_group_desc_reply(entries), more);
    case MultipartType::kMeterConfig: return widen_reply(decode_meter_config_reply(entries), more);
    case MultipartType::kPortDesc: return widen_reply(decode_port_desc_reply(entries), more);
  }
  return Unknown{.multipart = static_cast<std::uint16_t>(type)};
}

Decoded<Body> decode_multipart(bool request, std::span<const std::byte> body) {
  wire::Reader in(body);
  const auto type = static_cast<MultipartType>(in.u16());
  const bool more = (in.u16() & kMultipartMore) != 0;
  in.skip(4);
  if (!in.ok()) return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(body.size()));
  const auto entries = in.bytes(in.remaining());
  return request ? decode_request(type, entries) : decode_reply(type, more, entries);
}

Decoded<Body> decode_body(const Header& header, std::span<const std::byte> body) {
  switch (header.type) {
    case Type::kHello: return widen(decode_hello(header.version, body));
    case Type::kError: return widen(decode_error_message(body));
    case Type::kEchoRequest: return with_data<EchoRequest>(body);
    case Type::kEchoReply: return with_data<EchoReply>(body);
    case Type::kFeaturesRequest: return FeaturesRequest{};
    case Type::kFeaturesReply: return widen(decode_features_reply(body));
    case Type::kSetConfig: return widen(decode_set_config(body));
    case Type::kPortStatus: return widen(decode_port_status(body));
    case Type::kFlowMod: return widen(decode_flow_mod(body));
    case Type::kGroupMod: return widen(decode_group_mod(body));
    case Type::kMeterMod: return widen(decode_meter_mod(body));
    case Type::kMultipartRequest: return decode_multipart(true, body);
    case Type::kMultipartReply: return decode_multipart(false, body);
    case Type::kBarrierRequest: return BarrierRequest{};
    case Type::kBarrierReply: return BarrierReply{};
    case Type::kBundleControl: return widen(decode_bundle_control(body));
    case Type::kBundleAddMessage: return widen(decode_bundle_add(body));
    default: return Unknown{};
  }
}

}  // namespace

Decoded<Message> decode(std::span<const std::byte> frame) {
  const auto header = decode_header(frame);
  if (!header) return tl::make_unexpected(header.error());
  if (header->length != frame.size()) return refuse(Refusal::kFrameLength, header->length);
  auto body = decode_body(*header, frame.subspan(kHeaderOctets));
  if (!body) return tl::make_unexpected(body.error());
  return Message{.header = *header, .body = *std::move(body)};
}

}  // namespace xbind::ovs::openflow
