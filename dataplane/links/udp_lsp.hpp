// An MPLS line over UDP (lsp.hpp): all labels of the line belong to connections. It has its own
// socket, because a label does not identify its line.
//
// Consecutive cells with the same label share a datagram. One system call sends or receives many
// datagrams. Never blocks. Accepts only datagrams from the peer's address and port. Cells of the
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
  net::UdpAddress local{};  // port 0: the operating system chooses one
  // Port 0: not known yet; nothing is sent or accepted before set_peer_port().
  net::UdpAddress peer{};
  std::size_t cells_per_datagram = 24;          // 1..kLspCellsMax, at most
  std::size_t socket_buffer_octets = 1U << 20;  // requested from the operating system, each way
};

// A cell whose label is no MPLS label, or a reserved one, is lost and counted. kBadInput: an option
// out of range, or an invalid address; kSystem: the socket cannot be opened.
Result<std::unique_ptr<UdpEnd>> open_udp_lsp(const UdpLspOptions& options);

}  // namespace xbind::dataplane
