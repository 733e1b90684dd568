#include "gsmp/v1/traffic.hpp"

#include "gsmp/messages/header_v1.hpp"

namespace xbind::gsmp::v1 {
namespace {

constexpr std::uint32_t kValid = 0x80000000;
constexpr std::uint32_t kNoCounter = 0x40000000;
constexpr std::uint32_t kActive = 0x20000000;

LabelField decode_whose(const Header& header, wire::Reader& in) {
  const LabelField label = decode_label(in);
  return header.type == MessageType::kPortStatistics ? LabelField{} : label;
}

}  // namespace

void encode(const ConnectionActivity& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.u16(static_cast<std::uint16_t>(message.records.size()));
  out.u16(0);
  for (const ActivityRecord& record : message.records) {
    out.u32(record.input_port.value());
    out.u32((record.valid ? kValid : 0) | (record.no_counter ? kNoCounter : 0) |
            (record.active ? kActive : 0) | (record.input_label.value & kLabelBits));
    out.u64(record.traffic_cells);
  }
}

Decoded<ConnectionActivity> decode_connection_activity(const Header& header,
                                                       std::span<const std::byte> body) {
  wire::Reader in(body);
  ConnectionActivity out;
  out.header = header;
  const std::uint16_t count = in.u16();
  in.skip(2);
  // Check before allocating: the peer's count is not trusted.
  if (count * kActivityRecordOctets > in.remaining()) return refuse(Refusal::kElementCount, count);
  out.records.resize(count);
  for (ActivityRecord& record : out.records) {
    record.input_port = PortId(in.u32());
    const std::uint32_t word = in.u32();
    record.valid = (word & kValid) != 0;
    record.no_counter = (word & kNoCounter) != 0;
    record.active = (word & kActive) != 0;
    record.input_label = {0, LabelType::kAtm, word & kLabelBits};
    record.traffic_cells = in.u64();
  }
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

void encode(const StatisticsRequest& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.u32(message.port.value());
  encode_label(message.label, out);
}

void encode(const Statistics& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.u32(message.port.value());
  encode_label(message.label, out);
  gsmp::encode(message.counters, out);
}

Decoded<StatisticsRequest> decode_statistics_request(const Header& header,
                                                     std::span<const std::byte> body) {
  wire::Reader in(body);
  StatisticsRequest out;
  out.header = header;
  out.port = PortId(in.u32());
  out.label = decode_whose(header, in);
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

Decoded<Statistics> decode_statistics(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  Statistics out;
  out.header = header;
  out.port = PortId(in.u32());
  out.label = decode_whose(header, in);
  out.counters = decode_counters(in);
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

}  // namespace xbind::gsmp::v1
