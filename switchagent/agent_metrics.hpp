// The metrics of an agent and of the ports and connections behind it: of an emulated switch, and of
// xbind-gsmp-ovs. Their room is "emulator". Pure.
#pragma once

#include <cstdint>

#include "core/metrics/metric_table.hpp"
#include "switchagent/switch_agent.hpp"
#include "switchagent/table/fabric.hpp"

namespace xbind::switchagent {

// What is read of the agent. Default: there is no agent yet.
struct AgentReading {
  AgentReading() = default;
  explicit AgentReading(const SwitchAgent& agent)
      : counters(agent.counters()),
        controllers(agent.controllers().size()),
        adjacencies(agent.adjacencies()),
        open_requests(agent.open_requests()) {}

  AgentCounters counters;
  std::uint64_t controllers = 0;
  std::uint64_t adjacencies = 0;
  std::uint64_t open_requests = 0;
};

// Appends the metrics. One of each port; of message types and failure codes those that occurred.
void append_metrics(const AgentReading& agent, const Fabric& fabric, Metrics& metrics);
MetricTable agent_metrics();

}  // namespace xbind::switchagent
