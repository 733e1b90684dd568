#include "switchserver/gsmp/add_branch.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const AddBranch& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port_session);
  out.u32(message.reservation);
  out.u32(message.input_port.value());
  out.u32(message.input_selector);
  out.u32(message.output_port.value());
  out.u32(message.output_selector);
  out.u8(static_cast<std::uint8_t>(
      static_cast<unsigned>(message.input_qos) << 6 |
      static_cast<unsigned>(message.output_qos) << 4 | (message.one_traffic_block ? 0x08U : 0U) |
      (message.no_adaptation ? 0x02U : 0U) | (message.opaque_adaptation ? 0x01U : 0U)));
  out.u24(message.adaptation);
  encode(message.input_label, out);
  encode(message.output_label, out);
  out.bytes(message.traffic.view());
  finish_message(out, start);
}

Decoded<AddBranch> decode_add_branch(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  AddBranch out;
  out.header = header;
  out.port_session = in.u32();
  out.reservation = in.u32();
  out.input_port = PortId(in.u32());
  out.input_selector = in.u32();
  out.output_port = PortId(in.u32());
  out.output_selector = in.u32();
  const std::uint8_t bits = in.u8();
  out.input_qos = static_cast<QosModel>(bits >> 6);
  out.output_qos = static_cast<QosModel>(bits >> 4 & 0x3);
  out.one_traffic_block = (bits & 0x08) != 0;
  out.no_adaptation = (bits & 0x02) != 0;
  out.opaque_adaptation = (bits & 0x01) != 0;
  out.adaptation = in.u24();
  out.input_label = decode_label(in, problem);
  out.output_label = decode_label(in, problem);
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  out.traffic.assign(in.bytes(in.remaining()));
  return out;
}

namespace {

std::string words(QosModel model, std::uint32_t selector) {
  switch (model) {
    case QosModel::kPriority: return fmt::format("priority {}", selector);
    case QosModel::kProfile: return fmt::format("profile 0x{:08x}", selector);
    case QosModel::kService:
      return fmt::format("service {} capset {}", selector >> 16, selector & 0xffff);
    case QosModel::kOptional: return fmt::format("selector 0x{:08x}", selector);
  }
  return {};
}

// Only the form that traffic.hpp can read.
bool has_cell_rate(const AddBranch& message) {
  const std::uint32_t service = message.input_selector >> 16;
  return message.input_qos == QosModel::kService && message.one_traffic_block &&
         (service == 1 || service == 8 || service == 9);
}

}  // namespace

std::string to_string(const AddBranch& message) {
  std::string text = fmt::format(
      "{}: session 0x{:08x}, {}:{} {} -> {}:{} {}", to_string(message.header), message.port_session,
      message.input_port, to_string(message.input_label),
      words(message.input_qos, message.input_selector), message.output_port,
      to_string(message.output_label), words(message.output_qos, message.output_selector));
  if (message.reservation != 0) text += fmt::format(", reservation {}", message.reservation);
  if (message.input_label.has(kFlagBidirectional)) text += ", bidirectional";
  if (message.input_label.has(kFlagMultipoint)) text += ", to be point-to-multipoint";
  if (message.output_label.has(kFlagMultipoint)) text += ", to be multipoint-to-point";
  if (message.output_label.has(kFlagReplace)) text += ", replace";
  if (!message.no_adaptation) text += fmt::format(", adaptation 0x{:06x}", message.adaptation);
  if (message.traffic.empty()) return text;
  if (const auto rate = decode_cell_rate(message.traffic); rate && has_cell_rate(message)) {
    return text + fmt::format(", tc 0x{:02x} pcr {} cells/s cdvt {} us", rate->tc_flags,
                              rate->pcr_cells_per_s, rate->cdvt_us);
  }
  return text + fmt::format(", {} octets of traffic parameters", message.traffic.view().size());
}

}  // namespace xbind::gsmp
