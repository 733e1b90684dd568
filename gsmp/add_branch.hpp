// Add Branch (RFC 3292 section 4.2), and VPC Add Branch, which differs only in its type: the
// general connection message (connection_fields.hpp has its picture). Request, success and failure
// have the same form.
//
// Repeating one is safe: it re-asserts the branch. With reservation set, the reservation is used up
// and may bring the traffic parameters along. Neither encode (into a buffer with room) nor decode
// allocates.
#pragma once

#include <span>
#include <string>

#include "gsmp/connection_fields.hpp"

namespace xbind::gsmp {

struct AddBranch : ConnectionFields {
  Header header{.type = MessageType::kAddBranch};

  friend bool operator==(const AddBranch&, const AddBranch&) = default;
};

void encode(const AddBranch& message, wire::Writer& out);
// Refuses kTruncated, kLabelLength, kLabelStacked; a request also kTrafficMissing and any
// kTrafficShared.
Decoded<AddBranch> decode_add_branch(const Header& header, std::span<const std::byte> body);
std::string to_string(const AddBranch& message);

}  // namespace xbind::gsmp
