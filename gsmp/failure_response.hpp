// Answers that copy their request (RFC 3292 section 3.1.1): a failure, and the success of an Add
// Branch, is the whole request with another Result and Code. Copying octets preserves even fields
// that we cannot decode.
#pragma once

#include <cstddef>
#include <span>

#include "core/wire/writer.hpp"
#include "gsmp/messages/header.hpp"

namespace xbind::gsmp {

// Appends one frame in the version of the request and translates `code` to that version. `request`
// is a received message of at least 12 octets (8 in version 1.1), without its frame header. If its
// Length exceeds the octets received, the copy has the corrected Length. Octets after the message
// in its frame are not copied.
void append_copy(wire::Buffer& out, std::span<const std::byte> request, ResultField result,
                 FailureCode code);

inline void append_failure(wire::Buffer& out, std::span<const std::byte> request,
                           FailureCode code) {
  append_copy(out, request, ResultField::kFailure, code);
}

}  // namespace xbind::gsmp
