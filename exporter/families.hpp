// Turns readings into the families of Prometheus' data model. Pure: no clock, no thread, no socket.
#pragma once

#include <prometheus/metric_family.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/metrics/exposed_metric.hpp"
#include "exporter/reading.hpp"

namespace xbind::exporter {

// The metrics of the exporter itself; their room is "exporter".
struct ExporterCounts {
  std::uint64_t parts = 0;
  std::uint64_t parts_silent = 0;
  std::uint64_t not_ready = 0;
  std::uint64_t requests = 0;
  std::uint64_t requests_refused = 0;
};
Metrics metrics_of(const ExporterCounts& counts, std::string_view program);
MetricTable exporter_metrics();

// One thread at a time.
class Families {
 public:
  // `tables` describe every metric that the readings contain.
  explicit Families(std::vector<MetricTable> tables);

  // Adds a part's metrics. One that no row describes is left out: a test compares each daemon with
  // its tables. Of a metric whose scope is the process the first value counts.
  void add(const Labels& labels, const Reading& reading);
  // Returns what was added since the last call, in the order of the names.
  std::vector<prometheus::MetricFamily> take();

 private:
  // How one exported name is exposed.
  struct Place {
    ExposedMetric metric;
    const MetricInfo* row = nullptr;
    Labels labels;  // the words of the brackets
  };
  // The name's place, or nullptr. The reference is valid until the next call.
  const Place* place_of(const std::string& exported);
  prometheus::MetricFamily& family(const Place& place, prometheus::MetricType type);
  void add_stages(const Labels& labels, const std::vector<StageHistogram>& stages);

  const std::vector<MetricTable> tables_;
  // Names that have been looked up; cleared when there are too many.
  std::map<std::string, Place, std::less<>> known_;
  std::map<std::string, prometheus::MetricFamily> families_;
};

}  // namespace xbind::exporter
