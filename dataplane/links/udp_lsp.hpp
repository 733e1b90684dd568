// An MPLS line over UDP (lsp.hpp): all labels of the line are labels of connections. It has a socket of
// its own, for a label does not tell whose line it belongs to.
//
// Cells that follow each other and have one label share a datagram. Many datagrams go in one system call
// and come in one. Never blocks. Only datagrams from the peer's address and port are taken. Cells of the
// datagrams read last wait here, at most DatagramBatch::kSize * kLspCellsMax of them.
#pragma once

#include <cstdint>
#include <memory>

#include "core/result.hpp"
#include "dataplane/links/link_spec.hpp"
#include "dataplane/links/lsp.hpp"
#include "dataplane/links/udp_end.hpp"

namespace xbind::dataplane {

struct UdpLspOptions {
  UdpAddress local{};  // port 0: one that the operating system chooses
  // Port 0: not known yet, nothing is sent or taken before set_peer_port().
  UdpAddress peer{};
  std::size_t cells_per_datagram = 24;          // 1..kLspCellsMax, at most
  std::size_t socket_buffer_octets = 1U << 20;  // asked of the operating system, each way
};

// A cell whose label is no MPLS label, or reserved, is lost and counted. kBadInput: an option out of its
// range, or a host that is no address; kSystem: no such socket here.
Result<std::unique_ptr<UdpEnd>> open_udp_lsp(const UdpLspOptions& options);

}  // namespace xbind::dataplane
