// A line over UDP in the plain form (plain.hpp), one cell per datagram, to an ATM switch of another
// vendor. For cells in MPLS see udp_trunk.hpp.
//
// One system call sends or receives many datagrams. Never blocks; poll pollable() to wait for
// cells. Accepts only datagrams from the peer's address and port.
#pragma once

#include <cstdint>
#include <memory>

#include "core/result.hpp"
#include "dataplane/links/link_spec.hpp"
#include "dataplane/links/udp_end.hpp"

namespace xbind::dataplane {

struct UdpPlainOptions {
  net::UdpAddress local{};  // port 0: the operating system chooses one
  // Port 0: not known yet; nothing is sent or accepted before set_peer_port().
  net::UdpAddress peer{};
  HeaderForm form = HeaderForm::kNni;  // kUni: cells with a VPI above 255 are lost and counted
  std::size_t socket_buffer_octets = 1U << 20;  // requested from the operating system, each way
};

// kBadInput: an invalid address; kSystem: the socket cannot be opened.
Result<std::unique_ptr<UdpEnd>> open_udp_plain(const UdpPlainOptions& options);

}  // namespace xbind::dataplane
