// State and statistics in version 1.1 (RFC 1987 section 5). VC Activity 48, request and answers:
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                        header, 8 octets                       ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       Number of Records       |               x               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// record, 16 octets:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Input Port                           |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |V|C|A|x|     Input VPI         |          Input VCI            |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                    Traffic Count (64 bits)                    |
// |                                                               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Port Statistics 49 and VC Statistics 50: Port and a label word (ignored in 49), 16 octets. The
// success appends the ten 64-bit counters in the order of version 3: 96 octets.
#pragma once

#include <span>

#include "gsmp/messages/connection_activity.hpp"
#include "gsmp/messages/statistics.hpp"

namespace xbind::gsmp::v1 {

inline constexpr std::size_t kActivityRecordOctets = 16;
inline constexpr std::size_t kActivityRecordsMax = 120;

void encode(const ConnectionActivity& message, wire::Writer& out);
void encode(const StatisticsRequest& message, wire::Writer& out);
void encode(const Statistics& message, wire::Writer& out);

// All refuse kTruncated, the first also kElementCount.
Decoded<ConnectionActivity> decode_connection_activity(const Header& header,
                                                       std::span<const std::byte> body);
Decoded<StatisticsRequest> decode_statistics_request(const Header& header,
                                                     std::span<const std::byte> body);
Decoded<Statistics> decode_statistics(const Header& header, std::span<const std::byte> body);

}  // namespace xbind::gsmp::v1
