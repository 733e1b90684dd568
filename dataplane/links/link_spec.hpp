// The specification of a line as text, for command lines and topology files:
//
//   mpls:LOCAL/PEER/LABEL       a pseudowire: cells in MPLS in UDP (mpls.hpp)
//   lsp:LOCAL/PEER              an MPLS line: cells in MPLS in UDP, with one label per connection
//                               (lsp.hpp)
//   plain:LOCAL/PEER[/uni|/nni] one cell of 53 octets a datagram (plain.hpp); default nni
//   cfr:LOCAL/PEER              cells of a Cambridge Fast Ring, one in a datagram, repacked to ATM
//                               cells of VPI 0 (udp_cfr.hpp)
//   ring:NAME                   memory; both ends in one process, which name the same ring
//   frames:IFACE                Ethernet frames of a network interface of this host; the labels of
//                               their cells say which frames (frame_line.hpp)
//   frames:IFACE/labels         its MPLS frames, with the labels of their cells: a line to a bridge
//                               of Open vSwitch (mpls_frame.hpp)
//
// LOCAL and PEER are HOST:PORT with a numeric host, IPv6 in brackets. Each end of a line is
// specified from its own side: LOCAL here is PEER there. Port 0 in LOCAL lets the operating system
// choose the port.
//
//   mpls:127.0.1.1:6635/127.0.1.2:6635/1001     plain:[::1]:5001/[::1]:5002/uni     ring:a-b
//
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "dataplane/cells/cell.hpp"
#include "net/udp_address.hpp"

namespace xbind::dataplane {

enum class LinkKind : std::uint8_t { kMpls, kLsp, kPlain, kCfr, kRing, kFrames };

inline constexpr std::size_t kRingNameMax = 64;
inline constexpr std::size_t kInterfaceNameMax = 15;  // IFNAMSIZ less the final zero

struct LinkSpec {
  LinkKind kind = LinkKind::kRing;
  net::UdpAddress local{};  // kMpls, kLsp, kPlain, kCfr
  // The same kinds. Port 0, which no text has: not known yet (UdpEnd::set_peer_port).
  net::UdpAddress peer{};
  std::uint32_t label = 0;             // kMpls: kMplsLabelMin..kMplsLabelMax
  HeaderForm form = HeaderForm::kNni;  // kPlain
  std::string ring{};                  // kRing: 1..kRingNameMax of letters, digits, '.', '_', '-'
  std::string interface {};            // kFrames: 1..kInterfaceNameMax of the same
  bool labels = false;                 // kFrames: they are MPLS frames

  // Whether datagrams carry its cells: it then has `local` and `peer`.
  bool udp() const { return kind != LinkKind::kRing && kind != LinkKind::kFrames; }
  // The highest VPI of its cells, if they are of ATM.
  std::uint32_t vpi_max() const {
    if (kind == LinkKind::kCfr) return 0;
    return form == HeaderForm::kUni ? kUniVpiMax : kVpiMax;
  }
  friend bool operator==(const LinkSpec&, const LinkSpec&) = default;
};
// kBadInput, with the wrong part and the whole of `text`: none of the forms above, a port 0 or an
// unspecified address as PEER, or LOCAL and PEER of two address families.
Result<LinkSpec> parse_link_spec(std::string_view text);
// The result can be parsed again to the same specification.
std::string to_string(const LinkSpec& spec);

struct NamedLink {
  std::string name{};
  LinkSpec link{};
  friend bool operator==(const NamedLink&, const NamedLink&) = default;
};
// "host-a=SPEC,host-b=SPEC", in this order; empty text: none. kBadInput: as above, or an empty or
// repeated name.
Result<std::vector<NamedLink>> parse_named_links(std::string_view text);

struct PortLink {
  PortId port{};
  LinkSpec link{};
  friend bool operator==(const PortLink&, const PortLink&) = default;
};
// "2=SPEC,3=SPEC", in this order; empty text: none. kBadInput: as above, or a port that is not from
// 1 to `port_max` or is repeated.
Result<std::vector<PortLink>> parse_port_links(std::string_view text,
                                               std::uint32_t port_max = UINT32_MAX);

}  // namespace xbind::dataplane
