#include "switchserver/servant_metrics.hpp"

#include <algorithm>
#include <chrono>

#include "orb/dispatch.hpp"
#include "orb/oneway.hpp"
#include "orb/process.hpp"
#include "orb/supervision.hpp"
#include "switchserver/alarm_conditions.hpp"
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
     [](const Reading&) { return orb::own_resident_kib(); }, MetricScope::kProcess},
    {"giop_requests", MetricKind::kCounter, "", "Session messages received, and invocations made.",
     [](const Reading& at) { return at.server.counters().frames_in + at.invocations; }},
    {"oneways_without_room", MetricKind::kCounter, "",
     "Session messages of the process that were dropped because their peer reads too slowly.",
     [](const Reading&) { return orb::oneways_without_room(); }, MetricScope::kProcess},
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
    {"open_batches", MetricKind::kGauge, "",
     "Batches of commands whose results are awaited; at their bound setups are refused as busy.",
     [](const Reading& at) { return std::uint64_t{at.server.controller().open_batches()}; }},
    {"sessions_lost", MetricKind::kCounter, "", "Sessions with managers that were lost.",
     [](const Reading& at) { return at.server.counters().sessions_lost; }},
    {"unknown_session", MetricKind::kCounter, "",
     "Messages of sessions that are not known; ignored.",
     [](const Reading& at) { return at.server.counters().unknown_session; }},
};

// Absent while it is not known: claims are awaited, or the switch is not under control.
constexpr MetricRow<std::uint64_t> kEntryMetrics[] = {
    {"entries_of_nobody", MetricKind::kGauge, "",
     "Cross-connects of the switch that no manager has claimed; absent while that is not known.",
     [](const std::uint64_t& entries) { return entries; }},
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

// Only in a scrape: a status would not fit into one reply of the ORB.
struct OnePort {
  SwitchPort port;
  PortUsage usage;
  std::uint64_t output_labels;
};
constexpr MetricRow<OnePort> kEachPortMetrics[] = {
    {"port_up/<port>", MetricKind::kGauge, "", "1: the port is up; 0: it is down.",
     [](const OnePort& at) { return std::uint64_t{at.port.up}; }},
    {"port_capacity_cells_per_s/<port>", MetricKind::kGauge, "cells/s",
     "Bandwidth of the output port.",
     [](const OnePort& at) { return at.usage.capacity.cells_per_s; }},
    {"port_promised_cells_per_s/<port>", MetricKind::kGauge, "cells/s",
     "Bandwidth of the output port that the ledger has promised, to hops and as quotas.",
     [](const OnePort& at) { return at.usage.taken.cells_per_s; }},
    {"port_hops_cells_per_s/<port>", MetricKind::kGauge, "cells/s",
     "The part of the promised bandwidth that hops have.",
     [](const OnePort& at) { return at.usage.hops.cells_per_s; }},
    {"port_output_labels/<port>", MetricKind::kGauge, "", "Output labels of the port.",
     [](const OnePort& at) { return at.output_labels; }},
    {"port_output_labels_free/<port>", MetricKind::kGauge, "", "Output labels that are free.",
     [](const OnePort& at) { return at.usage.free_output_labels; }},
    {"port_input_labels_free/<port>", MetricKind::kGauge, "", "Input labels that are free.",
     [](const OnePort& at) { return at.usage.free_input_labels; }},
};
constexpr MetricRow<SwitchServer> kScrapedMetrics[] = {
    {"hops", MetricKind::kGauge, "", "Hops in the ledger: reserved, committed or being removed.",
     [](const SwitchServer& at) { return std::uint64_t{at.controller().ledger().hops().size()}; }},
};
constexpr MetricNames kRefusalMetrics{{
    {"refusals/<cause>", MetricKind::kCounter, "", "Hops refused for the cause."},
}};

std::vector<std::string> reasons_of(const SwitchServerReading& reading) {
  exporter::Reasons reasons;
  const SwitchController& controller = reading.server.controller();
  if (!controller.up()) {
    reasons.add(reading.ever_met ? "its switch has not been under control for " +
                                       std::to_string(whole_ms(reading.away)) + " ms"
                                 : "its switch has not been under control yet");
  } else if (awaits_claims(controller)) {
    reasons.add("managers have not claimed all hops that its switch had at the start");
  }
  return reasons.take();
}

}  // namespace

Metrics status_of(const SwitchServerReading& reading) {
  Metrics metrics;
  append(kServerMetrics, reading, metrics);
  const std::uint64_t entries = reading.server.controller().entries_of_nobody();
  if (entries != kEntriesUnknown) append(kEntryMetrics, entries, metrics);
  append(kSwitchMetrics, reading.server.controller().counters(), metrics);
  reading.server.batch_times().append_metrics("batch", metrics);
  reading.driver.append_metrics(metrics);
  const std::vector<SwitchPort> ports = reading.server.controller().ledger().ports().present();
  const auto down = static_cast<std::size_t>(std::ranges::count(ports, false, &SwitchPort::up));
  append(kPortMetrics,
         PortReading{ports.size(), down, reading.reports_sent, reading.reports_failed}, metrics);
  reading.impairments.append_metrics(metrics);
  return metrics;
}

exporter::Reading exposed_reading_of(const SwitchServerReading& reading) {
  exporter::Reading out{status_of(reading), {}, reasons_of(reading)};
  reading.server.batch_times().append_histograms("batch", out.stages);
  append(kScrapedMetrics, reading.server, out.metrics);
  const SwitchController& controller = reading.server.controller();
  for (const SwitchPort& port : controller.ledger().ports().present()) {
    const OnePort one{port, controller.ledger().usage(port.port).value_or(PortUsage{}),
                      controller.ledger().labels().output_stock(port.port).all};
    const std::string word = std::to_string(port.port.value());
    for (const auto& row : kEachPortMetrics) {
      out.metrics.emplace_back(filled(row.name, {word}), row.value(one));
    }
  }
  const auto& refusals = controller.counters().refusals;
  for (std::size_t cause = 0; cause < refusals.size(); ++cause) {
    if (refusals[cause] == 0) continue;
    out.metrics.emplace_back(
        filled(kRefusalMetrics["refusals/<cause>"], {to_string(static_cast<Cause>(cause))}),
        refusals[cause]);
  }
  return out;
}

std::vector<MetricTable> exposed_switch_server_metrics() {
  std::vector<MetricTable> tables = switch_server_metrics();
  tables.push_back(
      metric_table("switchserver", kScrapedMetrics, kEachPortMetrics, kRefusalMetrics));
  tables.push_back(orb::alarm_metrics());
  return tables;
}

std::vector<MetricTable> switch_server_metrics() {
  return {metric_table("switchserver", kServerMetrics, kEntryMetrics, kSwitchMetrics, kStageMetrics,
                       kPortMetrics),
          gsmp_metrics(), impairment_metrics(), orb::upcall_metrics()};
}

}  // namespace xbind
