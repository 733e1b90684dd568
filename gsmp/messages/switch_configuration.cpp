#include "gsmp/messages/switch_configuration.hpp"

#include <fmt/format.h>

#include "gsmp/messages/adjacency.hpp"

namespace xbind::gsmp {

void encode(const SwitchConfiguration& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  for (const std::uint8_t type : message.model_types) out.u8(type);
  out.u16(message.firmware_version);
  out.u16(message.window);
  out.u16(message.switch_type);
  out.u48(message.switch_name);
  out.u32(message.max_reservations);
  finish_message(out, start);
}

Decoded<SwitchConfiguration> decode_switch_configuration(const Header& header,
                                                         std::span<const std::byte> body) {
  wire::Reader in(body);
  SwitchConfiguration out;
  out.header = header;
  for (std::uint8_t& type : out.model_types) type = in.u8();
  out.firmware_version = in.u16();
  out.window = in.u16();
  out.switch_type = in.u16();
  out.switch_name = in.u48();
  out.max_reservations = in.u32();
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const SwitchConfiguration& message) {
  const auto& types = message.model_types;
  if (!message.header.success()) {
    return fmt::format("{}: mtype {}", to_string(message.header), types[0]);
  }
  return fmt::format(
      "{}: mtype {} offers {} {} {}, firmware 0x{:04x}, window {}, type 0x{:04x}, name {}, "
      "max reservations {}",
      to_string(message.header), types[0], types[1], types[2], types[3], message.firmware_version,
      message.window, message.switch_type, name_to_string(message.switch_name),
      message.max_reservations);
}

}  // namespace xbind::gsmp
