// Move Input Branch (RFC 3292 section 4.9, type 23), and its VPC form (type 28), which differs only
// in its type. Moves a branch from one input port and label to another; the output side stays. The
// move is atomic: the new branch replaces the old one, or nothing changes. Request, success and
// failure share one layout. Unlike Add Branch it has no Reservation ID.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                    header (3.1), 12 octets                    ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |  of the output port
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Output Port                          |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                     Input Service Selector                    |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                         Old Input Port                        |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                         New Input Port                        |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                    Output Service Selector                    |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |IQS|OQS|P|x|N|O|               Adaptation Method               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                    Output Label (8 octets)                    ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                   Old Input Label (8 octets)                  ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                   New Input Label (8 octets)                  ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~             traffic parameters, see qos_fields.hpp            ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"
#include "gsmp/messages/qos_fields.hpp"

namespace xbind::gsmp {

struct MoveInputBranch : QosFields {
  Header header{.type = MessageType::kMoveInputBranch};  // or kVpcMoveInputBranch
  std::uint32_t port_session = 0;                        // of the output port
  PortId output_port;
  PortId old_input_port;
  PortId new_input_port;
  LabelField output_label;
  LabelField old_input_label;
  LabelField new_input_label;

  friend bool operator==(const MoveInputBranch&, const MoveInputBranch&) = default;
};

void encode(const MoveInputBranch& message, wire::Writer& out);
// Refuses kTruncated, kLabelLength, kLabelStacked; kTrafficShared; in a request also
// kTrafficMissing.
Decoded<MoveInputBranch> decode_move_input_branch(const Header& header,
                                                  std::span<const std::byte> body);
std::string to_string(const MoveInputBranch& message);

}  // namespace xbind::gsmp
