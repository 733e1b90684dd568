// Adjacency (RFC 3292 section 11.1): SYN, SYNACK, ACK and RSTACK share one layout of 32 octets. It
// has neither the header of section 3.1 nor a Length field: over TCP only the frame has a Length.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |    Version    | Type = 10     |     Timer     |M|    Code     |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Sender Name (48 bits)                    |
// +                               +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                               |                               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+                               +
// |                     Receiver Name (48 bits)                   |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Sender Port                          |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                         Receiver Port                         |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// | PType | PFlag |                Sender Instance                |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// | Partition ID  |               Receiver Instance               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// The decoder accepts longer messages and ignores the tail (ANCP appends capabilities).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/wire/writer.hpp"
#include "gsmp/messages/decode_error.hpp"
#include "gsmp/messages/timers.hpp"

namespace xbind::gsmp {

inline constexpr std::size_t kAdjacencyOctets = 32;

enum class AdjacencyCode : std::uint8_t { kSyn = 1, kSynAck = 2, kAck = 3, kRstAck = 4 };

// PType: 0 no partition (or the switch decides), 1 requested, 2 assigned.
inline constexpr std::uint8_t kPartitionNone = 0;
inline constexpr std::uint8_t kPartitionRequested = 1;
inline constexpr std::uint8_t kPartitionAssigned = 2;
// PFlag: on conflict the lower value wins.
inline constexpr std::uint8_t kNewAdjacency = 1;        // the switch forgets its connections
inline constexpr std::uint8_t kRecoveredAdjacency = 2;  // the switch keeps them

// One end of the link, by the identity it announces. All zero: not known.
struct Endpoint {
  std::uint64_t name = 0;  // 48 bits, MAC style, unique per device
  std::uint32_t port = 0;  // 0 by default over TCP
  std::uint32_t instance =
      0;  // 24 bits (32 in version 1.1); never 0 once known; new at every reset of the link

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

struct AdjacencyMessage {
  std::uint8_t version = 3;               // or 1: the wire format (adjacency_v1.hpp)
  std::uint8_t timer = kAdjacencyPeriod;  // units of 100 ms, 1..255: the sender's period
  bool from_master = false;               // M: meaningful in a SYN only
  AdjacencyCode code = AdjacencyCode::kSyn;
  Endpoint sender;
  Endpoint receiver;
  std::uint8_t partition_type = kPartitionNone;       // 4 bits
  std::uint8_t partition_flag = kRecoveredAdjacency;  // 4 bits
  std::uint8_t partition = 0;

  friend bool operator==(const AdjacencyMessage&, const AdjacencyMessage&) = default;
};

void encode(const AdjacencyMessage& message, wire::Writer& out);
// Refuses kTruncated, kVersion, kAdjacencyCode, kAdjacencyTimer, kAdjacencyInstance. A Sender
// Instance of 0 is allowed in RSTACK alone, because RSTACK copies what the other end sent.
Decoded<AdjacencyMessage> decode_adjacency(std::span<const std::byte> message);
std::string to_string(AdjacencyCode code);

// A Sender Name for `device`: "02:..", locally administered. Equal texts give equal names.
std::uint64_t name_from(std::string_view device);
std::string to_string(const AdjacencyMessage& message);
std::string name_to_string(std::uint64_t name);  // "02:00:00:0a:00:01"

}  // namespace xbind::gsmp
