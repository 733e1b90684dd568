// All Ports Configuration (RFC 3292 section 8.3): the Port Configuration records of every port of
// the switch, in one or more parts.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |               x               |       Number of Records       |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                 records, see port_configuration.hpp           ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Number of Records is the total over all parts and equal in each, so a part is read to its end.
// Our choices: the request is header and Port 0; a request without the Port is accepted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gsmp/messages/port_configuration.hpp"

namespace xbind::gsmp {

struct AllPortsRequest {
  Header header{.type = MessageType::kAllPortsConfiguration};
  friend bool operator==(const AllPortsRequest&, const AllPortsRequest&) = default;
};

struct AllPortsPart {
  Header header{.type = MessageType::kAllPortsConfiguration, .result = ResultField::kSuccess};
  std::uint16_t total = 0;  // over all parts
  std::vector<PortRecord> records;
  friend bool operator==(const AllPortsPart&, const AllPortsPart&) = default;
};

void encode(const AllPortsRequest& message, wire::Writer& out);
void encode(const AllPortsPart& message, wire::Writer& out);
Decoded<AllPortsRequest> decode_all_ports_request(const Header& header,
                                                  std::span<const std::byte> body);
// Refuses kTruncated and the refusals of decode_port_record.
Decoded<AllPortsPart> decode_all_ports_part(const Header& header, std::span<const std::byte> body);
std::string to_string(const AllPortsRequest& message);
std::string to_string(const AllPortsPart& message);

}  // namespace xbind::gsmp
