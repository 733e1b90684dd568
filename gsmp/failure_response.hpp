// Answers that copy their request (RFC 3292 section 3.1.1): a failure is the whole request with
// Result and Code changed, and so is the success of an Add Branch. Copying octets keeps even what
// we did not understand.
#pragma once

#include <cstddef>
#include <span>

#include "core/wire/writer.hpp"
#include "gsmp/header.hpp"

namespace xbind::gsmp {

// Appends one frame, in the version of the request; `code` is translated to it. `request` is a received
// message of at least 12 octets (8 in version 1.1), without its frame header; if its Length claims more octets than there are, the copy says the truth. What follows
// the message in its frame is not copied.
void append_copy(wire::Buffer& out, std::span<const std::byte> request, ResultField result,
                 FailureCode code);

inline void append_failure(wire::Buffer& out, std::span<const std::byte> request,
                           FailureCode code) {
  append_copy(out, request, ResultField::kFailure, code);
}

}  // namespace xbind::gsmp
