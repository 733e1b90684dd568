// Pseudowires: cells in MPLS (mpls.hpp) over UDP. One socket carries as many lines as there are
// labels. A line is identified by its label and its peer's host; any port of the peer is accepted,
// because RFC 7510 lets the sender choose it.
//
//   port 1 ◀─ Link, label 1001 ─┐           datagram ─▶ label known? ─▶ of its peer? ─▶ cells
//   port 2 ◀─ Link, label 1002 ─┼─ socket    malformed  unknown_label   unknown_peer   wait for
//   port 3 ◀─ Link, label 1003 ─┘                                                      receive()
//
// When cells are requested from one link, it receives one batch of datagrams for all links. Cells
// of the others wait with them, at most waiting_cells_max each; further ones are dropped and
// counted (LinkCounters::overrun).
//
// One system call sends or receives many datagrams. Never blocks. There is no acknowledgement:
// datagrams that the network loses are lost, as on a line.
//
// The trunk and all its links belong to one thread. The socket lives as long as the last of them.
#pragma once

#include <cstdint>
#include <memory>

#include "core/result.hpp"
#include "dataplane/links/link_spec.hpp"
#include "dataplane/links/mpls.hpp"
#include "dataplane/links/udp_end.hpp"

namespace xbind::dataplane {

struct UdpTrunkOptions {
  net::UdpAddress local{};              // port 0: the operating system chooses one
  std::size_t cells_per_datagram = 24;  // 1..170; 28 fill an Ethernet frame, 170 one of 9000
  std::size_t socket_buffer_octets = 1U << 20;  // requested from the operating system, each way
  std::size_t waiting_cells_max = 1U << 14;     // of each link, 52 octets each; 1 or more
  std::size_t links_max = 1024;
};

// Datagrams for no link. Free-running.
struct UdpTrunkCounters {
  std::uint64_t malformed = 0;      // too short for a cell, or not exactly one label
  std::uint64_t unknown_label = 0;  // no link has it
  std::uint64_t unknown_peer = 0;   // a link has the label, but its peer is on another host

  friend bool operator==(const UdpTrunkCounters&, const UdpTrunkCounters&) = default;
};

class UdpTrunk {
 public:
  // kBadInput: an option out of range, or an invalid address; kSystem: the socket cannot be opened.
  static Result<UdpTrunk> open(const UdpTrunkOptions& options);

  // Adds a line that sends cells to `peer` and accepts them from any port of its host, under
  // `label` in both directions (kMplsLabelMin..kMplsLabelMax). Port 0 of `peer`: not known yet,
  // nothing is sent before set_peer_port(). kBadInput: a label out of range, an invalid address,
  // another address family than the trunk's, or a label that a line of this host already has.
  // kExhausted: links_max exist.
  Result<std::unique_ptr<UdpEnd>> add(const net::UdpAddress& peer, std::uint32_t label);

  std::uint16_t local_port() const;
  std::size_t links() const;
  const UdpTrunkCounters& counters() const;
  std::shared_ptr<const net::Descriptor> pollable() const;

  struct State;

 private:
  explicit UdpTrunk(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // shared with the links
};

}  // namespace xbind::dataplane
