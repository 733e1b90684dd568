// The Code of a response in version 1.1 (RFC 1987 section 3.2): fewer codes than in version 3, with
// other numbers. 4 and 5 are swapped, 8 to 16 are shifted, and 7 corresponds to two codes of
// version 3.
//
// Only the codec of version 1.1 uses these numbers; FailureCode always has those of version 3.
#pragma once

#include <cstdint>

#include "gsmp/messages/header.hpp"

namespace xbind::gsmp::v1 {

// The number of `code`, or of the nearest code of version 1.1; kUnspecified (1) if there is none.
// docs/gsmp.md has the complete table. kNone is 0.
std::uint8_t failure_code_on_wire(FailureCode code);

// The meaning of `number` in an answer to `type`. 7 (VPI/VCI out of range) is kInvalidInputLabel,
// but kInvalidOutputLabel in Move Branch, whose input label names an existing connection. An
// unknown number is kUnspecified.
FailureCode failure_code_from_wire(std::uint8_t number, MessageType type);

}  // namespace xbind::gsmp::v1
