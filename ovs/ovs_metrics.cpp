#include "ovs/ovs_metrics.hpp"

namespace xbind::ovs {
namespace {

constexpr MetricRow<std::uint64_t> kProcessRows[] = {
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     [](const std::uint64_t& kib) { return kib; }, MetricScope::kProcess},
};

constexpr CounterRow<LinkReading> kLinkRows[] = {
    {"bridge_away_ms", MetricKind::kGauge, "ms",
     "Time for which the bridge has had no session that is ready; 0: it has one.",
     &LinkReading::away_ms},
    {"bridge_failed_attempts", MetricKind::kCounter, "",
     "Connections to the bridge that could not be opened.", &LinkReading::failed_attempts},
    {"bridge_lost", MetricKind::kCounter, "", "Times that a bridge with a ready session was lost.",
     &LinkReading::lost},
};

constexpr CounterRow<BridgeCounters> kBridgeRows[] = {
    {"bridge_connections", MetricKind::kCounter, "", "Connections opened to the bridge.",
     &BridgeCounters::connections},
    {"changes", MetricKind::kCounter, "", "OpenFlow messages that change the bridge.",
     &BridgeCounters::changes},
    {"changes_refused", MetricKind::kCounter, "", "Errors that the bridge sent for changes.",
     &BridgeCounters::refused},
    {"batches", MetricKind::kCounter, "", "Batches of changes that the bridge has confirmed.",
     &BridgeCounters::batches},
    {"bundles", MetricKind::kCounter, "", "Bundles sent: changes that take effect together.",
     &BridgeCounters::bundles},
    {"bundles_failed", MetricKind::kCounter, "",
     "Errors about bundles: the bridge made none of a bundle's changes.",
     &BridgeCounters::bundles_failed},
    {"messages_ignored", MetricKind::kCounter, "",
     "Messages of the bridge that nothing waited for.", &BridgeCounters::ignored},
};

constexpr CounterRow<OvsTableCounters> kTableCounterRows[] = {
    {"connections_adopted", MetricKind::kCounter, "",
     "Connections taken from the flows of a bridge at the start.", &OvsTableCounters::adopted},
    {"connections_restored", MetricKind::kCounter, "",
     "Connections written to a bridge that lacked them.", &OvsTableCounters::restored},
    {"flows_removed", MetricKind::kCounter, "",
     "Flows of this agent without a connection, removed from a bridge.",
     &OvsTableCounters::removed},
    {"requests_undone", MetricKind::kCounter, "",
     "Requests undone because the bridge had refused a part.", &OvsTableCounters::undone},
    {"requests_waited", MetricKind::kCounter, "",
     "Requests that waited for an open change of the same connection.", &OvsTableCounters::waited},
};

constexpr MetricRow<OvsTable> kTableRows[] = {
    {"bridge_up", MetricKind::kGauge, "", "1: the session with the bridge is ready; 0: it is not.",
     [](const OvsTable& one) -> std::uint64_t { return one.bridge().ready() ? 1 : 0; }},
    {"changes_open", MetricKind::kGauge, "", "Requests whose changes the bridge has not confirmed.",
     [](const OvsTable& one) -> std::uint64_t { return one.changes_open(); }},
    {"requests_waiting", MetricKind::kGauge, "",
     "Requests that wait for an open change of the same connection.",
     [](const OvsTable& one) -> std::uint64_t { return one.requests_waiting(); }},
    {"groups_used", MetricKind::kGauge, "", "Group numbers of the own range that are in use.",
     [](const OvsTable& one) -> std::uint64_t { return one.flows().groups_used(); }},
    {"meters_used", MetricKind::kGauge, "", "Meter numbers of the own range that are in use.",
     [](const OvsTable& one) -> std::uint64_t { return one.flows().meters_used(); }},
};

}  // namespace

Metrics metrics_of(const switchagent::AgentReading& agent, const switchagent::Fabric& fabric,
                   const OvsTable& table, const LinkReading& link) {
  Metrics metrics;
  append_metrics(agent, fabric, metrics);
  append(kTableRows, table, metrics);
  append(kLinkRows, link, metrics);
  append(kBridgeRows, table.bridge().counters(), metrics);
  append(kTableCounterRows, table.counters(), metrics);
  return metrics;
}

void append_process_metrics(std::uint64_t rss_kib, Metrics& metrics) {
  append(kProcessRows, rss_kib, metrics);
}

std::vector<MetricTable> ovs_metrics() {
  std::vector<MetricTable> tables{
      switchagent::agent_metrics(),
      metric_table("ovs", kProcessRows, kTableRows, kLinkRows, kBridgeRows, kTableCounterRows)};
  return tables;
}

}  // namespace xbind::ovs
