#include "ovs/openflow/decode_error.hpp"

#include <fmt/format.h>

namespace xbind::ovs::openflow {

std::string_view to_string(Refusal refusal) {
  switch (refusal) {
    case Refusal::kVersion: return "version";
    case Refusal::kHeaderLength: return "header length";
    case Refusal::kFrameLength: return "frame length";
    case Refusal::kTruncated: return "truncated";
    case Refusal::kMatchType: return "match type";
    case Refusal::kMatchLength: return "match length";
    case Refusal::kFieldLength: return "field length";
    case Refusal::kInstructionLength: return "instruction length";
    case Refusal::kActionLength: return "action length";
    case Refusal::kBucketLength: return "bucket length";
    case Refusal::kBandLength: return "band length";
    case Refusal::kEntryLength: return "entry length";
    case Refusal::kPropertyLength: return "property length";
    case Refusal::kHelloElementLength: return "hello element length";
    case Refusal::kFlowCommand: return "flow command";
    case Refusal::kGroupCommand: return "group command";
    case Refusal::kMeterCommand: return "meter command";
    case Refusal::kPortReason: return "port reason";
    case Refusal::kBundleType: return "bundle type";
  }
  return "unknown refusal";
}

std::string to_string(DecodeError error) {
  const std::uint32_t value = error.value;
  switch (error.refusal) {
    case Refusal::kVersion: return fmt::format("version {}, not 5", value);
    case Refusal::kHeaderLength: return fmt::format("header length {}, below 8", value);
    case Refusal::kFrameLength:
      return fmt::format("frame length {} is not that of the message", value);
    case Refusal::kTruncated: return fmt::format("truncated: {} octets", value);
    case Refusal::kMatchType: return fmt::format("match type {}, not 1 (OXM)", value);
    case Refusal::kFlowCommand:
    case Refusal::kGroupCommand:
    case Refusal::kMeterCommand:
    case Refusal::kPortReason:
    case Refusal::kBundleType:
      return fmt::format("{} {} does not exist", to_string(error.refusal), value);
    case Refusal::kMatchLength:
    case Refusal::kFieldLength:
    case Refusal::kInstructionLength:
    case Refusal::kActionLength:
    case Refusal::kBucketLength:
    case Refusal::kBandLength:
    case Refusal::kEntryLength:
    case Refusal::kPropertyLength:
    case Refusal::kHelloElementLength:
      return fmt::format("{} {} does not fit", to_string(error.refusal), value);
  }
  return fmt::format("unknown refusal {}", value);
}

}  // namespace xbind::ovs::openflow
