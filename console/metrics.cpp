#include "console/metrics.hpp"

namespace xbind::console {
namespace {

struct ConsoleReading {
  HttpCounts http;
  DaemonCounts daemons;
  std::uint64_t rss_kib = 0;
};

constexpr MetricRow<ConsoleReading> kConsoleMetrics[] = {
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     [](const ConsoleReading& one) { return one.rss_kib; }},
    {"http_connections", MetricKind::kGauge, "", "HTTP connections now.",
     [](const ConsoleReading& one) { return one.http.connections; }},
    {"http_streams", MetricKind::kGauge, "", "Event streams now, one for each open page.",
     [](const ConsoleReading& one) { return one.http.streams; }},
    {"http_requests", MetricKind::kCounter, "", "HTTP requests that were complete.",
     [](const ConsoleReading& one) { return one.http.requests; }},
    {"http_refused", MetricKind::kCounter, "", "HTTP answers with a status from 400 on.",
     [](const ConsoleReading& one) { return one.http.refused; }},
    {"http_cut_off", MetricKind::kCounter, "",
     "HTTP peers that were cut off, because they read or sent too slowly.",
     [](const ConsoleReading& one) { return one.http.cut_off; }},
    {"daemons_up", MetricKind::kGauge, "", "Daemons that answered when they were read last.",
     [](const ConsoleReading& one) { return one.daemons.up; }},
    {"daemons_not_up", MetricKind::kGauge, "",
     "Daemons that are silent, unreachable, failed, or gone for a short time.",
     [](const ConsoleReading& one) { return one.daemons.not_up; }},
};

}  // namespace

Metrics metrics_of(const HttpCounts& http, const DaemonCounts& daemons, std::uint64_t rss_kib) {
  Metrics metrics;
  append(kConsoleMetrics, ConsoleReading{http, daemons, rss_kib}, metrics);
  return metrics;
}

MetricTable console_metrics() { return metric_table("console", kConsoleMetrics); }

}  // namespace xbind::console
