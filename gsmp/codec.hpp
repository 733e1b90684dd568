// Converts octets to messages and back. The only place that chooses a layout by message type.
//
// Messages here have no TCP frame header (framing.hpp). `octets` may be longer than the message's
// own Length; the rest is ignored.
#pragma once

#include <cstddef>
#include <span>

#include "gsmp/message.hpp"

namespace xbind::gsmp {

// Refuses what the decoder of the message's type refuses.
Decoded<Message> decode(std::span<const std::byte> octets);
// Decodes the body of a message with a decoded header. `header.type` must not be kAdjacency.
Decoded<Message> decode_body(const HeaderAndBody& message);

void encode(const Message& message, wire::Writer& out);

}  // namespace xbind::gsmp
