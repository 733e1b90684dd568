#include "gsmp/messages/connection_activity.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {
namespace {
constexpr std::uint16_t kCountOctets = 8;
}  // namespace

void encode(const ConnectionActivity& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u16(static_cast<std::uint16_t>(message.records.size()));
  out.u16(0);
  for (const ActivityRecord& record : message.records) {
    const unsigned flags = (record.valid ? 0x8000U : 0U) | (record.no_counter ? 0x4000U : 0U) |
                           (record.active ? 0x2000U : 0U);
    out.u16(static_cast<std::uint16_t>(flags | (record.has_count() ? 1U : 0U)));
    out.u16(record.has_count() ? kCountOctets : 0);
    out.u32(record.input_port.value());
    out.u64(record.traffic_cells);
    encode(record.input_label, out);
  }
  finish_message(out, start);
}

Decoded<ConnectionActivity> decode_connection_activity(const Header& header,
                                                       std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  ConnectionActivity out;
  out.header = header;
  const std::uint16_t count = in.u16();
  in.skip(2);
  // Check before allocating: the peer's count is not trusted.
  if (count * kActivityRecordOctets > in.remaining()) return refuse(Refusal::kElementCount, count);
  out.records.resize(count);
  for (ActivityRecord& record : out.records) {
    const std::uint16_t flags_and_counts = in.u16();
    const std::uint16_t length = in.u16();
    if (length != 0 && length != kCountOctets) problem.note(Refusal::kTrafficCount, length);
    record.valid = (flags_and_counts & 0x8000) != 0;
    record.no_counter = (flags_and_counts & 0x4000) != 0;
    record.active = (flags_and_counts & 0x2000) != 0;
    record.input_port = PortId(in.u32());
    record.traffic_cells = in.u64();
    record.input_label = decode_label(in, problem);
  }
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const ConnectionActivity& message) {
  std::string text =
      fmt::format("{}: {} records", to_string(message.header), message.records.size());
  for (const ActivityRecord& record : message.records) {
    text += fmt::format("; {}:{}", record.input_port, to_string(record.input_label));
    if (!message.header.success()) continue;
    if (!record.valid) {
      text += " unknown";
    } else if (record.no_counter) {
      text += record.active ? " active" : " idle";
    } else {
      text += fmt::format(" {} cells", record.traffic_cells);
    }
  }
  return text;
}

}  // namespace xbind::gsmp
