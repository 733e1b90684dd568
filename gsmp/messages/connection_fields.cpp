#include "gsmp/messages/connection_fields.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

namespace {

constexpr std::size_t kFieldsOctets = kConnectionOctets - kHeaderOctets;

// `In` is wire::Reader or wire::Fields.
template <class In>
void decode_fields(In& in, ConnectionFields& fields, Problem& problem) {
  fields.port_session = in.u32();
  fields.reservation = in.u32();
  fields.input_port = PortId(in.u32());
  fields.input_selector = in.u32();
  fields.output_port = PortId(in.u32());
  fields.output_selector = in.u32();
  set_qos_word(in.u32(), fields);
  fields.input_label = decode_label(in, problem);
  fields.output_label = decode_label(in, problem);
}

}  // namespace

void encode_connection(const Header& header, const ConnectionFields& fields, wire::Writer& out) {
  const std::size_t start = out.size();
  wire::Room room = out.room(kConnectionOctets);
  put_header(header, room);
  room.u32(fields.port_session);
  room.u32(fields.reservation);
  room.u32(fields.input_port.value());
  room.u32(fields.input_selector);
  room.u32(fields.output_port.value());
  room.u32(fields.output_selector);
  room.u32(qos_word(fields));
  encode(fields.input_label, room);
  encode(fields.output_label, room);
  encode_traffic(fields, out);
  finish_message(out, start);
}

std::optional<DecodeError> decode_connection(std::span<const std::byte> body,
                                             ConnectionFields& fields, TrafficRule rule) {
  wire::Reader in(body);
  Problem problem;
  if (body.size() >= kFieldsOctets) {
    wire::Fields all(in.bytes(kFieldsOctets));
    decode_fields(all, fields, problem);
  } else {
    decode_fields(in, fields, problem);
  }
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
