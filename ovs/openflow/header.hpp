// The header of every OpenFlow message (OpenFlow Switch Specification 1.4.0, section 7.1.1; all
// sections named in this folder are of that document):
//
//   | version 1 | type 1 | length 2 | xid 4 |
//
// All numbers are big-endian. This folder knows wire version 0x05 (1.4) only, and of it what a
// controller of label-switched connections needs. Octets in, octets out: no socket, no clock. Any
// thread, if no two threads use one object at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/wire/writer.hpp"
#include "ovs/openflow/decode_error.hpp"

namespace xbind::ovs::openflow {

inline constexpr std::uint8_t kVersion = 5;  // OpenFlow 1.4
inline constexpr std::size_t kHeaderOctets = 8;
inline constexpr std::size_t kMessageOctetsMax = 65535;  // the largest length of a header

enum class Type : std::uint8_t {
  kHello = 0,
  kError = 1,
  kEchoRequest = 2,
  kEchoReply = 3,
  kExperimenter = 4,
  kFeaturesRequest = 5,
  kFeaturesReply = 6,
  kGetConfigRequest = 7,
  kGetConfigReply = 8,
  kSetConfig = 9,
  kPacketIn = 10,
  kFlowRemoved = 11,
  kPortStatus = 12,
  kPacketOut = 13,
  kFlowMod = 14,
  kGroupMod = 15,
  kPortMod = 16,
  kTableMod = 17,
  kMultipartRequest = 18,
  kMultipartReply = 19,
  kBarrierRequest = 20,
  kBarrierReply = 21,
  kRoleRequest = 24,
  kRoleReply = 25,
  kGetAsyncRequest = 26,
  kGetAsyncReply = 27,
  kSetAsync = 28,
  kMeterMod = 29,
  kRoleStatus = 30,
  kTableStatus = 31,
  kRequestForward = 32,
  kBundleControl = 33,
  kBundleAddMessage = 34,
};

struct Header {
  Type type = Type::kHello;         // may be a number that the enumeration does not name
  std::uint16_t length = 0;         // octets of the whole message with this header, at least 8
  std::uint32_t xid = 0;            // an answer has the xid of its request
  std::uint8_t version = kVersion;  // another one in Hello and Error only

  friend bool operator==(const Header&, const Header&) = default;
};

// "FlowMod"; "Unknown" for a number without a name.
std::string_view to_string(Type type);

// Reads the header of a message; `octets` may be longer than the message. Refuses kTruncated,
// kVersion, kHeaderLength.
Decoded<Header> decode_header(std::span<const std::byte> octets);

// Appends a header whose length is still 0. Returns the offset of the message in `out`.
std::size_t begin_message(Type type, std::uint32_t xid, wire::Buffer& out);
// Sets the length of the message that began at `start` and ends with `out`. A message longer than
// kMessageOctetsMax is a bug of the caller.
void finish_message(std::size_t start, wire::Buffer& out);

}  // namespace xbind::ovs::openflow
