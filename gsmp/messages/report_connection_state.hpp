// Report Connection State (RFC 3292 section 7.3): the connections of an input port, in one or more
// parts. The request and the failure share one layout, the success has another.
//
// request:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Input Port                           |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |x|S|A|V|  Input Label (8 octets)                               ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// success:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                          Input Port                           |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                        Sequence Number                        |  from 0, one per part
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                            records                            ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// record:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |A|V|P|    Record Count     |           Record Length           |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     Input Label (8 octets)                    ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~  branches: Output Port (4 octets), Output Label (8 octets)    ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// The RFC draws the first word of a record as 3 + 11 + 18 bits: flags, number of branches, octets
// of the branches. It is sent so. The decoder uses only the length, from the low 16 bits, and so
// also accepts a sender with 3 + 13 + 16 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp {

inline constexpr std::size_t kReportFixedOctets = kHeaderOctets + 8;  // of a success part
inline constexpr std::size_t kReportRecordOctets = 12;  // of a record, without its branches
inline constexpr std::size_t kReportBranchOctets = 12;
inline constexpr std::size_t kReportBranchesMax = (1 << 11) - 1;  // in one record

struct ReportRequest {
  Header header{.type = MessageType::kReportConnectionState};
  PortId input_port;
  LabelField input_label;  // flags kFlagAll (label ignored) or kFlagVpi (VCI ignored), or none

  friend bool operator==(const ReportRequest&, const ReportRequest&) = default;
};

struct ReportBranch {
  PortId output_port;
  LabelField output_label;
  friend bool operator==(const ReportBranch&, const ReportBranch&) = default;
};

struct ReportRecord {
  bool all = false;  // A and V echo the request, in the first record of each part
  bool whole_vpi = false;
  bool vpc = false;  // P: a virtual path connection
  LabelField input_label;
  std::vector<ReportBranch> branches;
  friend bool operator==(const ReportRecord&, const ReportRecord&) = default;
};

struct ReportPart {
  Header header{.type = MessageType::kReportConnectionState, .result = ResultField::kSuccess};
  PortId input_port;
  std::uint32_t sequence = 0;
  std::vector<ReportRecord> records;
  friend bool operator==(const ReportPart&, const ReportPart&) = default;
};

void encode(const ReportRequest& message, wire::Writer& out);
void encode(const ReportPart& message, wire::Writer& out);
// Both refuse kTruncated, kLabelLength, kLabelStacked; the second also kRecordLength.
Decoded<ReportRequest> decode_report_request(const Header& header, std::span<const std::byte> body);
Decoded<ReportPart> decode_report_part(const Header& header, std::span<const std::byte> body);
std::string to_string(const ReportRequest& message);
std::string to_string(const ReportPart& message);

}  // namespace xbind::gsmp
