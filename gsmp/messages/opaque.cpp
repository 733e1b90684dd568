#include "gsmp/messages/opaque.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

void encode(const Opaque& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.bytes(message.body);
  finish_message(out, start);
}

Decoded<Opaque> decode_opaque(const Header& header, std::span<const std::byte> body) {
  return Opaque{header, {body.begin(), body.end()}};
}

std::string to_string(const Opaque& message) {
  constexpr std::size_t kShownMax = 64;
  std::string text = fmt::format("{}: {} octets", to_string(message.header), message.body.size());
  for (std::size_t i = 0; i < message.body.size() && i < kShownMax; ++i) {
    text +=
        fmt::format("{}{:02x}", i % 4 == 0 ? " " : "", std::to_integer<unsigned>(message.body[i]));
  }
  if (message.body.size() > kShownMax) text += " ...";
  return text;
}

}  // namespace xbind::gsmp
