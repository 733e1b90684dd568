// Why the decoder refused received octets: every refusal has a name and carries the offending
// value. kVersion and kHeaderLength break the stream, so the connection must be closed. Every other
// refusal affects a single message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace xbind::ovs::openflow {

enum class Refusal : std::uint8_t {
  kVersion,             // value = the version, not 5; Hello and Error may have any version
  kHeaderLength,        // value = the header's length, below 8
  kFrameLength,         // value = the header's length, which is not the length of the frame
  kTruncated,           // value = octets of the body or entry, too few for its fields
  kMatchType,           // 7.2.2.1: value = a match type other than 1 (OXM)
  kMatchLength,         // value = the length of a match: below 4 or beyond the message
  kFieldLength,         // 7.2.2.2: value = the length of an OXM field that does not fit its field
  kInstructionLength,   // 7.2.4: value = a length below 8, no multiple of 8, or beyond the message
  kActionLength,        // 7.2.5: value = as above, or not the length that the action has
  kBucketLength,        // 7.3.4.3: value = below 16, no multiple of 8, or beyond the message
  kBandLength,          // 7.3.4.4: value = below 12, or beyond the message, or not 16 (drop)
  kEntryLength,         // 7.3.5: value = the length of an entry of a multipart reply or of a port
  kPropertyLength,      // value = the length of a property: below 4, or beyond its port
  kHelloElementLength,  // 7.5.1: value = the length of an element: below 4, or beyond the message
  kFlowCommand,         // value = a command of FlowMod that does not exist
  kGroupCommand,        // value = a command of GroupMod that does not exist
  kMeterCommand,        // value = a command of MeterMod that does not exist
  kPortReason,          // value = a reason of PortStatus that does not exist
  kBundleType,          // value = a type of BundleControl that does not exist
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
  return error.refusal == Refusal::kVersion || error.refusal == Refusal::kHeaderLength;
}

std::string_view to_string(Refusal refusal);  // "version", "action length", ...
std::string to_string(DecodeError error);     // "version 4, not 5"

}  // namespace xbind::ovs::openflow
