// Set Schedulable Region (226) and Get Schedulable Region (227) of the model "xbind-sr", MType 201:
// messages of draft-adam-gsmp-sr-00 under the header of RFC 3292. Request, success and failure
// share one layout; the request of a Get has no planes. 226 sets an initial region, 227 reads the
// switch's own.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |           x           | Dimen |   Planes-A    |   Planes-B    |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~       intercepts of A, then of B, plane by plane              ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/schedulable_region.hpp"

namespace xbind::gsmp {

struct SchedulableRegionMessage {
  Header header{.type = MessageType::kGetSchedulableRegion};  // or kSetSchedulableRegion
  PortId port;                                                // the port of the output multiplexer
  std::uint32_t port_session = 0;
  SchedulableRegion region;

  friend bool operator==(const SchedulableRegionMessage&,
                         const SchedulableRegionMessage&) = default;
};

void encode(const SchedulableRegionMessage& message, wire::Writer& out);
// Refuses kTruncated, kElementCount (planes).
Decoded<SchedulableRegionMessage> decode_schedulable_region(const Header& header,
                                                            std::span<const std::byte> body);
std::string to_string(const SchedulableRegionMessage& message);

}  // namespace xbind::gsmp
