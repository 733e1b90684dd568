#include "gsmp/v1/ports.hpp"

#include <algorithm>

#include "gsmp/messages/header_v1.hpp"

namespace xbind::gsmp::v1 {
namespace {

// Event flags have 8 bits here and 16 in version 3. There is no Adjacency Update.
constexpr std::uint16_t kEvents = kEventsAll & ~kEventAdjacency;

void encode_record(const PortRecord& record, wire::Writer& out) {
  // A port without ATM labels has an empty range: lowest above highest.
  const AtmBounds range = atm_label_range(record).value_or(AtmBounds{1, 0, 1, 0});
  out.u32(record.port.value());
  out.u32(record.port_session);
  out.u16(static_cast<std::uint16_t>(range.vpi_min & 0xfff));
  out.u16(static_cast<std::uint16_t>(range.vpi_max & 0xfff));
  out.u16(static_cast<std::uint16_t>(range.vci_min));
  out.u16(static_cast<std::uint16_t>(range.vci_max));
  out.u32(record.transmit_cells_per_s);
  out.u8(static_cast<std::uint8_t>(record.port_status));
  out.u8(0);
  out.u8(static_cast<std::uint8_t>(record.line_status));
  out.u8(record.priorities);
}

PortRecord decode_record(wire::Reader& in) {
  PortRecord record;
  record.port = PortId(in.u32());
  record.port_session = in.u32();
  const std::uint32_t vpi_min = in.u16() & 0xfff;
  const std::uint32_t vpi_max = in.u16() & 0xfff;
  const std::uint32_t vci_min = in.u16();
  const std::uint32_t vci_max = in.u16();
  record.label_ranges.push_back(
      {label_field(atm_label(vpi_min, vci_min)), label_field(atm_label(vpi_max, vci_max))});
  record.transmit_cells_per_s = in.u32();
  record.receive_cells_per_s = record.transmit_cells_per_s;
  record.port_status = static_cast<PortStatus>(in.u8());
  in.skip(1);
  record.line_status = static_cast<LineStatus>(in.u8());
  record.priorities = in.u8();
  return record;
}

// Returns the decoded message, or kTruncated if octets are missing.
template <class T>
Decoded<T> unless_short(const wire::Reader& in, std::span<const std::byte> body, T&& out) {
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return std::forward<T>(out);
}

}  // namespace

void encode(const PortManagement& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.u32(message.port.value());
  out.u32(message.port_session);
  out.u32(message.event_sequence);
  out.u8(static_cast<std::uint8_t>((message.event_flags & kEvents) >> 8));
  out.u8(message.duration_s);
  out.u16(static_cast<std::uint16_t>(message.function));
}

Decoded<PortManagement> decode_port_management(const Header& header,
                                               std::span<const std::byte> body) {
  wire::Reader in(body);
  PortManagement out;
  out.header = header;
  out.port = PortId(in.u32());
  out.port_session = in.u32();
  out.event_sequence = in.u32();
  out.event_flags = static_cast<std::uint16_t>(in.u8() << 8 & kEvents);
  out.duration_s = in.u8();
  out.function = static_cast<PortFunction>(in.u16());
  if (header.success()) out.flow_control_flags = kEvents;
  return unless_short(in, body, std::move(out));
}

void encode(const SwitchConfiguration& message, wire::Writer& out) {
  encode_header(message.header, out);
  if (!message.header.success()) return out.u32(0);
  out.u16(message.firmware_version);
  out.u16(0);
  out.u16(message.switch_type);
  out.u48(message.switch_name);
}

Decoded<SwitchConfiguration> decode_switch_configuration(const Header& header,
                                                         std::span<const std::byte> body) {
  wire::Reader in(body);
  SwitchConfiguration out;
  out.header = header;
  if (header.success()) {
    out.firmware_version = in.u16();
    in.skip(2);
    out.switch_type = in.u16();
    out.switch_name = in.u48();
  } else {
    in.skip(4);
  }
  return unless_short(in, body, std::move(out));
}

void encode(const PortConfigurationRequest& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.u32(message.port.value());
}

Decoded<PortConfigurationRequest> decode_port_configuration_request(
    const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  PortConfigurationRequest out;
  out.header = header;
  out.port = PortId(in.u32());
  return unless_short(in, body, std::move(out));
}

void encode(const PortConfiguration& message, wire::Writer& out) {
  encode_header(message.header, out);
  encode_record(message.record, out);
}

Decoded<PortConfiguration> decode_port_configuration(const Header& header,
                                                     std::span<const std::byte> body) {
  wire::Reader in(body);
  PortConfiguration out;
  out.header = header;
  out.record = decode_record(in);
  return unless_short(in, body, std::move(out));
}

void encode(const AllPortsRequest& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.u32(0);
}

Decoded<AllPortsRequest> decode_all_ports_request(const Header& header,
                                                  std::span<const std::byte> body) {
  wire::Reader in(body);
  in.skip(4);
  return unless_short(in, body, AllPortsRequest{header});
}

void encode(const AllPortsPart& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.u16(message.total);
  out.u16(kPortRecordOctets);
  for (const PortRecord& record : message.records) encode_record(record, out);
}

Decoded<AllPortsPart> decode_all_ports_part(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  AllPortsPart out;
  out.header = header;
  out.total = in.u16();
  const std::uint16_t record_octets = in.u16();
  if (in.ok() && record_octets != kPortRecordOctets) {
    return refuse(Refusal::kRecordLength, record_octets);
  }
  if (out.total > 0 && in.ok() && in.remaining() == 0) {
    return refuse(Refusal::kElementCount, out.total);  // the record count could never be reached
  }
  while (in.remaining() > 0 && out.records.size() < out.total) {
    out.records.push_back(decode_record(in));
  }
  return unless_short(in, body, std::move(out));
}

void encode(const Event& message, wire::Writer& out) {
  encode_header(message.header, out);
  out.u32(message.port.value());
  out.u32(message.port_session);
  out.u32(message.sequence);
  encode_label(message.label, out);
}

Decoded<Event> decode_event(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  Event out;
  out.header = header;
  out.port = PortId(in.u32());
  out.port_session = in.u32();
  out.sequence = in.u32();
  const LabelField label = decode_label(in);
  if (header.type == MessageType::kInvalidLabel) out.label = label;
  return unless_short(in, body, std::move(out));
}

}  // namespace xbind::gsmp::v1
