#include "switchserver/servant_metrics.hpp"

#include <algorithm>
#include <chrono>

#include "orb/dispatch.hpp"
#include "orb/oneway.hpp"
#include "orb/process.hpp"
#include "switchserver/drivers/running_gsmp_driver.hpp"

namespace xbind {
namespace {

std::uint64_t whole_ms(Duration duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

using Reading = SwitchServerReading;

constexpr MetricRow<Reading> kServerMetrics[] = {
    {"rss_kib", MetricKind::kGauge, "KiB", "Resident memory of the process.",
     [](const Reading&) { return orb::own_resident_kib(); }},
    {"giop_requests", MetricKind::kCounter, "", "Session messages received, and invocations made.",
     [](const Reading& at) { return at.server.counters().frames_in + at.invocations; }},
    {"oneways_without_room", MetricKind::kCounter, "",
     "Session messages of the process that were dropped because their peer reads too slowly.",
     [](const Reading&) { return orb::oneways_without_room(); }},
    {"managers", MetricKind::kGauge, "", "Managers that have a session.",
     [](const Reading& at) { return std::uint64_t{at.server.managers()}; }},
    {"manager_references", MetricKind::kGauge, "", "References to managers that are kept.",
     [](const Reading& at) { return std::uint64_t{at.references}; }},
    {"switch_up", MetricKind::kGauge, "", "1: the switch is under control; 0: it is not.",
     [](const Reading& at) { return std::uint64_t{at.server.controller().up()}; }},
    {"switch_met", MetricKind::kGauge, "", "1: the switch was under control at some time.",
     [](const Reading& at) { return std::uint64_t{at.ever_met}; }},
    {"switch_away_ms", MetricKind::kGauge, "ms",
     "Time for which the switch has been out of control; 0: it is not.",
     [](const Reading& at) { return std::uint64_t{whole_ms(at.away)}; }},
    {"sessions_lost", MetricKind::kCounter, "", "Sessions with managers that were lost.",
     [](const Reading& at) { return at.server.counters().sessions_lost; }},
    {"unknown_session", MetricKind::kCounter, "",
     "Messages of sessions that are not known; ignored.",
     [](const Reading& at) { return at.server.counters().unknown_session; }},
};

// The figures of the ports in a status.
struct PortReading {
  std::size_t ports;
  std::size_t ports_down;
  std::uint64_t reports_sent;
  std::uint64_t reports_failed;
};
constexpr MetricRow<PortReading> kPortMetrics[] = {
    {"ports", MetricKind::kGauge, "", "Ports of the switch.",
     [](const PortReading& at) { return std::uint64_t{at.ports}; }},
    {"ports_down", MetricKind::kGauge, "", "Ports that are down.",
     [](const PortReading& at) { return std::uint64_t{at.ports_down}; }},
    {"port_reports", MetricKind::kCounter, "", "Reports of ports sent to RouteObject.",
     [](const PortReading& at) { return at.reports_sent; }},
    {"port_reports_failed", MetricKind::kCounter, "",
     "Port reports that RouteObject did not accept.",
     [](const PortReading& at) { return at.reports_failed; }},
};

}  // namespace

Metrics status_of(const SwitchServerReading& reading) {
  Metrics metrics;
  append(kServerMetrics, reading, metrics);
  append(kSwitchMetrics, reading.server.controller().counters(), metrics);
  reading.server.batch_times().append_metrics("batch", metrics);
  reading.driver.append_metrics(metrics);
  const std::vector<SwitchPort> ports = reading.server.controller().ledger().ports();
  const auto down = static_cast<std::size_t>(std::ranges::count(ports, false, &SwitchPort::up));
  append(kPortMetrics,
         PortReading{ports.size(), down, reading.reports_sent, reading.reports_failed}, metrics);
  reading.impairments.append_metrics(metrics);
  return metrics;
}

std::vector<MetricTable> switch_server_metrics() {
  return {metric_table("switchserver", kServerMetrics, kSwitchMetrics, kStageMetrics, kPortMetrics),
          gsmp_metrics(), impairment_metrics(), orb::upcall_metrics()};
}

}  // namespace xbind
