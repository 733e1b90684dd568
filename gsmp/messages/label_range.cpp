#include "gsmp/messages/label_range.hpp"

#include <fmt/format.h>

#include "core/check.hpp"

namespace xbind::gsmp {

void encode(const LabelRangeMessage& message, wire::Writer& out) {
  XB_CHECK(message.ranges.size() <= kLabelRangesMax, message.ranges.size());
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port.value());
  out.u32(message.port_session);
  const unsigned flags = (message.query ? 0x8000U : 0U) | (message.multipoint ? 0x4000U : 0U) |
                         (message.disjoint ? 0x2000U : 0U);
  out.u16(static_cast<std::uint16_t>(flags | message.ranges.size()));
  out.u16(static_cast<std::uint16_t>(message.ranges.size() * kLabelRangeOctets));
  for (const LabelRangeElement& range : message.ranges) {
    encode(range.min, out);
    encode(range.max, out);
    out.u32(range.remaining);
  }
  finish_message(out, start);
}

Decoded<LabelRangeMessage> decode_label_range(const Header& header,
                                              std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  LabelRangeMessage out;
  out.header = header;
  out.port = PortId(in.u32());
  out.port_session = in.u32();
  const std::uint16_t flags_and_count = in.u16();
  const std::uint16_t length = in.u16();
  out.query = (flags_and_count & 0x8000) != 0;
  out.multipoint = (flags_and_count & 0x4000) != 0;
  out.disjoint = (flags_and_count & 0x2000) != 0;
  const std::size_t count = flags_and_count & kLabelRangesMax;
  // Check before allocating: the peer's count and length are not trusted.
  if (in.ok() && (length != count * kLabelRangeOctets || length > in.remaining())) {
    return refuse(Refusal::kLabelRangeLength, length);
  }
  if (in.ok()) out.ranges.resize(count);
  for (LabelRangeElement& range : out.ranges) {
    range.min = decode_label(in, problem);
    range.max = decode_label(in, problem);
    range.remaining = in.u32();
  }
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

namespace {

std::string words(const LabelRangeElement& range) {
  std::string text = fmt::format("; {}{}{} to {}", range.min.has(kFlagVpiRange) ? "(vpis) " : "",
                                 range.min.has(kFlagVciRange) ? "(vcis) " : "",
                                 to_string(range.min), to_string(range.max));
  if (range.remaining == 0) return text;
  if (range.min.type != LabelType::kAtm) return text + fmt::format(", {} left", range.remaining);
  return text +
         fmt::format(", {} vpis {} vcis left", range.remaining_vpis(), range.remaining_vcis());
}

}  // namespace

std::string to_string(const LabelRangeMessage& message) {
  std::string text =
      fmt::format("{}: port {} session 0x{:08x}, {}{}{}", to_string(message.header), message.port,
                  message.port_session, message.query ? "query" : "set",
                  message.multipoint ? ", multipoint" : "", message.disjoint ? ", disjoint" : "");
  for (const LabelRangeElement& range : message.ranges) text += words(range);
  return text;
}

}  // namespace xbind::gsmp
