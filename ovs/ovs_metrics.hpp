// The metrics of xbind-gsmp-ovs: the agent's, and those of the bridge. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/metrics/metric_table.hpp"
#include "ovs/bridge.hpp"
#include "ovs/ovs_table.hpp"
#include "switchagent/agent_metrics.hpp"

namespace xbind::ovs {

// The connection to the bridge, as its owner sees it.
struct LinkReading {
  std::uint64_t failed_attempts = 0;  // to connect
  std::uint64_t lost = 0;             // times that a ready bridge was lost
  std::uint64_t away_ms = 0;          // 0: the bridge is ready
};

Metrics metrics_of(const switchagent::AgentReading& agent, const switchagent::Fabric& fabric,
                   const OvsTable& table, const LinkReading& link);
// Appends what belongs to the process.
void append_process_metrics(std::uint64_t rss_kib, Metrics& metrics);
std::vector<MetricTable> ovs_metrics();

}  // namespace xbind::ovs
