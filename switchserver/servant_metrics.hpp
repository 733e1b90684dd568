// The metrics of a SwitchServer's status: its table and its page.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/faults/fault_plan.hpp"
#include "core/metrics/metric_table.hpp"
#include "switchserver/drivers/running_driver.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind {

// What a status is made of.
struct SwitchServerReading {
  const SwitchServer& server;
  const RunningDriver& driver;
  std::uint64_t invocations;  // made by this process: of managers and RouteObject
  std::uint64_t references;   // to managers
  bool ever_met;              // the switch has been under control
  Duration away;              // zero: the switch is under control
  std::uint64_t reports_sent;
  std::uint64_t reports_failed;
  std::vector<faults::LegCounters> faults;
};

// The metrics of the status but for those of the upcalls.
Metrics status_of(const SwitchServerReading& reading);
// All of them; --print-metrics lists them.
std::vector<MetricTable> switch_server_metrics();

}  // namespace xbind
