#include "gsmp/messages/qos_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace xbind::gsmp {

void set_service(QosFields& fields, ServiceId service, std::uint16_t capability_set,
                 const TrafficBlock& both) {
  fields.input_qos = fields.output_qos = QosModel::kService;
  fields.input_selector = fields.output_selector = service_selector(service, capability_set);
  fields.one_traffic_block = true;
  fields.input_traffic = both;
  fields.output_traffic.reset();
}

void set_services(QosFields& fields, std::uint32_t input_selector, const TrafficBlock& input,
                  std::uint32_t output_selector, const TrafficBlock& output) {
  fields.input_qos = fields.output_qos = QosModel::kService;
  fields.input_selector = input_selector;
  fields.output_selector = output_selector;
  fields.one_traffic_block = false;
  fields.input_traffic = input;
  fields.output_traffic = output;
}

std::uint32_t qos_word(const QosFields& fields) {
  const unsigned bits =
      static_cast<unsigned>(fields.input_qos) << 6 | static_cast<unsigned>(fields.output_qos) << 4 |
      (fields.one_traffic_block ? 0x08U : 0U) | (fields.no_adaptation ? 0x02U : 0U) |
      (fields.opaque_adaptation ? 0x01U : 0U);
  return bits << 24 | (fields.adaptation & 0xffffff);
}

void encode_traffic(const QosFields& fields, wire::Writer& out) {
  if (fields.input_traffic) {
    const std::uint8_t flags = fields.input_traffic->tc_flags;
    encode(*fields.input_traffic,
           fields.one_traffic_block ? flags : static_cast<std::uint8_t>(flags | kTcIngressBlock),
           out);
  }
  if (fields.output_traffic) encode(*fields.output_traffic, fields.output_traffic->tc_flags, out);
}

void set_qos_word(std::uint32_t word, QosFields& fields) {
  fields.input_qos = static_cast<QosModel>(word >> 30);
  fields.output_qos = static_cast<QosModel>(word >> 28 & 0x3);
  fields.one_traffic_block = (word & 0x08000000) != 0;
  fields.no_adaptation = (word & 0x02000000) != 0;
  fields.opaque_adaptation = (word & 0x01000000) != 0;
  fields.adaptation = word & 0xffffff;
}

namespace {

// Whether the two services cannot share one block. False if a service is unknown.
bool differ(ServiceId a, ServiceId b) {
  const std::size_t octets = block_octets(a);
  return octets != 0 && block_octets(b) != 0 && octets != block_octets(b);
}

// Whether the block at the read position is the only one and belongs to the output side.
bool only_of_output(const wire::Reader& in, ServiceId input, ServiceId output) {
  const std::size_t first = block_octets(input);
  if (first == 0 || in.remaining() >= first + std::max<std::size_t>(block_octets(output), 4)) {
    return false;  // the first of two blocks, or one without a known length
  }
  wire::Reader ahead = in;
  return (ahead.u8() & kTcIngressBlock) == 0;
}

}  // namespace

void decode_traffic(wire::Reader& in, QosFields& fields, bool required, Problem& problem) {
  const bool input = fields.input_qos == QosModel::kService;
  const bool output = fields.output_qos == QosModel::kService;
  if (!input && !output) return;
  const ServiceId input_service = service_of(fields.input_selector);
  const ServiceId output_service = service_of(fields.output_selector);
  if (in.remaining() == 0) {
    const ServiceId service = input ? input_service : output_service;
    if (required && block_octets(service) != 0) {
      problem.note(Refusal::kTrafficMissing, static_cast<std::uint32_t>(service));
    }
    return;
  }
  if (!input) {
    fields.output_traffic = decode_traffic_block(in, output_service);
    return;
  }
  if (fields.one_traffic_block) {
    if (output && differ(input_service, output_service)) {
      problem.note(Refusal::kTrafficShared, static_cast<std::uint32_t>(output_service));
    }
    fields.input_traffic = decode_traffic_block(in, input_service);
    return;
  }
  if (output && only_of_output(in, input_service, output_service)) {
    fields.output_traffic = decode_traffic_block(in, output_service);
    return;
  }
  fields.input_traffic = decode_traffic_block(in, input_service);
  const std::size_t needed = std::max<std::size_t>(block_octets(output_service), 4);
  if (output && in.remaining() >= needed) {
    fields.output_traffic = decode_traffic_block(in, output_service);
  }
}

std::string selector_to_string(QosModel model, std::uint32_t selector) {
  switch (model) {
    case QosModel::kPriority: return fmt::format("priority {}", selector);
    case QosModel::kProfile: return fmt::format("profile 0x{:08x}", selector);
    case QosModel::kService:
      return fmt::format("{} capset {}", to_string(service_of(selector)), selector & 0xffff);
    case QosModel::kOptional: return fmt::format("selector 0x{:08x}", selector);
  }
  return {};
}

std::string to_string(const QosFields& fields) {
  std::string text;
  if (!fields.no_adaptation) text += fmt::format(", adaptation 0x{:06x}", fields.adaptation);
  if (fields.opaque_adaptation) text += " of the maker";
  if (fields.input_traffic) {
    text += fmt::format(", {}{}",
                        fields.one_traffic_block ? "" : "in: ", to_string(*fields.input_traffic));
  }
  if (fields.output_traffic) text += ", out: " + to_string(*fields.output_traffic);
  return text;
}

}  // namespace xbind::gsmp
