// The calls of a server's lines: one to each neighbour, which is one direction of a trunk, and one
// with both directions to each subscriber with an endpoint. And what the calls that the manager
// lists say about the labels of the lines.
//
//   this server ── its call ─────────▶ neighbour      label that we send with: of our call
//   this server ◀───── neighbour's ── neighbour      label that we receive with: of its call
//   this server ◀───── our call ─────▶ subscriber     both labels of our call
//
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "core/ids.hpp"
#include "core/label.hpp"
#include "keeper/connection_file.hpp"
#include "smds/port.hpp"

namespace xbind::smds {

// The contract for PDUs of a rate: nrt-VBR with the cells of that rate as SCR, in AAL3/4 of
// 44 octets each, and bursts of two of the longest PDUs at the rate of an STM-1 line.
ServiceSpec contract_for(std::uint32_t mbit_per_s, std::size_t frame_octets_max);

// The calls that a server wants. Those of UDP lines are not among them.
std::vector<keeper::Wanted> wanted_calls(const std::vector<Port>& ports,
                                         const std::string& endpoint, std::size_t frame_octets_max);

// A call in the manager's list.
struct SeenCall {
  ConnectionId connection;
  std::string client;
  std::string from;
  std::string to;
  Label ingress;  // as in Outcome; none are present while the manager does not know all hops
  Label egress;
  Label reverse_ingress{};
  Label reverse_egress{};
};

// The labels of a line, as its server uses them.
struct LineLabels {
  Label send;
  Label receive;

  bool complete() const { return send.present() && receive.present(); }
  friend bool operator==(const LineLabels&, const LineLabels&) = default;
};

// By index of a port, as `before`, whose labels stay where a call has none. `server`, `endpoint`:
// of the server that has the ports. Of several calls between the same ends the one with the highest
// id counts, which was set up last.
std::vector<LineLabels> labels_of(const std::vector<Port>& ports, const std::string& server,
                                  const std::string& endpoint, const std::vector<SeenCall>& calls,
                                  const std::vector<LineLabels>& before);

// The labels of the subscriber's end of its line.
LineLabels subscriber_labels(const std::string& server, const std::string& server_endpoint,
                             const std::string& endpoint, const std::vector<SeenCall>& calls);

}  // namespace xbind::smds
