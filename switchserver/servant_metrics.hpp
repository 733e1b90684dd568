// The metrics in a SwitchServer's status: their table and their values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/impairments/impairments.hpp"
#include "core/metrics/metric_table.hpp"
#include "exporter/reading.hpp"
#include "switchserver/drivers/running_driver.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind {

// The sources of a status.
struct SwitchServerReading {
  const SwitchServer& server;
  const RunningDriver& driver;
  std::uint64_t invocations;  // of managers and RouteObject, made by this process
  std::uint64_t references;   // to managers' observers
  bool ever_met;              // the switch has been under control
  Duration away;              // zero: the switch is under control
  std::uint64_t reports_sent;
  std::uint64_t reports_failed;
  const Impairments& impairments;
};

// All metrics of the status except those of the upcalls.
Metrics status_of(const SwitchServerReading& reading);
// The tables of the metrics of the status.
std::vector<MetricTable> switch_server_metrics();

// A reading for a scrape: the status, the stages as histograms, the figures of each port, the
// refusals by cause, and why the switch cannot be served now.
exporter::Reading exposed_reading_of(const SwitchServerReading& reading);
// The tables of the metrics of a scrape; --print-metrics lists them.
std::vector<MetricTable> exposed_switch_server_metrics();

}  // namespace xbind
