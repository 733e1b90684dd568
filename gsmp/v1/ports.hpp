// Ports in version 1.1 (RFC 1987 sections 4, 6, 7): Port Management 32, the configuration messages
// 64 to 66 and the events 80 to 84.
//
// Port Management, 24 octets, request and answers:
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                        header, 8 octets                       ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                     Event Sequence Number                     |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |U|D|I|N|Z|  x  |   Duration    |           Function            |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// The flow control of events is always on: the flags of a success show it, those of a request are
// ignored. Functions are 1 to 7.
//
// The requests 64, 65 and 66 are header and Port (0 in 64 and 66), 12 octets. Success of Switch
// Configuration, 20 octets:
//
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       Firmware Version        |               x               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |          Switch Type          |                               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+   Switch Name (48 bits)       +
// |                                                               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Success of Port Configuration, 32 octets, and record of All Ports Configuration, 24 octets:
//
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |  zero |       Min VPI         |  zero |       Max VPI         |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |            Min VCI            |            Max VCI            |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                   Cell Rate, cells a second                   |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |  Port Status  |   Port Type   |  Line Status  |  Priorities   |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Success of All Ports Configuration: Number of Records (16), Record Length (16) = 24, records. The
// number is the total over all parts, as in version 3. There is no More: only the record count
// identifies the last part. A part has at most kPortRecordsMax records.
//
// Events, 24 octets, Result and Code 0: Port, Port Session Number, Event Sequence Number, and a
// label word, used in Invalid Label only.
//
// In the structs of version 3: values that version 1.1 lacks (window, reservations, the event state
// of a port, services) are 0 or absent. The receive rate is set to the transmit rate. Port Type
// uses a numbering of its own: it is sent as 0 and not read, and line_type is ATM.
#pragma once

#include <span>

#include "gsmp/messages/all_ports_configuration.hpp"
#include "gsmp/messages/event.hpp"
#include "gsmp/messages/port_configuration.hpp"
#include "gsmp/messages/port_management.hpp"
#include "gsmp/messages/switch_configuration.hpp"

namespace xbind::gsmp::v1 {

inline constexpr std::size_t kPortRecordOctets = 24;
inline constexpr std::size_t kPortRecordsMax = 64;

void encode(const PortManagement& message, wire::Writer& out);
void encode(const SwitchConfiguration& message, wire::Writer& out);
void encode(const PortConfigurationRequest& message, wire::Writer& out);
// Encodes the first ATM label range.
void encode(const PortConfiguration& message, wire::Writer& out);
void encode(const AllPortsRequest& message, wire::Writer& out);
void encode(const AllPortsPart& message, wire::Writer& out);
void encode(const Event& message, wire::Writer& out);

// All refuse kTruncated; decode_all_ports_part also kRecordLength, and kElementCount for an empty
// part of a non-empty total.
Decoded<PortManagement> decode_port_management(const Header& header,
                                               std::span<const std::byte> body);
Decoded<SwitchConfiguration> decode_switch_configuration(const Header& header,
                                                         std::span<const std::byte> body);
Decoded<PortConfigurationRequest> decode_port_configuration_request(
    const Header& header, std::span<const std::byte> body);
Decoded<PortConfiguration> decode_port_configuration(const Header& header,
                                                     std::span<const std::byte> body);
Decoded<AllPortsRequest> decode_all_ports_request(const Header& header,
                                                  std::span<const std::byte> body);
Decoded<AllPortsPart> decode_all_ports_part(const Header& header, std::span<const std::byte> body);
Decoded<Event> decode_event(const Header& header, std::span<const std::byte> body);

}  // namespace xbind::gsmp::v1
