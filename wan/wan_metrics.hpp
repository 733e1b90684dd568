// The metrics of a WAN: one set for each site. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "core/metrics/metric_table.hpp"
#include "wan/wan.hpp"

namespace xbind::wan {

Metrics metrics_of(const SiteCounters& site);
// What the whole process holds and uses.
struct ProcessReading {
  std::uint64_t held_packets = 0;
  std::uint64_t held_octets = 0;
  std::uint64_t rss_kib = 0;
};
void append_process_metrics(const ProcessReading& process, Metrics& metrics);
std::vector<MetricTable> wan_metrics();

}  // namespace xbind::wan
