#include "gsmp/messages/decode_error.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {

std::string_view to_string(Refusal refusal) {
  switch (refusal) {
    case Refusal::kFrameType: return "frame type";
    case Refusal::kFrameLength: return "frame length";
    case Refusal::kTruncated: return "truncated";
    case Refusal::kVersion: return "version";
    case Refusal::kLengthField: return "length field";
    case Refusal::kSegmented: return "segmented";
    case Refusal::kResultField: return "result field";
    case Refusal::kAdjacencyCode: return "adjacency code";
    case Refusal::kAdjacencyTimer: return "adjacency timer";
    case Refusal::kAdjacencyInstance: return "adjacency instance";
    case Refusal::kLabelLength: return "label length";
    case Refusal::kLabelStacked: return "label stacked";
    case Refusal::kElementCount: return "element count";
    case Refusal::kElementLength: return "element length";
    case Refusal::kRecordLength: return "record length";
    case Refusal::kPortType: return "port type";
    case Refusal::kDataFieldsLength: return "data fields length";
    case Refusal::kLabelRangeLength: return "label range length";
    case Refusal::kTrafficMissing: return "traffic missing";
    case Refusal::kTrafficShared: return "traffic shared";
    case Refusal::kTrafficCount: return "traffic count";
  }
  return "unknown refusal";
}

std::string to_string(DecodeError error) {
  const std::uint32_t value = error.value;
  switch (error.refusal) {
    case Refusal::kFrameType: return fmt::format("frame type 0x{:04x}, not 0x880c", value);
    case Refusal::kFrameLength: return fmt::format("frame length {} is too short", value);
    case Refusal::kTruncated: return fmt::format("truncated: a body of {} octets", value);
    case Refusal::kVersion: return fmt::format("version {}, not 3 or 1", value);
    case Refusal::kLengthField:
      return fmt::format("length field {} is below 12 or beyond its frame", value);
    case Refusal::kSegmented: return fmt::format("segmented: submessage 0x{:04x}", value);
    case Refusal::kResultField: return fmt::format("result field {} does not exist", value);
    case Refusal::kAdjacencyCode: return fmt::format("adjacency code {} does not exist", value);
    case Refusal::kAdjacencyTimer: return fmt::format("adjacency timer {}", value);
    case Refusal::kAdjacencyInstance: return fmt::format("adjacency instance {}", value);
    case Refusal::kLabelLength: return fmt::format("label length {}, not 4", value);
    case Refusal::kLabelStacked: return fmt::format("label stacked on type 0x{:03x}", value);
    case Refusal::kElementCount:
      return fmt::format("element count {} does not fit the message", value);
    case Refusal::kElementLength: return fmt::format("element length {}, not 32 or 28", value);
    case Refusal::kRecordLength:
      return fmt::format("record length {} is not one of this message", value);
    case Refusal::kPortType: return fmt::format("port type {}, not 1 (ATM) or 3 (MPLS)", value);
    case Refusal::kDataFieldsLength:
      return fmt::format("data fields length {} does not match the data", value);
    case Refusal::kLabelRangeLength:
      return fmt::format("label range length {} does not match the ranges", value);
    case Refusal::kTrafficMissing:
      return fmt::format("traffic parameters of service {} are missing", value);
    case Refusal::kTrafficShared:
      return fmt::format("traffic block shared by service {} and one of other parameters", value);
    case Refusal::kTrafficCount: return fmt::format("traffic count of {} octets, not 8", value);
  }
  return fmt::format("unknown refusal {}", value);
}

}  // namespace xbind::gsmp
