// Ethernet frames with an MPLS label, as a bridge of Open vSwitch sends and takes them on its links
// (ovs/forwarding.hpp): the host's frame, with the label pushed between its type and its packet.
//
//   | destination 6 | source 6 | type 8847 | label 20, TC 3, S 1, TTL 8 | IPv4 packet |
//
// The addresses are those of the hosts; no bridge reads or changes them. The label is that of the
// connection, as in a cell of an MPLS line (lsp.hpp). A label does not say what follows it, and the
// bridge that pops it restores the type of IPv4, so only IPv4 is carried (decisions 0065, 0137).
//
// Sent are S = 1, TC = 0 and TTL 255, whatever the connection's frames had before: cells carry
// neither, and between two frame lines they count as one hop (RFC 3443, pipe model).
//
// Pure; any thread. Sources: RFC 3032; RFC 5332 (frames of type 8848 are not taken).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "dataplane/links/frame_line.hpp"

namespace xbind::dataplane {

inline constexpr std::size_t kMplsEntryOctets = 4;

// The label of a frame without a tag, of at least kEthernetOctets: kMplsLabelMin to kMplsLabelMax.
// The error: kNotMpls, kTooShort for a label and an IPv4 header, kLabel, kExpired or kNotIpv4.
tl::expected<std::uint32_t, FrameDrop> read_mpls_label(std::span<const std::byte> frame);

// Takes the label out of the frame that begins at octets[at] and ends with `octets`, and restores
// its type. read_mpls_label() must have accepted the frame.
void pop_mpls_label(std::vector<std::byte>& octets, std::size_t at);

// Replaces `out` by a frame without tag and label, of at least kEthernetOctets, with this label.
// False: its type is not that of IPv4, or it does not begin as an IPv4 packet; `out` is then empty.
bool push_mpls_label(std::uint32_t label, std::span<const std::byte> frame,
                     std::vector<std::byte>& out);

}  // namespace xbind::dataplane
