// Octets to messages and back: the only place that looks at a message's type to choose its form.
//
// Messages here are without the TCP frame header (framing.hpp). `octets` may be longer than the
// message's own Length: the rest is ignored.
#pragma once

#include <cstddef>
#include <span>

#include "gsmp/message.hpp"

namespace xbind::gsmp {

// Refuses whatever the decoder of its type refuses.
Decoded<Message> decode(std::span<const std::byte> octets);
// The body of a message whose header has been read already; `header.type` is not kAdjacency.
Decoded<Message> decode_body(const HeaderAndBody& message);

void encode(const Message& message, wire::Writer& out);

}  // namespace xbind::gsmp
