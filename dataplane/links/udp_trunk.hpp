// Pseudowires: cells in MPLS (mpls.hpp) over UDP, as many lines on one socket as there are labels. A
// line is told from the others by its label and its peer's host; the peer's port may be any, for
// RFC 7510 lets the sender choose it.
//
//   port 1 ◀── Link, label 1001 ──┐              datagram ──▶ label known? ──▶ of its peer? ──▶ cells
//   port 2 ◀── Link, label 1002 ──┼── socket       malformed   unknown_label    unknown_peer    wait for
//   port 3 ◀── Link, label 1003 ──┘                                                            receive()
//
// Whichever link is asked for cells, it takes what has come for all of them off the socket, one batch of
// datagrams at a time; cells of the others wait with them, at most waiting_cells_max each, and what
// comes beyond that is dropped and counted (LinkCounters::overrun).
//
// Many datagrams go in one system call and come in one. Never blocks. There is no acknowledgement: what
// the network loses is lost, as on a line.
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
  UdpAddress local{};                   // port 0: one that the operating system chooses
  std::size_t cells_per_datagram = 24;  // 1..170; 28 fill an Ethernet frame, 170 one of 9000
  std::size_t socket_buffer_octets = 1U << 20;  // asked of the operating system, each way
  std::size_t waiting_cells_max = 1U << 14;     // of each link, 52 octets each; 1 or more
  std::size_t links_max = 1024;
};

// Datagrams that no link got. Free-running.
struct UdpTrunkCounters {
  std::uint64_t malformed = 0;      // too short for a cell, or not exactly one label
  std::uint64_t unknown_label = 0;  // no link has it
  std::uint64_t unknown_peer = 0;   // a link has the label, but not with a peer on this host

  friend bool operator==(const UdpTrunkCounters&, const UdpTrunkCounters&) = default;
};

class UdpTrunk {
 public:
  // kBadInput: an option out of its range, or a host that is no address; kSystem: no such socket here.
  static Result<UdpTrunk> open(const UdpTrunkOptions& options);

  // A line more: cells to `peer`, port 0: not known yet, nothing is sent before set_peer_port(); from
  // any port of its host, under `label` in both directions (kMplsLabelMin..kMplsLabelMax).
  // kBadInput: a label out of range, no address, of another family than the trunk's, or a label that
  // this host's line has already. kExhausted: links_max are there.
  Result<std::unique_ptr<UdpEnd>> add(const UdpAddress& peer, std::uint32_t label);

  std::uint16_t local_port() const;
  std::size_t links() const;
  const UdpTrunkCounters& counters() const;
  std::shared_ptr<const Descriptor> pollable() const;

  struct State;

 private:
  explicit UdpTrunk(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // the links have it too
};

}  // namespace xbind::dataplane
