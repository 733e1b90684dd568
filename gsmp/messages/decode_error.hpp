// Why the decoder refused received octets: every refusal has a name and carries the offending
// value. Only kFrameType and kFrameLength break the stream, so the connection must be closed. Every
// other refusal affects a single message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace xbind::gsmp {

enum class Refusal : std::uint8_t {
  kFrameType,          // RFC 3293 4: value = the type found, not 0x880c
  kFrameLength,        // value = the frame's Length: below 12, or below 32 for an adjacency message
  kTruncated,          // the body is too short for its fields; value = octets of the body
  kVersion,            // value = the version, not 3 or 1
  kLengthField,        // RFC 3292 3.1: value = Length: below 12 or beyond the frame
  kSegmented,          // value = I and SubMessage Number of a segment: never used over TCP
  kResultField,        // value = a Result that does not exist
  kAdjacencyCode,      // RFC 3292 11.1: value = a Code that is not SYN, SYNACK, ACK or RSTACK
  kAdjacencyTimer,     // value = 0: no period
  kAdjacencyInstance,  // value = 0: an instance is never 0
  kLabelLength,        // value = the label's length, not 4
  kLabelStacked,       // value = the type of a label followed by another one
  kElementCount,       // value = a number of elements or records that does not fit the message
  kElementLength,      // Delete Branches: value = an Element Length that is neither 32 nor 28
  kRecordLength,  // Report Connection State: value = a length that is no multiple of 12; All Ports
                  // Configuration of version 1.1: value = a Record Length that is not 24
  kPortType,      // Port Configuration: value = a PortType other than ATM and MPLS
  kDataFieldsLength,  // Port Configuration: value = a length that does not match the data
  kLabelRangeLength,  // Port Configuration, Label Range: value = a length that does not match the
                      // range count or the message
  kTrafficMissing,    // value = the Service ID without traffic parameters
  kTrafficShared,  // value = the output Service ID: it and the input service cannot share one block
  kTrafficCount,   // Connection Activity: value = a TC Block Length that is neither 0 nor 8
};

struct DecodeError {
  Refusal refusal;
  std::uint32_t value = 0;

  friend bool operator==(DecodeError, DecodeError) = default;
};

template <class T>
using Decoded = tl::expected<T, DecodeError>;

inline tl::unexpected<DecodeError> refuse(Refusal refusal, std::uint32_t value) {
  return tl::make_unexpected(DecodeError{refusal, value});
}

// The stream is broken: the octets that follow cannot be trusted.
constexpr bool breaks_stream(DecodeError error) {
  return error.refusal == Refusal::kFrameType || error.refusal == Refusal::kFrameLength;
}

std::string_view to_string(Refusal refusal);  // "frame type", "label length", ...
std::string to_string(DecodeError error);     // "frame type 0x0800, not 0x880c"

// The first error among the fields of one message. A decoder reads all fields and checks once at
// the end.
class Problem {
 public:
  void note(Refusal refusal, std::uint32_t value) {
    if (!first_) first_ = DecodeError{refusal, value};
  }
  const std::optional<DecodeError>& first() const { return first_; }

 private:
  std::optional<DecodeError> first_;
};

}  // namespace xbind::gsmp
