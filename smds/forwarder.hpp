// Decides what becomes of a PDU: reads its header and trailer, validates the source, screens,
// spends the credit of the access class, and finds the ports by which it leaves. Knows neither
// queues nor lines.
//
//   SNI  ──▶ read ──▶ source ──▶ destination screen ──▶ credit ─┐
//   ISSI ──▶ envelope ──▶ read ─────────────────────────────────┴─▶ routes ─▶ source screen ─▶ out
//
// Pure; one thread at a time; the caller passes the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/clock.hpp"
#include "smds/access_class.hpp"
#include "smds/counters.hpp"
#include "smds/envelope.hpp"
#include "smds/l3_pdu.hpp"
#include "smds/network.hpp"
#include "smds/port.hpp"
#include "smds/prefix_table.hpp"
#include "smds/routes.hpp"

namespace xbind::smds {

// What becomes of one received frame.
struct Decision {
  Fate fate = Fate::kForwarded;
  PduFault fault = PduFault::kNone;  // kMalformed
  std::size_t pdu_at = 0;            // where the PDU begins in the frame
  Address destination;
  Address source;
  std::size_t information = 0;  // octets
  Envelope envelope;            // for the trunks by which it leaves
  std::vector<PortIndex> out;   // kForwarded: at least one
};

class Forwarder {
 public:
  // `server`: index.
  Forwarder(const Network& network, std::uint32_t server, const PduLimits& limits);

  const std::vector<Port>& ports() const { return ports_; }
  const std::vector<PortCounters>& counters() const { return counters_; }
  PortCounters& counter(PortIndex port) { return counters_[port]; }

  // A port that is not connected has no label, and gets no PDU. At first none is.
  void set_connected(PortIndex port, bool connected) { connected_[port] = connected; }

  // The caller reuses `decision`, so that deciding allocates nothing.
  void decide(PortIndex in, std::span<const std::byte> frame, TimePoint now, Decision& decision);

  // Called for every decision; empty: none.
  void set_observer(std::function<void(PortIndex in, const Decision&)> observer) {
    observer_ = std::move(observer);
  }
  // "anna C14089991000FFFF -> C14089992000FFFF 64 octets: forwarded to smds-2"
  std::string line_of(PortIndex in, const Decision& decision) const;

 private:
  // Where the PDUs of an address go.
  struct Place {
    std::uint32_t server = 0;  // index
    PortIndex port = kNoPort;  // of a subscriber of this server
  };
  struct Group {
    std::vector<PortIndex> local;                // subscribers of this server
    std::vector<std::vector<PortIndex>> trunks;  // by index of the ingress server
  };
  struct Line {
    std::vector<Address> addresses;  // of a subscriber, ascending
    Screen individual;
    Screen group;
    Credit credit;
  };

  void add_groups(const Network& network, const Adjacency& adjacency);
  PortIndex trunk_to(std::uint32_t server) const;
  Fate enter(PortIndex in, std::span<const std::byte> frame, TimePoint now, Decision& decision);
  Fate enter_by_trunk(std::span<const std::byte> frame, Decision& decision);
  Fate admit(PortIndex in, TimePoint now, const Decision& decision);
  Fate route(PortIndex in, Decision& decision);
  Fate route_to_group(PortIndex in, Decision& decision);
  bool passes_source(PortIndex out, const Decision& decision);

  const std::uint32_t server_;
  const std::uint16_t id_;
  const PduLimits limits_;
  std::vector<Port> ports_;
  std::vector<Line> lines_;  // of the subscribers, which are the first ports
  std::vector<bool> connected_;
  std::vector<PortCounters> counters_;
  std::vector<PortIndex> trunk_of_;  // by index of a server, by which it is reached
  std::unordered_map<std::uint16_t, std::uint32_t> servers_;  // index by id
  PrefixTable<Place> places_;
  std::unordered_map<std::uint64_t, Group> groups_;  // by address
  std::function<void(PortIndex, const Decision&)> observer_;
};

}  // namespace xbind::smds
