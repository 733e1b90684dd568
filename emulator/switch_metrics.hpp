// The metrics of an emulated switch: its agent and its cells. Pure.
#pragma once

#include <vector>

#include "core/metrics/metric_table.hpp"
#include "emulator/emulated_switch.hpp"

namespace xbind::emulator {

Metrics metrics_of(const EmulatedSwitch& emulated);
// Appends what belongs to the process.
void append_process_metrics(std::uint64_t rss_kib, Metrics& metrics);
std::vector<MetricTable> switch_metrics();

}  // namespace xbind::emulator
