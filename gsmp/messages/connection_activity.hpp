// Connection Activity (RFC 3292 section 7.1): the traffic counts of many connections in one
// message. Request and answers share one layout; a failure has no records.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |       Number of Records       |               x               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                            records                            ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// record:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |V|C|A|x|       TC Count        |        TC Block Length        |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Input Port                           |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                                                               |
// +                    Traffic Count (64 bits)                    +
// |                                                               |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                    Input Label (8 octets)                     ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Our choices: a record always has room for one Traffic Count, 24 octets in total. With a valid
// count, TC Count 1 and TC Block Length 8 are sent, otherwise zeros. Records with more counts are
// refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp {

inline constexpr std::size_t kActivityRecordOctets = 24;
// As many as fit into the longest message we send: 682.
inline constexpr std::size_t kActivityRecordsMax =
    (kSentOctetsMax - kHeaderOctets - 4) / kActivityRecordOctets;

struct ActivityRecord {
  bool valid = false;       // V, of an answer: the connection exists
  bool no_counter = false;  // C, of an answer: `active` is valid, `traffic_cells` is not
  bool active = false;      // A: traffic has passed since the last request
  PortId input_port;
  std::uint64_t traffic_cells = 0;  // free-running; frames if the port is not ATM
  LabelField input_label;

  bool has_count() const { return valid && !no_counter; }
  friend bool operator==(const ActivityRecord&, const ActivityRecord&) = default;
};

struct ConnectionActivity {
  Header header{.type = MessageType::kConnectionActivity};
  std::vector<ActivityRecord> records;

  friend bool operator==(const ConnectionActivity&, const ConnectionActivity&) = default;
};

void encode(const ConnectionActivity& message, wire::Writer& out);
// Refuses kTruncated, kElementCount, kTrafficCount, kLabelLength, kLabelStacked.
Decoded<ConnectionActivity> decode_connection_activity(const Header& header,
                                                       std::span<const std::byte> body);
std::string to_string(const ConnectionActivity& message);

}  // namespace xbind::gsmp
