#include "gsmp/messages/delete_tree.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const DeleteTree& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port_session);
  out.u32(0);  // Reservation ID
  out.u32(message.input_port.value());
  out.zeros(16);  // selectors, output port, QoS and adaptation
  encode(message.input_label, out);
  encode(LabelField{}, out);
  finish_message(out, start);
}

Decoded<DeleteTree> decode_delete_tree(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  DeleteTree out;
  out.header = header;
  out.port_session = in.u32();
  in.skip(4);
  out.input_port = PortId(in.u32());
  in.skip(16);
  out.input_label = decode_label(in, problem);
  in.skip(kLabelOctets);
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const DeleteTree& message) {
  return fmt::format("{}: session 0x{:08x}, {}:{}", to_string(message.header), message.port_session,
                     message.input_port, to_string(message.input_label));
}

}  // namespace xbind::gsmp
