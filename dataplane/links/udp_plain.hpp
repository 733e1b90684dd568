// A line over UDP in the plain form (plain.hpp), one cell in each datagram, to somebody else's ATM
// switch. Cells in MPLS are udp_trunk.hpp's.
//
// Many datagrams go in one system call and come in one. Never blocks; whoever wants to wait for cells
// polls pollable(). Only datagrams from the peer's address and port are taken.
#pragma once

#include <cstdint>
#include <memory>

#include "core/result.hpp"
#include "dataplane/links/link_spec.hpp"
#include "dataplane/links/udp_end.hpp"

namespace xbind::dataplane {

struct UdpPlainOptions {
  UdpAddress local{};  // port 0: one that the operating system chooses
  // Port 0: not known yet, nothing is sent or taken before set_peer_port().
  UdpAddress peer{};
  HeaderForm form = HeaderForm::kNni;  // kUni: cells with a VPI above 255 are lost, counted
  std::size_t socket_buffer_octets = 1U << 20;  // asked of the operating system, each way
};

// kBadInput: a host that is no address; kSystem: no such socket here.
Result<std::unique_ptr<UdpEnd>> open_udp_plain(const UdpPlainOptions& options);

}  // namespace xbind::dataplane
