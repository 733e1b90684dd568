// Delete Branches (RFC 3292 section 4.7): deletes many branches, of any connections, with one
// message.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |               x               |      Number of Elements       |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                           elements                            ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// element:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// | Error |           x           |        Element Length         |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |  of the input port
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Input Port                           |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Output Port                          |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                    Input Label (8 octets)                     ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                    Output Label (8 octets)                    ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// A success has no elements: encode writes none, decode reads none. A failure copies the request
// with Code 10; every element has its Error or 0. Elements are independent: some branches may be
// deleted although the message failed. Our choices: Element Length is 32, the whole element (28 is
// accepted too). The Error field has 4 bits, so a code above 15 is sent as 1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp {

inline constexpr std::size_t kDeleteElementOctets = 32;
// As many as fit into the longest message we send: 511.
inline constexpr std::size_t kDeleteElementsMax =
    (kSentOctetsMax - kHeaderOctets - 4) / kDeleteElementOctets;

struct DeleteElement {
  FailureCode error = FailureCode::kNone;  // in a failure; 4 bits on the wire
  std::uint32_t port_session = 0;
  PortId input_port;
  PortId output_port;
  LabelField input_label;
  LabelField output_label;

  friend bool operator==(const DeleteElement&, const DeleteElement&) = default;
};

struct DeleteBranches {
  Header header{.type = MessageType::kDeleteBranches};
  std::vector<DeleteElement> elements;

  friend bool operator==(const DeleteBranches&, const DeleteBranches&) = default;
};

void encode(const DeleteBranches& message, wire::Writer& out);
// The same for elements that the caller stores.
void encode_delete_branches(const Header& header, std::span<const DeleteElement> elements,
                            wire::Writer& out);
// Refuses kTruncated, kElementCount, kElementLength, kLabelLength, kLabelStacked.
Decoded<DeleteBranches> decode_delete_branches(const Header& header,
                                               std::span<const std::byte> body);
std::string to_string(const DeleteBranches& message);

}  // namespace xbind::gsmp
