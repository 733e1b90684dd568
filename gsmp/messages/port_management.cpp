#include "gsmp/messages/port_management.hpp"

#include <fmt/format.h>

#include <string_view>

namespace xbind::gsmp {

std::string to_string(PortFunction function) {
  switch (function) {
    case PortFunction::kBringUp: return "bring up";
    case PortFunction::kTakeDown: return "take down";
    case PortFunction::kInternalLoopback: return "internal loopback";
    case PortFunction::kExternalLoopback: return "external loopback";
    case PortFunction::kBothwayLoopback: return "bothway loopback";
    case PortFunction::kResetInputPort: return "reset input port";
    case PortFunction::kResetFlags: return "reset flags";
    case PortFunction::kSetTransmitRate: return "set transmit rate";
  }
  return fmt::format("function {}", static_cast<unsigned>(function));
}

std::uint16_t event_flag(MessageType event) {
  if (event < MessageType::kPortUp || event > MessageType::kAdjacencyUpdate) return 0;
  const unsigned number =
      static_cast<unsigned>(event) - static_cast<unsigned>(MessageType::kPortUp);
  return static_cast<std::uint16_t>(kEventPortUp >> number);
}

std::string event_flags_to_string(std::uint16_t flags) {
  constexpr std::string_view kLetters = "UDINZA";
  std::string text;
  for (std::size_t bit = 0; bit < kLetters.size(); ++bit) {
    if ((flags << bit & 0x8000) != 0) text += kLetters[bit];
  }
  return text.empty() ? "none" : text;
}

void encode(const PortManagement& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port.value());
  out.u32(message.port_session);
  out.u32(message.event_sequence);
  out.u8(message.replace ? 0x80 : 0);
  out.u8(message.duration_s);
  out.u16(static_cast<std::uint16_t>(message.function));
  out.u16(message.event_flags & kEventsAll);
  out.u16(message.flow_control_flags & kEventsAll);
  out.u32(message.transmit_cells_per_s);
  finish_message(out, start);
}

Decoded<PortManagement> decode_port_management(const Header& header,
                                               std::span<const std::byte> body) {
  wire::Reader in(body);
  PortManagement out;
  out.header = header;
  out.port = PortId(in.u32());
  out.port_session = in.u32();
  out.event_sequence = in.u32();
  out.replace = (in.u8() & 0x80) != 0;
  out.duration_s = in.u8();
  out.function = static_cast<PortFunction>(in.u16());
  out.event_flags = in.u16() & kEventsAll;
  out.flow_control_flags = in.u16() & kEventsAll;
  out.transmit_cells_per_s = in.u32();
  if (const auto error = trouble(in, {}, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const PortManagement& message) {
  std::string text = fmt::format("{}: port {} session 0x{:08x}, {}", to_string(message.header),
                                 message.port, message.port_session, to_string(message.function));
  if (message.function == PortFunction::kSetTransmitRate) {
    text += fmt::format(" {} cells/s", message.transmit_cells_per_s);
  }
  if (message.replace) text += ", connection replace";
  if (message.duration_s != 0) text += fmt::format(", for {} s", message.duration_s);
  text += fmt::format(", event flags {}, flow control flags {}",
                      event_flags_to_string(message.event_flags),
                      event_flags_to_string(message.flow_control_flags));
  if (!message.header.request()) text += fmt::format(", sequence {}", message.event_sequence);
  return text;
}

}  // namespace xbind::gsmp
