// How Prometheus sees a metric: the name of its family, its labels and its unit
// (https://prometheus.io/docs/practices/naming/).
//
//   cmgr, setups, counter                     ->  xbind_cmgr_setups_total
//   orb, upcall_ns_<operation>, counter, ns   ->  xbind_orb_upcall_seconds_total{operation}
//   core, faults_<leg>_dropped, counter       ->  xbind_core_faults_leg_dropped_total{leg}
//
// A word in brackets becomes a label. It also stays in the name if it stands in the middle, because
// "faults_dropped" is the sum over all legs. Times are in seconds, sizes in bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/metric_table.hpp"

namespace xbind {

struct ExposedMetric {
  std::string family;
  std::vector<std::string> labels;  // in the order of the brackets
  double scale = 1;                 // exposed value per value of the status
  bool histogram = false;           // one of the two rows of kStageMetrics

  // "xbind_orb_upcalls_total{operation}"
  std::string text() const;
};

ExposedMetric exposed_metric(std::string_view room, const MetricInfo& row);

}  // namespace xbind
