// The general connection message (RFC 3292 section 4.1): the fields after the header that Add
// Branch, VPC Add Branch and Reservation Request share. Delete Tree and Delete All have the same
// layout but use few of the fields, so they have structs of their own.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |  of the input port
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                        Reservation ID                         |  0: none
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Input Port                           |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                    Input Service Selector                     |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Output Port                          |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                    Output Service Selector                    |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |IQS|OQS|P|x|N|O|              Adaptation Method                |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |x|S|M|B|  Input Label (8 octets)                               ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |x|S|M|R|  Output Label (8 octets)                              ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~        traffic parameters, see qos_fields.hpp                 ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"
#include "gsmp/messages/qos_fields.hpp"

namespace xbind::gsmp {

inline constexpr std::size_t kConnectionOctets = 56;  // header and fields, without traffic
                                                      // parameters

struct ConnectionFields : QosFields {
  std::uint32_t port_session = 0;  // of the input port
  std::uint32_t reservation = 0;
  PortId input_port;
  PortId output_port;
  LabelField input_label;   // flags M (kFlagMultipoint) and, in Add Branch, B (kFlagBidirectional)
  LabelField output_label;  // flags M and, in Add Branch, R (kFlagReplace)

  friend bool operator==(const ConnectionFields&, const ConnectionFields&) = default;
};

// Writes header and body. Does not allocate if the buffer has room.
void encode_connection(const Header& header, const ConnectionFields& fields, wire::Writer& out);
// Whether a service without its traffic parameters is refused.
enum class TrafficRule : std::uint8_t {
  kRequired,        // a reservation
  kUnlessReserved,  // an Add Branch: its reservation may supply them
  kOptional,        // an answer: a copied request may be the one refused for missing parameters
};

// Returns the error, if any: kTruncated, kLabelLength, kLabelStacked or what decode_traffic notes.
// Never allocates.
std::optional<DecodeError> decode_connection(std::span<const std::byte> body,
                                             ConnectionFields& fields, TrafficRule rule);
// "session 0x5eed0001, 1:0/100 priority 0 -> 2:0/200 priority 0, ..."
std::string to_string(const ConnectionFields& fields);

}  // namespace xbind::gsmp
