// The metrics in a ConnectionManager's status: their table and their values.
#pragma once

#include <vector>

#include "cmgr/connection_manager.hpp"
#include "cmgr/parts/config.hpp"
#include "cmgr/remote_peers.hpp"
#include "core/metrics/metric_table.hpp"
#include "exporter/reading.hpp"

namespace xbind::cmgr {

// The metrics of the status, except those of the upcalls.
Metrics status_of(const ConnectionManager& manager, const RemotePeers& peers, const Config& config);
// The same with the stages as histograms, and why the manager cannot serve now.
exporter::Reading reading_of(const ConnectionManager& manager, const RemotePeers& peers,
                             const Config& config);
// All metrics; --print-metrics lists them.
std::vector<MetricTable> manager_metrics();

}  // namespace xbind::cmgr
