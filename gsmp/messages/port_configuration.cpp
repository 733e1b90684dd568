#include "gsmp/messages/port_configuration.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {
namespace {

constexpr std::size_t kRecordFixedOctets = 20;  // from Port to Data Fields Length, inclusive
constexpr std::size_t kDataFixedOctets = 20;    // port-type data without its label ranges
constexpr std::size_t kRangeOctets = 2 * kLabelOctets;

// The value of Data Fields Length: port-type data, and service data if there are any.
std::size_t data_octets(const PortRecord& record) {
  return kDataFixedOctets + record.label_ranges.size() * kRangeOctets +
         (record.services ? 4 + 4 * record.services->size() : 0);
}

// Reads the port-type data. If the range count and length disagree, notes kLabelRangeLength and
// reads no further: where the next fields begin is then unknown, and the message is refused anyway.
void decode_port_data(wire::Reader& in, PortRecord& record, Problem& problem) {
  const std::uint16_t flags_and_count = in.u16();  // P, M, L, R, Q and 11 bits of count
  const std::uint16_t length = in.u16();
  record.vp_switching = record.port_type == kPortTypeAtm && (flags_and_count & 0x8000) != 0;
  record.multicast_labels = (flags_and_count & 0x4000) != 0;
  record.logical_multicast = (flags_and_count & 0x2000) != 0;
  record.label_range_message = (flags_and_count & 0x1000) != 0;
  record.qos_messages = (flags_and_count & 0x0800) != 0;
  const std::size_t count = flags_and_count & 0x07ff;
  if (length != count * kRangeOctets || length > in.remaining()) {
    problem.note(Refusal::kLabelRangeLength, length);
    return;
  }
  record.label_ranges.resize(count);
  for (LabelRangeField& range : record.label_ranges) {
    range.min = decode_label(in, problem);
    range.max = decode_label(in, problem);
  }
  record.receive_cells_per_s = in.u32();
  record.transmit_cells_per_s = in.u32();
  record.port_status = static_cast<PortStatus>(in.u8());
  record.line_type = in.u8();
  record.line_status = static_cast<LineStatus>(in.u8());
  record.priorities = in.u8();
  record.physical_slot = in.u16();
  record.physical_port = in.u16();
}

void decode_services(wire::Reader& in, PortRecord& record) {
  in.skip(2);  // x
  const std::uint16_t count = in.u16();
  record.services.emplace();
  for (std::uint16_t i = 0; i < count && in.ok(); ++i) {
    ServiceSpec spec;
    spec.service = in.u16();
    spec.capability_set = in.u16();
    record.services->push_back(spec);
  }
}

}  // namespace

LabelRanges label_ranges(const PortRecord& record) {
  LabelRanges ranges;
  for (const LabelRangeField& range : record.label_ranges) {
    const Label min = label_of(range.min);
    const Label max = label_of(range.max);
    ranges.push_back({min.kind == max.kind ? min.kind : LabelKind::kNone, min.value, max.value});
  }
  return ranges;
}

std::optional<AtmBounds> atm_label_range(const PortRecord& record) {
  for (const LabelRange& range : label_ranges(record)) {
    if (range.kind == LabelKind::kAtm) return atm_bounds(range);
  }
  return std::nullopt;
}

std::size_t encoded_octets(const PortRecord& record) {
  return kRecordFixedOctets + data_octets(record);
}

