// Label Range (RFC 3292 section 6.2): reads or sets the labels that an input port accepts. Request,
// success and failure share one layout. A success has Remaining; failure 40 proposes a possible
// range.
//
//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                     header (3.1), 12 octets                   ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                             Port                              |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |                      Port Session Number                      |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |Q|M|D|x|      Range Count      |         Range Length          |
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                            ranges                             ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// range:
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |x|x|V|C|  Min Label (8 octets)                                 ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// ~                      Max Label (8 octets)                     ~
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
// |        Remaining VPIs         |        Remaining VCIs         |  one number if not ATM
// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// A query (Q) with V reads the VPI range; without V it reads the VCI range of the VPI in Max Label.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "gsmp/messages/header.hpp"
#include "gsmp/messages/label_field.hpp"

namespace xbind::gsmp {

inline constexpr std::uint8_t kFlagVpiRange = 0x2;  // V of Min Label
inline constexpr std::uint8_t kFlagVciRange = 0x1;  // C of Min Label
inline constexpr std::size_t kLabelRangeOctets = 2 * kLabelOctets + 4;
inline constexpr std::size_t kLabelRangesMax = (1 << 12) - 1;  // in one message

struct LabelRangeElement {
  LabelField min;
  LabelField max;
  std::uint32_t remaining = 0;  // unused labels; ATM: VPIs in the high half, VCIs in the low half

  std::uint16_t remaining_vpis() const { return static_cast<std::uint16_t>(remaining >> 16); }
  std::uint16_t remaining_vcis() const { return static_cast<std::uint16_t>(remaining & 0xffff); }
  friend bool operator==(const LabelRangeElement&, const LabelRangeElement&) = default;
};

struct LabelRangeMessage {
  Header header{.type = MessageType::kLabelRange};
  PortId port;
  std::uint32_t port_session = 0;
  bool query = false;                     // Q: report, change nothing
  bool multipoint = false;                // M: the labels reserved for point-to-multipoint
  bool disjoint = false;                  // D: several disjoint ranges
  std::vector<LabelRangeElement> ranges;  // at most kLabelRangesMax

  friend bool operator==(const LabelRangeMessage&, const LabelRangeMessage&) = default;
};

void encode(const LabelRangeMessage& message, wire::Writer& out);
// Refuses kTruncated, kLabelRangeLength, kLabelLength, kLabelStacked.
Decoded<LabelRangeMessage> decode_label_range(const Header& header,
                                              std::span<const std::byte> body);
std::string to_string(const LabelRangeMessage& message);

}  // namespace xbind::gsmp
