#include "wan/wan_metrics.hpp"

#include <string>

namespace xbind::wan {
namespace {

constexpr CounterRow<ProcessReading> kProcessRows[] = {
    {"held_packets", MetricKind::kGauge, "", "Packets that wait for a line or are on their path.",
     &ProcessReading::held_packets, MetricScope::kProcess},
    {"held_bytes", MetricKind::kGauge, "B", "What these take of --held-octets-max.",
     &ProcessReading::held_octets, MetricScope::kProcess},
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     &ProcessReading::rss_kib, MetricScope::kProcess},
};

constexpr CounterRow<SiteCounters> kSiteRows[] = {
    {"packets_in", MetricKind::kCounter, "", "Packets that the site has sent.",
     &SiteCounters::packets_in},
    {"octets_in", MetricKind::kCounter, "", "Octets of these.", &SiteCounters::octets_in},
    {"packets_out", MetricKind::kCounter, "", "Packets delivered to the site.",
     &SiteCounters::packets_out},
    {"octets_out", MetricKind::kCounter, "", "Octets of these.", &SiteCounters::octets_out},
    {"packets_late", MetricKind::kCounter, "",
     "Packets delivered to the site more than 0.5 ms after their deadline: the host is too busy.",
     &SiteCounters::packets_late},
};

constexpr MetricNames kFamilies{{
    {"drops/<reason>", MetricKind::kCounter, "",
     "Packets that the site has sent and that were not delivered, by reason."},
}};
constexpr std::string_view kDropsFamily = kFamilies["drops/<reason>"];

}  // namespace

Metrics metrics_of(const SiteCounters& site) {
  Metrics metrics;
  append(kSiteRows, site, metrics);
  for (std::size_t reason = 0; reason < kDrops; ++reason) {
    metrics.emplace_back(filled(kDropsFamily, {to_string(static_cast<Drop>(reason))}),
                         site.drops[reason]);
  }
  return metrics;
}

void append_process_metrics(const ProcessReading& process, Metrics& metrics) {
  append(kProcessRows, process, metrics);
}

std::vector<MetricTable> wan_metrics() {
  return {metric_table("wan", kProcessRows, kSiteRows, kFamilies)};
}

}  // namespace xbind::wan
