// The Code of a response in version 1.1 (RFC 1987 section 3.2): other numbers than those of version 3,
// and fewer. 4 and 5 are swapped, 8 to 16 stand elsewhere, 7 is two codes of version 3.
//
// Only the codec of version 1.1 knows these numbers; FailureCode has those of version 3 everywhere.
#pragma once

#include <cstdint>

#include "gsmp/header.hpp"

namespace xbind::gsmp::v1 {

// The number that says `code`, or says what is nearest to it: kUnspecified (1) when nothing is near.
// docs/gsmp.md has the whole table. kNone is 0.
std::uint8_t failure_code_on_wire(FailureCode code);

// What number means in an answer to `type`. 7 (VPI/VCI out of range) is kInvalidInputLabel, but in
// Move Branch kInvalidOutputLabel: there the input label names a connection that exists. A number
// that version 1.1 does not have is kUnspecified.
FailureCode failure_code_from_wire(std::uint8_t number, MessageType type);

}  // namespace xbind::gsmp::v1
