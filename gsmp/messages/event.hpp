// Events (RFC 3292 section 9): unsolicited messages of the switch. Six types share one layout of 32
// octets.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~         header (3.1), 12 octets, transaction 0                ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                     Event Sequence Number                     |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~              Label (8 octets), in Invalid Label               ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Adjacency Update (85) has no port: the port fields are 0 (our choice). The header's Code is the
// number of controllers with an adjacency to the switch or partition.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp {

struct Event {
  Header header{.type = MessageType::kPortUp, .result = ResultField::kEvent};
  PortId port;
  std::uint32_t port_session = 0;
  std::uint32_t sequence = 0;  // per port; incremented for each event detected, sent or not
  LabelField label;

  friend bool operator==(const Event&, const Event&) = default;
};

void encode(const Event& message, wire::Writer& out);
// Refuses kTruncated, kLabelLength, kLabelStacked.
Decoded<Event> decode_event(const Header& header, std::span<const std::byte> body);
std::string to_string(const Event& message);

}  // namespace xbind::gsmp
