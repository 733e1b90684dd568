// The header of every message except adjacency (RFC 3292 section 3.1). Version 1.1 has another
// header (header_v1.hpp), decoded into the same struct.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |    Version    | Message Type  |    Result     |     Code      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// | Partition ID  |            Transaction Identifier             |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |I|      SubMessage Number      |            Length             |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Our choices where the RFC leaves one: I and SubMessage Number are sent as 0x8001 (one segment,
// the first). 0x0000 and 0x0001 are accepted too and encoded again as 0x8001. Any other value is a
// segment, which TCP never needs, and is refused. Encoding computes Length; the struct has no such
// field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"
#include "gsmp/messages/decode_error.hpp"
#include "gsmp/messages/failure_code.hpp"

namespace xbind::gsmp {

inline constexpr std::uint8_t kVersion = 3;
inline constexpr std::size_t kHeaderOctets = 12;
inline constexpr std::uint32_t kTransactionMax = 0xffffff;
// The longest message we send; received ones may be longer.
inline constexpr std::size_t kSentOctetsMax = 16384;

// RFC 3292 appendix A. Each type has a file of its own; kVerifyTree is in gsmp/v1/verify_tree.hpp.
// Other numbers are decoded as Opaque.
enum class MessageType : std::uint8_t {
  kAdjacency = 10,
  kAddBranch = 16,
  kDeleteBranches = 17,
  kDeleteTree = 18,
  kVerifyTree = 19,
  kDeleteAllInput = 20,
  kDeleteAllOutput = 21,
  kMoveOutputBranch = 22,
  kMoveInputBranch = 23,
  kVpcAddBranch = 26,
  kVpcMoveOutputBranch = 27,
  kVpcMoveInputBranch = 28,
  kPortManagement = 32,
  kLabelRange = 33,
  kConnectionActivity = 48,
  kPortStatistics = 49,
  kConnectionStatistics = 50,
  kReportConnectionState = 52,
  kSwitchConfiguration = 64,
  kPortConfiguration = 65,
  kAllPortsConfiguration = 66,
  kServiceConfiguration = 67,
  kReservationRequest = 70,
  kDeleteReservation = 71,
  kDeleteAllReservations = 72,
  kPortUp = 80,
  kPortDown = 81,
  kInvalidLabel = 82,
  kNewPort = 83,
  kDeadPort = 84,
  kAdjacencyUpdate = 85,
  // In the model "xbind-sr" only (schedulable_region.hpp).
  kGetParameterSupport = 220,
  kSetTrafficClasses = 221,
  kGetTrafficClasses = 222,
  kGetEstimationSupport = 223,
  kSetEstimationPolicy = 224,
  kGetEstimationPolicy = 225,
  kSetSchedulableRegion = 226,
  kGetSchedulableRegion = 227,
};

enum class ResultField : std::uint8_t {
  kEvent = 0,         // an event without an answer
  kNoSuccessAck = 1,  // request: answer only a failure
  kAckAll = 2,        // request: answer always
  kSuccess = 3,
  kFailure = 4,
  kMore = 5,           // a success that another part follows
  kReturnReceipt = 6,  // an event that requests an answer
};

struct Header {
  std::uint8_t version = kVersion;  // 3 or 1: the wire format
  MessageType type = MessageType::kAddBranch;
  ResultField result = ResultField::kAckAll;
  FailureCode code = FailureCode::kNone;  // event 85: the number of adjacencies
  std::uint8_t partition = 0;
  std::uint32_t transaction = 0;  // 24 bits, version 1.1: 32; 0 in events, never in our requests

  bool request() const {
    return result == ResultField::kAckAll || result == ResultField::kNoSuccessAck;
  }
  // Success or a part of one: the body has the response layout.
  bool success() const { return result == ResultField::kSuccess || result == ResultField::kMore; }
  friend bool operator==(const Header&, const Header&) = default;
};

// A message split into header and body. `body` is a view that ends at the header's Length. Octets
// of the frame beyond that do not belong to the message.
struct HeaderAndBody {
  Header header;
  std::span<const std::byte> body;
};

namespace v1 {
Decoded<HeaderAndBody> decode_header(std::span<const std::byte> message);
}

// Refuses kTruncated, kVersion, kSegmented, kResultField, kLengthField.
inline Decoded<HeaderAndBody> decode_header(std::span<const std::byte> message) {
  if (!message.empty() && message[0] == std::byte{1}) [[unlikely]] {
    return v1::decode_header(message);
  }
  if (message.size() < kHeaderOctets) {
    return refuse(Refusal::kTruncated, static_cast<std::uint32_t>(message.size()));
  }
  wire::Fields in(message);
  HeaderAndBody out;
  out.header.version = in.u8();
  out.header.type = static_cast<MessageType>(in.u8());
  const std::uint8_t result = in.u8();
  out.header.code = static_cast<FailureCode>(in.u8());
  out.header.partition = in.u8();
  out.header.transaction = in.u24();
  const std::uint16_t sub_message = in.u16();
  const std::uint16_t length = in.u16();
  if (out.header.version != kVersion) return refuse(Refusal::kVersion, out.header.version);
  if (sub_message != 0x8001 && sub_message > 1) return refuse(Refusal::kSegmented, sub_message);
  if (result > static_cast<std::uint8_t>(ResultField::kReturnReceipt)) {
    return refuse(Refusal::kResultField, result);
  }
  if (length < kHeaderOctets || length > message.size()) {
    return refuse(Refusal::kLengthField, length);
  }
  out.header.result = static_cast<ResultField>(result);
  out.body = message.subspan(kHeaderOctets, length - kHeaderOctets);
  return out;
}

inline void put_header(const Header& header, wire::Room& out) {
  out.u8(header.version);
  out.u8(static_cast<std::uint8_t>(header.type));
  out.u8(static_cast<std::uint8_t>(header.result));
  out.u8(static_cast<std::uint8_t>(header.code));
  out.u8(header.partition);
  out.u24(header.transaction);
  out.u16(0x8001);
  out.u16(0);
}

// Writes the header with Length 0 and returns its offset. finish_message then sets Length.
inline std::size_t begin_message(wire::Writer& out, const Header& header) {
  const std::size_t start = out.size();
  wire::Room room = out.room(kHeaderOctets);
  put_header(header, room);
  return start;
}
inline void finish_message(wire::Writer& out, std::size_t start) {
  out.patch_u16(start + 10, static_cast<std::uint16_t>(out.size() - start));
}

// Every body decoder ends with this: returns the error, if any.
inline std::optional<DecodeError> trouble(const wire::Reader& in, const Problem& problem,
                                          std::size_t body_octets) {
  if (problem.first()) return problem.first();
  if (!in.ok()) return DecodeError{Refusal::kTruncated, static_cast<std::uint32_t>(body_octets)};
  return std::nullopt;
}

// Whether `version` (1 or 3) has messages of this type. Check before sending: no other type can be
// encoded in that version.
bool exists_in(MessageType type, std::uint8_t version);

std::string to_string(MessageType type);  // "add branch"; without a name: "type 99"
std::string to_string(ResultField result);
// "add branch request, transaction 257", "add branch failure: invalid port session number (5),
// ...".
std::string to_string(const Header& header);

}  // namespace xbind::gsmp
