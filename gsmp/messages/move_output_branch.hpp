// Move Output Branch (RFC 3292 section 4.8, type 22), and its VPC form (type 27), which differs
// only in its type. Moves a branch of a connection from one output port and label to another. The
// move is atomic: the new branch replaces the old one, or nothing changes. Request, success and
// failure share one layout. Unlike Add Branch it has no Reservation ID.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                    header (3.1), 12 octets                    ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |  of the input port
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                           Input Port                          |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                     Input Service Selector                    |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                        Old Output Port                        |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                        New Output Port                        |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                    Output Service Selector                    |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |IQS|OQS|P|x|N|O|               Adaptation Method               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     Input Label (8 octets)                    ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                  Old Output Label (8 octets)                  ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                  New Output Label (8 octets)                  ~
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

struct MoveOutputBranch : QosFields {
  Header header{.type = MessageType::kMoveOutputBranch};  // or kVpcMoveOutputBranch
  std::uint32_t port_session = 0;                         // of the input port
  PortId input_port;
  PortId old_output_port;
  PortId new_output_port;
  LabelField input_label;
  LabelField old_output_label;
  LabelField new_output_label;

  friend bool operator==(const MoveOutputBranch&, const MoveOutputBranch&) = default;
};

void encode(const MoveOutputBranch& message, wire::Writer& out);
// Refuses kTruncated, kLabelLength, kLabelStacked; kTrafficShared; in a request also
// kTrafficMissing.
Decoded<MoveOutputBranch> decode_move_output_branch(const Header& header,
                                                    std::span<const std::byte> body);
std::string to_string(const MoveOutputBranch& message);

}  // namespace xbind::gsmp
