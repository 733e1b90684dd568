#include "gsmp/messages/delete_all.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const DeleteAll& message, wire::Writer& out) {
  const bool input = message.header.type == MessageType::kDeleteAllInput;
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port_session);
  out.u32(0);  // Reservation ID
  out.u32(input ? message.port.value() : 0);
  out.u32(0);  // Input Service Selector
  out.u32(input ? 0 : message.port.value());
  out.zeros(24);  // selector, QoS and adaptation, labels
  finish_message(out, start);
}

Decoded<DeleteAll> decode_delete_all(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  DeleteAll out;
  out.header = header;
  out.port_session = in.u32();
  in.skip(4);
  const std::uint32_t input_port = in.u32();
  in.skip(4);
  const std::uint32_t output_port = in.u32();
  in.skip(24);
  out.port = PortId(header.type == MessageType::kDeleteAllInput ? input_port : output_port);
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const DeleteAll& message) {
  return fmt::format("{}: port {} session 0x{:08x}", to_string(message.header), message.port,
                     message.port_session);
}

}  // namespace xbind::gsmp
