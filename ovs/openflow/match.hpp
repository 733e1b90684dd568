// The match of a flow (sections 7.2.2 and 7.2.2.7): which packets the flow takes.
//
//   | type 2 = 1 | length 2 | OXM fields | padding to 8 |     length: without the padding
//   OXM field: | class 2 = 0x8000 | field 7 bits, has mask 1 bit | length 1 | value | mask |
#pragma once

#include <cstdint>
#include <optional>

#include "core/frame_classes.hpp"
#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"
#include "ovs/openflow/decode_error.hpp"

namespace xbind::ovs::openflow {

inline constexpr std::uint16_t kEthTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEthTypeVlan = 0x8100;
inline constexpr std::uint16_t kEthTypeMpls = 0x8847;
inline constexpr std::uint32_t kMplsLabelMax = 0xfffff;  // 20 bits
inline constexpr std::uint16_t kVlanUntagged = 0;
inline constexpr std::uint16_t kVlanMax = 4094;

using xbind::Ipv4Prefix;

// Match{} takes every packet. The sender must set eth_type with a field that needs one: 0x8847 (or
// 0x8848) with mpls_label, 0x0800 with ipv4_dst. The switch refuses a match without it
// (OFPBMC_BAD_PREREQ).
struct Match {
  std::uint32_t in_port = 0;                  // 1 to 0xffffff00; 0: any port
  std::optional<std::uint16_t> eth_type{};    // behind the VLAN tag, if there is one
  std::optional<std::uint32_t> mpls_label{};  // of the outermost entry, 0 to kMplsLabelMax
  // kVlanUntagged (no tag), or a VLAN id of 1 to kVlanMax; unset: with or without a tag.
  std::optional<std::uint16_t> vlan_vid{};
  std::optional<Ipv4Prefix> ipv4_dst{};
  // Decoded only: the match has a field, mask or value that this struct cannot hold, so the flow is
  // not one of ours. The members above hold what they can.
  bool foreign = false;

  friend bool operator==(const Match&, const Match&) = default;
};

// Appends the match with its padding, at most 56 octets. Values beyond their ranges, and
// `foreign`, are bugs of the caller.
void encode(const Match& match, wire::Writer& out);
// Reads a match with its padding. Refuses kTruncated, kMatchType, kMatchLength, kFieldLength.
Decoded<Match> decode_match(wire::Reader& in);

}  // namespace xbind::ovs::openflow
