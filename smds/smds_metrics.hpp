// The metrics of xbind-smds. Pure.
#pragma once

#include <cstdint>

#include "core/metrics/metric_table.hpp"
#include "keeper/keeper.hpp"
#include "smds/snapshot.hpp"

namespace xbind::smds {

// What the process shows of its lines: how many there are, and how many are connected.
struct LineCount {
  std::uint64_t lines = 0;
  std::uint64_t connected = 0;
};

// Sums over all ports; --status-dir has each of them.
Metrics metrics_of(const keeper::Keeper& keeper, const LineCount& count, const Snapshot& snapshot);
// Appends what belongs to the process.
void append_process_metrics(std::uint64_t rss_kib, Metrics& metrics);
MetricTable smds_metrics();

}  // namespace xbind::smds
