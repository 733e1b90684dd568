#include "switchserver/gsmp/connection_fields.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode_connection(const Header& header, const ConnectionFields& fields, wire::Writer& out) {
  const std::size_t start = begin_message(out, header);
  out.u32(fields.port_session);
  out.u32(fields.reservation);
  out.u32(fields.input_port.value());
  out.u32(fields.input_selector);
  out.u32(fields.output_port.value());
  out.u32(fields.output_selector);
  encode_qos_word(fields, out);
  encode(fields.input_label, out);
  encode(fields.output_label, out);
  encode_traffic(fields, out);
  finish_message(out, start);
}

std::optional<DecodeError> decode_connection(std::span<const std::byte> body,
                                             ConnectionFields& fields, TrafficRule rule) {
  wire::Reader in(body);
  Problem problem;
  fields.port_session = in.u32();
  fields.reservation = in.u32();
  fields.input_port = PortId(in.u32());
  fields.input_selector = in.u32();
  fields.output_port = PortId(in.u32());
  fields.output_selector = in.u32();
  decode_qos_word(in, fields);
  fields.input_label = decode_label(in, problem);
  fields.output_label = decode_label(in, problem);
  const bool required = rule == TrafficRule::kRequired ||
                        (rule == TrafficRule::kUnlessReserved && fields.reservation == 0);
  if (in.ok()) decode_traffic(in, fields, required, problem);
  return trouble(in, problem, body.size());
}

std::string to_string(const ConnectionFields& fields) {
  std::string text = fmt::format("session 0x{:08x}, {}:{} {} -> {}:{} {}", fields.port_session,
                                 fields.input_port, to_string(fields.input_label),
                                 selector_to_string(fields.input_qos, fields.input_selector),
                                 fields.output_port, to_string(fields.output_label),
                                 selector_to_string(fields.output_qos, fields.output_selector));
  if (fields.reservation != 0) text += fmt::format(", reservation {}", fields.reservation);
  if (fields.input_label.has(kFlagBidirectional)) text += ", bidirectional";
  if (fields.input_label.has(kFlagMultipoint)) text += ", to be point-to-multipoint";
  if (fields.output_label.has(kFlagMultipoint)) text += ", to be multipoint-to-point";
  if (fields.output_label.has(kFlagReplace)) text += ", replace";
  return text + to_string(static_cast<const QosFields&>(fields));
}

}  // namespace xbind::gsmp
