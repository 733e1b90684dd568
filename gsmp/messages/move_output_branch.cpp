#include "gsmp/messages/move_output_branch.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const MoveOutputBranch& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port_session);
  out.u32(message.input_port.value());
  out.u32(message.input_selector);
  out.u32(message.old_output_port.value());
  out.u32(message.new_output_port.value());
  out.u32(message.output_selector);
  encode_qos_word(message, out);
  encode(message.input_label, out);
  encode(message.old_output_label, out);
  encode(message.new_output_label, out);
  encode_traffic(message, out);
  finish_message(out, start);
}

Decoded<MoveOutputBranch> decode_move_output_branch(const Header& header,
                                                    std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  MoveOutputBranch out;
  out.header = header;
  out.port_session = in.u32();
  out.input_port = PortId(in.u32());
  out.input_selector = in.u32();
  out.old_output_port = PortId(in.u32());
  out.new_output_port = PortId(in.u32());
  out.output_selector = in.u32();
  decode_qos_word(in, out);
  out.input_label = decode_label(in, problem);
  out.old_output_label = decode_label(in, problem);
  out.new_output_label = decode_label(in, problem);
  if (in.ok()) decode_traffic(in, out, header.request(), problem);
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const MoveOutputBranch& message) {
  return fmt::format("{}: session 0x{:08x}, {}:{} {} -> {}:{}, now {}:{} {}{}",
                     to_string(message.header), message.port_session, message.input_port,
                     to_string(message.input_label),
                     selector_to_string(message.input_qos, message.input_selector),
                     message.old_output_port, to_string(message.old_output_label),
                     message.new_output_port, to_string(message.new_output_label),
                     selector_to_string(message.output_qos, message.output_selector),
                     to_string(static_cast<const QosFields&>(message)));
}

}  // namespace xbind::gsmp
