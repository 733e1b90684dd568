#include "gsmp/messages/event.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const Event& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port.value());
  out.u32(message.port_session);
  out.u32(message.sequence);
  encode(message.label, out);
  finish_message(out, start);
}

Decoded<Event> decode_event(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  Event out;
  out.header = header;
  out.port = PortId(in.u32());
  out.port_session = in.u32();
  out.sequence = in.u32();
  out.label = decode_label(in, problem);
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const Event& message) {
  std::string text = to_string(message.header);
  if (message.header.type == MessageType::kAdjacencyUpdate) return text;
  text += fmt::format(": port {} session 0x{:08x}, sequence {}", message.port, message.port_session,
                      message.sequence);
  if (message.label.type != LabelType::kNone) {
    text += fmt::format(", label {}", to_string(message.label));
  }
  return text;
}

}  // namespace xbind::gsmp
