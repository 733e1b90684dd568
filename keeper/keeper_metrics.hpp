// The metrics of xbind-keeper. Pure.
#pragma once

#include <cstdint>

#include "core/clock.hpp"
#include "core/metrics/metric_table.hpp"
#include "keeper/keeper.hpp"

namespace xbind::keeper {

// The file of --connections, since the start.
struct FileCounters {
  std::uint64_t read = 0;
  std::uint64_t refused = 0;
};

Metrics metrics_of(const Keeper& keeper, const FileCounters& file, TimePoint now);
// Appends what belongs to the process.
void append_process_metrics(std::uint64_t rss_kib, Metrics& metrics);
MetricTable keeper_metrics();

}  // namespace xbind::keeper
