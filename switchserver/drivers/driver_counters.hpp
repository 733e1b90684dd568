// What the GSMP driver counts, beside the session's own counters.
#pragma once

#include <cstdint>

#include "core/metrics/metric_table.hpp"

namespace xbind {

struct DriverCounters {
  std::uint64_t port_up = 0;
  std::uint64_t port_down = 0;
  std::uint64_t invalid_label = 0;
  std::uint64_t new_port = 0;
  std::uint64_t dead_port = 0;
  std::uint64_t adjacency_update = 0;
  std::uint64_t event_gaps = 0;
  std::uint64_t adjacencies = 1;  // a gauge
  std::uint64_t by_service = 0;
  std::uint64_t by_priority = 0;
  std::uint64_t old_port_session = 0;
  std::uint64_t ports_taken = 0;
};

inline constexpr CounterRow<DriverCounters> kDriverMetrics[] = {
    {"gsmp_port_up", MetricKind::kCounter, "", "Port Up events of the switch.",
     &DriverCounters::port_up},
    {"gsmp_port_down", MetricKind::kCounter, "", "Port Down events.", &DriverCounters::port_down},
    {"gsmp_invalid_label", MetricKind::kCounter, "",
     "Invalid Label events: cells came in with a label of no connection.",
     &DriverCounters::invalid_label},
    {"gsmp_new_port", MetricKind::kCounter, "", "New Port events.", &DriverCounters::new_port},
    {"gsmp_dead_port", MetricKind::kCounter, "", "Dead Port events.", &DriverCounters::dead_port},
    {"gsmp_adjacency_update", MetricKind::kCounter, "", "Adjacency Update events.",
     &DriverCounters::adjacency_update},
    {"gsmp_event_gaps", MetricKind::kCounter, "",
     "Times that events of a port were missed, and the port was read again.",
     &DriverCounters::event_gaps},
    {"gsmp_adjacencies", MetricKind::kGauge, "", "Controllers that the switch has now.",
     &DriverCounters::adjacencies},
    {"gsmp_by_service", MetricKind::kCounter, "", "Adds and moves that carried a traffic contract.",
     &DriverCounters::by_service},
    {"gsmp_by_priority", MetricKind::kCounter, "",
     "Adds and moves whose contract was mapped to a priority, because a port does not offer the "
     "service.",
     &DriverCounters::by_priority},
    {"gsmp_old_port_session", MetricKind::kCounter, "",
     "Requests that the switch refused because their port had begun a new session.",
     &DriverCounters::old_port_session},
    {"gsmp_ports_taken", MetricKind::kCounter, "",
     "Ports that began a new session without an event: another controller brought them up; their "
     "cross-connects are put back.",
     &DriverCounters::ports_taken},
};

}  // namespace xbind
