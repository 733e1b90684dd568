// Add Branch (RFC 3292 section 4.2) and VPC Add Branch, which differs only in its message type.
// Both are general connection messages (connection_fields.hpp shows the layout). Request, success
// and failure share one layout.
//
// Repeating the request is safe: it re-asserts the branch. With `reservation` set, the request
// consumes the reservation, which may supply the traffic parameters. Decode never allocates; encode
// does not if the buffer has room.
#pragma once

#include <span>
#include <string>

#include "gsmp/messages/connection_fields.hpp"

namespace xbind::gsmp {

struct AddBranch : ConnectionFields {
  Header header{.type = MessageType::kAddBranch};

  friend bool operator==(const AddBranch&, const AddBranch&) = default;
};

void encode(const AddBranch& message, wire::Writer& out);
// Refuses kTruncated, kLabelLength, kLabelStacked and kTrafficShared; in a request also
// kTrafficMissing.
Decoded<AddBranch> decode_add_branch(const Header& header, std::span<const std::byte> body);
std::string to_string(const AddBranch& message);

}  // namespace xbind::gsmp