void encode(const PortRecord& record, wire::Writer& out) {
  out.u32(record.port.value());
  out.u32(record.port_session);
  out.u32(record.event_sequence);
  out.u16(record.event_flags);
  out.u16(record.attribute_flags);
  out.u8(record.port_type);
  out.u8(record.services ? 0x80 : 0);
  out.u16(static_cast<std::uint16_t>(data_octets(record)));
  const unsigned flags =
      (record.vp_switching && record.port_type == kPortTypeAtm ? 0x8000U : 0U) |
      (record.multicast_labels ? 0x4000U : 0U) | (record.logical_multicast ? 0x2000U : 0U) |
      (record.label_range_message ? 0x1000U : 0U) | (record.qos_messages ? 0x0800U : 0U);
  out.u16(static_cast<std::uint16_t>(flags | (record.label_ranges.size() & 0x07ff)));
  out.u16(static_cast<std::uint16_t>(record.label_ranges.size() * kRangeOctets));
  for (const LabelRangeField& range : record.label_ranges) {
    encode(range.min, out);
    encode(range.max, out);
  }
  out.u32(record.receive_cells_per_s);
  out.u32(record.transmit_cells_per_s);
  out.u8(static_cast<std::uint8_t>(record.port_status));
  out.u8(record.line_type);
  out.u8(static_cast<std::uint8_t>(record.line_status));
  out.u8(record.priorities);
  out.u16(record.physical_slot);
  out.u16(record.physical_port);
  if (!record.services) return;
  out.u16(0);
  out.u16(static_cast<std::uint16_t>(record.services->size()));
  for (const ServiceSpec spec : *record.services) {
    out.u16(spec.service);
    out.u16(spec.capability_set);
  }
}

PortRecord decode_port_record(wire::Reader& in, Problem& problem) {
  PortRecord record;
  record.port = PortId(in.u32());
  record.port_session = in.u32();
  record.event_sequence = in.u32();
  record.event_flags = in.u16();
  record.attribute_flags = in.u16();
  record.port_type = in.u8();
  const bool has_services = (in.u8() & 0x80) != 0;  // S
  const std::uint16_t length = in.u16();
  if (!in.ok()) return record;
  if (record.port_type != kPortTypeAtm && record.port_type != kPortTypeMpls) {
    problem.note(Refusal::kPortType, record.port_type);
    return record;
  }
  // A separate reader keeps wrong lengths inside a record from reaching into the next record. It
  // also skips octets of the record behind the fields that are read.
  wire::Reader data(in.bytes(length));
  decode_port_data(data, record, problem);
  if (has_services) decode_services(data, record);
  if (!data.ok()) problem.note(Refusal::kDataFieldsLength, length);
  return record;
}

void encode(const PortConfigurationRequest& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port.value());
  finish_message(out, start);
}

void encode(const PortConfiguration& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  encode(message.record, out);
  finish_message(out, start);
}

Decoded<PortConfigurationRequest> decode_port_configuration_request(
    const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  PortConfigurationRequest out;
  out.header = header;
  out.port = PortId(in.u32());
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

Decoded<PortConfiguration> decode_port_configuration(const Header& header,
                                                     std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  PortConfiguration out;
  out.header = header;
  out.record = decode_port_record(in, problem);
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const PortRecord& record) {
  std::string text = fmt::format("port {} session 0x{:08x}{}", record.port, record.port_session,
                                 record.port_type == kPortTypeMpls ? ", MPLS" : "");
  for (const LabelRangeField& range : record.label_ranges) {
    text += fmt::format(", labels {} to {}", to_string(range.min), to_string(range.max));
  }
  text += fmt::format(
      ", receives {} cells/s, transmits {} cells/s, status {}, line type {} status {}, {} "
      "priorities",
      record.receive_cells_per_s, record.transmit_cells_per_s,
      static_cast<unsigned>(record.port_status), record.line_type,
      static_cast<unsigned>(record.line_status), record.priorities);
  const std::string flags =
      fmt::format("{}{}{}{}{}", record.vp_switching ? "P" : "", record.multicast_labels ? "M" : "",
                  record.logical_multicast ? "L" : "", record.label_range_message ? "R" : "",
                  record.qos_messages ? "Q" : "");
  text += ", flags " + (flags.empty() ? "none" : flags);
  if (!record.services) return text;
  text += ", services";
  for (const ServiceSpec spec : *record.services) {
    text += fmt::format(" {}/{}", spec.service, spec.capability_set);
  }
  return text;
}

std::string to_string(const PortConfigurationRequest& message) {
  return fmt::format("{}: port {}", to_string(message.header), message.port);
}

std::string to_string(const PortConfiguration& message) {
  return fmt::format("{}: {}", to_string(message.header), to_string(message.record));
}

}  // namespace xbind::gsmp
