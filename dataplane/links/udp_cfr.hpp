// A line to a Cambridge Fast Ring over UDP: one cell of the ring (cells/cfr_cell.hpp) per datagram,
// repacked to and from ATM cells of VPI 0 (cfr_repacking.hpp).
//
// Cells with a wrong CRC count as hec_errors, other datagrams that are no cell as malformed. Cells
// to the ring that have no place in it (another VPI, OAM, resource management) are lost and
// counted. Never blocks; poll pollable() to wait for cells, and call receive() by next_due().
// Accepts only datagrams from the peer's address and port.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "dataplane/cells/timers.hpp"
#include "dataplane/links/link_spec.hpp"
#include "dataplane/links/udp_end.hpp"

namespace xbind::dataplane {

struct UdpCfrOptions {
  net::UdpAddress local{};  // port 0: the operating system chooses one
  // Port 0: not known yet; nothing is sent or accepted before set_peer_port().
  net::UdpAddress peer{};
  Duration wait = kDataplaneTimers["cfr-wait"];  // of CfrRepacking
  std::function<TimePoint()> clock{};            // never goes back; not empty
  std::size_t socket_buffer_octets = 1U << 20;   // requested from the operating system, each way
};

// kBadInput: an invalid address; kSystem: the socket cannot be opened.
Result<std::unique_ptr<UdpEnd>> open_udp_cfr(const UdpCfrOptions& options);

}  // namespace xbind::dataplane
