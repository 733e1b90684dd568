// Adjacency in version 1.1 (RFC 1987 section 8): the 32 octets of version 3 (../adjacency.hpp) with
// these differences:
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
// It has no Timer, no M and no partition. The decoder sets timer to kTimer, from_master to false,
// no partition, and kRecoveredAdjacency, because version 1.1 cannot request a new adjacency.
#pragma once

#include <span>

#include "gsmp/messages/adjacency.hpp"

namespace xbind::gsmp::v1 {

// The assumed Timer of a peer of version 1.1, in units of 100 ms. RFC 1987 requires sending every
// second and has no rule for loss; three periods is our choice.
inline constexpr std::uint8_t kTimer = 10;

void encode_adjacency(const AdjacencyMessage& message, wire::Writer& out);
// Refuses kTruncated, kAdjacencyCode, kAdjacencyInstance.
Decoded<AdjacencyMessage> decode_adjacency(std::span<const std::byte> message);

}  // namespace xbind::gsmp::v1
