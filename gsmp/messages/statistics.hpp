// Port Statistics (type 49) and Connection Statistics (type 50) of RFC 3292 section 7.2:
// free-running counters of a port, or of one connection that enters at it. The request and the
// failure share one layout of 24 octets. The success appends ten counters to it: 104 octets.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~           Label (8 octets), in Connection Statistics          ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~       ten counters of 64 bits, in the order of the struct     ~  success only
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp {

struct StatisticsRequest {
  Header header{.type = MessageType::kPortStatistics};  // or kConnectionStatistics
  PortId port;
  LabelField label;  // ignored in Port Statistics

  friend bool operator==(const StatisticsRequest&, const StatisticsRequest&) = default;
};

// Counters that a switch does not maintain are 0. So are the frame counters of an ATM port, and the
// HEC errors and invalid labels of a connection.
struct Counters {
  std::uint64_t input_cells = 0;
  std::uint64_t input_frames = 0;
  std::uint64_t input_cell_discards = 0;
  std::uint64_t input_frame_discards = 0;
  std::uint64_t hec_errors = 0;
  std::uint64_t invalid_labels = 0;
  std::uint64_t output_cells = 0;
  std::uint64_t output_frames = 0;
  std::uint64_t output_cell_discards = 0;
  std::uint64_t output_frame_discards = 0;

  friend bool operator==(const Counters&, const Counters&) = default;
};

struct Statistics {
  Header header{.type = MessageType::kPortStatistics, .result = ResultField::kSuccess};
  PortId port;
  LabelField label;
  Counters counters;

  friend bool operator==(const Statistics&, const Statistics&) = default;
};

// The ten counters, in the order of the struct. If octets are missing, decoding fails in the
// reader.
void encode(const Counters& counters, wire::Writer& out);
Counters decode_counters(wire::Reader& in);

void encode(const StatisticsRequest& message, wire::Writer& out);
void encode(const Statistics& message, wire::Writer& out);
// Both refuse kTruncated, kLabelLength, kLabelStacked.
Decoded<StatisticsRequest> decode_statistics_request(const Header& header,
                                                     std::span<const std::byte> body);
Decoded<Statistics> decode_statistics(const Header& header, std::span<const std::byte> body);
std::string to_string(const StatisticsRequest& message);
std::string to_string(const Statistics& message);

}  // namespace xbind::gsmp
