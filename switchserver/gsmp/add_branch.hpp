// Add Branch (RFC 3292 section 4.3), and VPC Add Branch, which differs only in its type: the
// general connection message of section 4.1. Request, success and failure have the same form.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
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
// ~        traffic parameters, when IQS or OQS is 0b10            ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// What we send is the priority model (IQS = OQS = 00). Neither encode (into a buffer with room) nor
// decode allocates.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "switchserver/gsmp/header.hpp"
#include "switchserver/gsmp/label_field.hpp"
#include "switchserver/gsmp/traffic.hpp"

namespace xbind::gsmp {

enum class QosModel : std::uint8_t {  // IQS and OQS, 2 bits
  kPriority = 0,                      // the selector is a priority, 0 the best
  kProfile = 1,
  kService = 2,  // the selector is Service ID (16 bits) and Capability Set ID (16 bits)
  kOptional = 3,
};

constexpr std::uint32_t service_selector(std::uint16_t service, std::uint16_t capability_set) {
  return std::uint32_t{service} << 16 | capability_set;
}

struct AddBranch {
  Header header{.type = MessageType::kAddBranch};
  std::uint32_t port_session = 0;  // of the input port
  std::uint32_t reservation = 0;
  PortId input_port;
  std::uint32_t input_selector = 0;
  PortId output_port;
  std::uint32_t output_selector = 0;
  QosModel input_qos = QosModel::kPriority;
  QosModel output_qos = QosModel::kPriority;
  bool one_traffic_block = false;  // P: one block serves both directions
  bool no_adaptation = true;       // N: both ports of one kind
  bool opaque_adaptation = false;  // O: the maker's own 24 bits
  std::uint32_t adaptation = 0;    // 24 bits
  LabelField input_label;          // flags M (kFlagMultipoint) and B (kFlagBidirectional)
  LabelField output_label;         // flags M and R (kFlagReplace)
  TrafficOctets traffic;

  friend bool operator==(const AddBranch&, const AddBranch&) = default;
};

void encode(const AddBranch& message, wire::Writer& out);
// Refuses kTruncated, kLabelLength, kLabelStacked.
Decoded<AddBranch> decode_add_branch(const Header& header, std::span<const std::byte> body);
std::string to_string(const AddBranch& message);

}  // namespace xbind::gsmp
