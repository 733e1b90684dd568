// The metrics of the console itself, for --metrics. Pure.
#pragma once

#include <cstdint>

#include "console/http_server.hpp"
#include "core/metrics/metric_table.hpp"

namespace xbind::console {

struct DaemonCounts {
  std::uint64_t up = 0;
  std::uint64_t not_up = 0;  // silent, unreachable, failed, gone
  bool names_answer = false;
};

Metrics metrics_of(const HttpCounts& http, const DaemonCounts& daemons, std::uint64_t rss_kib);
MetricTable console_metrics();

}  // namespace xbind::console
