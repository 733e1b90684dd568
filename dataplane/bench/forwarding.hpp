// A switch of four ports under a load that no cache can predict, and what its queues cost: for
// dataplane_bench and for the figures of xbind-callgen.
//
// Reads the clock of the thread's processor time; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "dataplane/switch_fabric.hpp"

namespace xbind::dataplane::bench {

inline constexpr std::uint32_t kPorts = 4;
inline constexpr std::uint32_t kConnectionsPerPort = 1024;

struct Traffic {
  std::vector<Cell> cells;  // in batches of one port each
  std::size_t batches() const { return cells.size() / SwitchFabric::kBatch; }
  PortId port_of(std::size_t batch) const {
    return PortId{static_cast<std::uint32_t>(batch % kPorts + 1)};
  }
};

ForwardingOptions forwarding_options();
// Adds a connection for each (port, 0, 32 + n), to another port and label. `discard_frames`: with
// early and partial packet discard.
Result<void> fill(ForwardingTable& table, bool discard_frames = false);
Traffic make_traffic();
// Forwards `count` cells and more, up to a whole batch; returns how many left.
std::size_t forward(SwitchFabric& fabric, const Traffic& traffic, std::size_t count);

struct QueueingCost {
  std::string option;
  double ns_a_cell = 0;  // processor time, median of the rounds
};
// FIFO, FIFO with whole frames discarded, queues by service category: `rounds` rounds of `cells`
// cells each, in turn. An error: a table that cannot be filled.
Result<std::vector<QueueingCost>> queueing_costs(std::size_t cells, std::size_t rounds);

}  // namespace xbind::dataplane::bench
