// Adjacency (RFC 3292 section 11.1): SYN, SYNACK, ACK and RSTACK, all of one form, 32 octets. It
// has no header of section 3.1 and no Length: over TCP the frame's Length is the only one.
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
// Longer messages are accepted and their tail ignored (ANCP appends capabilities).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/wire/writer.hpp"
#include "gsmp/decode_error.hpp"
#include "gsmp/timers.hpp"

namespace xbind::gsmp {

inline constexpr std::size_t kAdjacencyOctets = 32;

enum class AdjacencyCode : std::uint8_t { kSyn = 1, kSynAck = 2, kAck = 3, kRstAck = 4 };

// PType: 0 no partition (or leave it to the switch), 1 requested, 2 assigned.
inline constexpr std::uint8_t kPartitionNone = 0;
inline constexpr std::uint8_t kPartitionRequested = 1;
inline constexpr std::uint8_t kPartitionAssigned = 2;
// PFlag: on conflict the lower wins.
inline constexpr std::uint8_t kNewAdjacency = 1;        // the switch forgets its connections
inline constexpr std::uint8_t kRecoveredAdjacency = 2;  // the switch keeps them

// One end of the link, as it names itself. All zero: not known.
struct Endpoint {
  std::uint64_t name = 0;  // 48 bits, MAC style, unique per device
  std::uint32_t port = 0;  // 0 by default over TCP
  std::uint32_t instance =
      0;  // 24 bits, in version 1.1 32, never 0 once known, new at every reset of the link

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

struct AdjacencyMessage {
  std::uint8_t version = 3;               // or 1: which octets it is in (v1/adjacency.hpp)
  std::uint8_t timer = kAdjacencyPeriod;  // in 100 ms, 1..255: how often the sender speaks
  bool from_master = false;               // M: means something in a SYN only
  AdjacencyCode code = AdjacencyCode::kSyn;
  Endpoint sender;
  Endpoint receiver;
  std::uint8_t partition_type = kPartitionNone;       // 4 bits
  std::uint8_t partition_flag = kRecoveredAdjacency;  // 4 bits
  std::uint8_t partition = 0;

  friend bool operator==(const AdjacencyMessage&, const AdjacencyMessage&) = default;
};

void encode(const AdjacencyMessage& message, wire::Writer& out);
// Refuses kTruncated, kVersion, kAdjacencyCode, kAdjacencyTimer, kAdjacencyInstance (a sender
// without one, except in RSTACK, which is built from what the other end had sent).
Decoded<AdjacencyMessage> decode_adjacency(std::span<const std::byte> message);
std::string to_string(AdjacencyCode code);

// A Sender Name for `device`: "02:..", locally administered, the same for the same text.
std::uint64_t name_from(std::string_view device);
std::string to_string(const AdjacencyMessage& message);
std::string name_to_string(std::uint64_t name);  // "02:00:00:0a:00:01"

}  // namespace xbind::gsmp
