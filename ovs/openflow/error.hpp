// Error (section 7.4.4): the switch refuses a message. It has the xid of that message.
//
//   | header 8 | type 2 | code 2 | data |
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/wire/writer.hpp"
#include "ovs/openflow/decode_error.hpp"

namespace xbind::ovs::openflow {

enum class ErrorType : std::uint16_t {
  kHelloFailed = 0,
  kBadRequest = 1,
  kBadAction = 2,
  kBadInstruction = 3,
  kBadMatch = 4,
  kFlowModFailed = 5,
  kGroupModFailed = 6,
  kMeterModFailed = 12,
  kBundleFailed = 17,
};

// Codes that a controller treats in a special way; the names of all are in to_string().
inline constexpr std::uint16_t kFlowTableFull = 1;      // OFPFMFC_TABLE_FULL
inline constexpr std::uint16_t kGroupExists = 0;        // OFPGMFC_GROUP_EXISTS
inline constexpr std::uint16_t kGroupOutOfGroups = 3;   // OFPGMFC_OUT_OF_GROUPS
inline constexpr std::uint16_t kGroupOutOfBuckets = 4;  // OFPGMFC_OUT_OF_BUCKETS
inline constexpr std::uint16_t kGroupUnknown = 8;       // OFPGMFC_UNKNOWN_GROUP
inline constexpr std::uint16_t kMeterExists = 1;        // OFPMMFC_METER_EXISTS
inline constexpr std::uint16_t kMeterUnknown = 3;       // OFPMMFC_UNKNOWN_METER
inline constexpr std::uint16_t kMeterOutOfMeters = 10;  // OFPMMFC_OUT_OF_METERS

struct Error {
  std::uint16_t type = 0;  // an ErrorType, or another number
  std::uint16_t code = 0;
  // At least the first 64 octets of the refused message; text for a person in kHelloFailed.
  std::vector<std::byte> data{};

  bool is(ErrorType what, std::uint16_t which) const {
    return type == static_cast<std::uint16_t>(what) && code == which;
  }
  friend bool operator==(const Error&, const Error&) = default;
};

// The name of the code as in the specification, "OFPMMFC_METER_EXISTS"; "type 7 code 3" for types
// and codes that are not in ErrorType and its tables.
std::string to_string(const Error& error);

void encode(const Error& message, std::uint32_t xid, wire::Buffer& out);
// Refuses kTruncated.
Decoded<Error> decode_error_message(std::span<const std::byte> body);

}  // namespace xbind::ovs::openflow
