// Adjacency in version 1.1 (RFC 1987 section 8): the 32 octets of version 3 (../adjacency.hpp), but
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |  Version = 1  | Type = 10     |  Result = 0   |     Code      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     names and ports, as there                 ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                        Sender Instance                        |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                       Receiver Instance                       |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// No Timer, no M, no partition. In the struct: timer kTimer, from_master false, no partition, and
// kRecoveredAdjacency, since a switch of version 1.1 is never asked to forget.
#pragma once

#include <span>

#include "gsmp/adjacency.hpp"

namespace xbind::gsmp::v1 {

// What a peer of version 1.1 is taken to have announced, in 100 ms. RFC 1987 says to send every second
// and has no rule for loss: three of these is our choice.
inline constexpr std::uint8_t kTimer = 10;

void encode_adjacency(const AdjacencyMessage& message, wire::Writer& out);
// Refuses kTruncated, kAdjacencyCode, kAdjacencyInstance.
Decoded<AdjacencyMessage> decode_adjacency(std::span<const std::byte> message);

}  // namespace xbind::gsmp::v1
