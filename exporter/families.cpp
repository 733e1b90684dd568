#include "exporter/families.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/version.hpp"

namespace xbind::exporter {
namespace {

// Names of metrics that are kept between scrapes: more than a process of a hundred switches has.
constexpr std::size_t kNamesKept = 50'000;

constexpr CounterRow<ExporterCounts> kExporterMetrics[] = {
    {"parts", MetricKind::kGauge, "",
     "Parts of the daemon that answer a scrape: its logic, or that of each switch.",
     &ExporterCounts::parts, MetricScope::kProcess},
    {"parts_silent", MetricKind::kGauge, "",
     "Parts whose logic did not answer in time; their metrics are missing.",
     &ExporterCounts::parts_silent, MetricScope::kProcess},
    {"not_ready_reasons", MetricKind::kGauge, "",
     "Reasons why the daemon is not ready, as /-/ready lists them; 0: it is ready.",
     &ExporterCounts::not_ready, MetricScope::kProcess},
    {"requests", MetricKind::kCounter, "", "HTTP requests that were answered.",
     &ExporterCounts::requests, MetricScope::kProcess},
    {"requests_refused", MetricKind::kCounter, "",
     "HTTP requests for an unknown path, with a method other than GET and HEAD, malformed or too "
     "long.",
     &ExporterCounts::requests_refused, MetricScope::kProcess},
};
constexpr MetricNames kBuildMetrics{{
    {"build_info/<program>/<version>", MetricKind::kGauge, "", "Always 1.", MetricScope::kProcess},
}};
constexpr std::string_view kBuildInfo = kBuildMetrics["build_info/<program>/<version>"];

std::vector<prometheus::ClientMetric::Label> to_prometheus(const Labels& labels) {
  std::vector<prometheus::ClientMetric::Label> out;
  for (const auto& [name, value] : labels) out.push_back({name, value});
  return out;
}

prometheus::ClientMetric::Histogram to_prometheus(const StageHistogram& stage) {
  prometheus::ClientMetric::Histogram out;
  std::uint64_t sum = 0;
  for (std::size_t octave = 0; octave < histogram::kOctaves; ++octave) {
    sum += stage.counts[octave];
    const double bound = octave < histogram::kOctaveBounds
                             ? static_cast<double>(histogram::octave_bound(octave)) * 1e-9
                             : std::numeric_limits<double>::infinity();
    out.bucket.push_back({sum, bound});
  }
  out.sample_count = sum;
  out.sample_sum = static_cast<double>(stage.ns) * 1e-9;
  return out;
}

}  // namespace

Metrics metrics_of(const ExporterCounts& counts, std::string_view program) {
  Metrics metrics;
  append(kExporterMetrics, counts, metrics);
  metrics.emplace_back(filled(kBuildInfo, {program, version()}), 1);
  return metrics;
}

MetricTable exporter_metrics() { return metric_table("exporter", kExporterMetrics, kBuildMetrics); }

Families::Families(std::vector<MetricTable> tables) : tables_(std::move(tables)) {}

const Families::Place* Families::place_of(const std::string& exported) {
  if (const auto found = known_.find(exported); found != known_.end()) return &found->second;
  const auto described = description_of(exported, tables_);
  if (!described) return nullptr;
  if (known_.size() >= kNamesKept) known_.clear();
  Place place{exposed_metric(described->table->room, *described->row), described->row, {}};
  for (std::size_t at = 0; at < place.metric.labels.size(); ++at) {
    place.labels.emplace_back(place.metric.labels[at], described->words[at]);
  }
  return &known_.emplace(exported, std::move(place)).first->second;
}

prometheus::MetricFamily& Families::family(const Place& place, prometheus::MetricType type) {
  prometheus::MetricFamily& found = families_[place.metric.family];
  if (found.name.empty()) {
    found.name = place.metric.family;
    found.help = place.row->help;
    found.type = type;
  }
  return found;
}

void Families::add(const Labels& labels, const Reading& reading) {
  for (const auto& [name, value] : reading.metrics) {
    const Place* const place = place_of(name);
    if (place == nullptr || place->metric.histogram) continue;
    const bool counter = place->row->kind == MetricKind::kCounter;
    prometheus::MetricFamily& to =
        family(*place, counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge);
    prometheus::ClientMetric metric;
    metric.label = to_prometheus(place->labels);
    if (place->row->scope == MetricScope::kEach) {
      for (const auto& [key, word] : labels) metric.label.push_back({key, word});
    } else if (std::ranges::any_of(to.metric, [&](const prometheus::ClientMetric& other) {
                 return other.label == metric.label;
               })) {
      continue;
    }
    (counter ? metric.counter.value : metric.gauge.value) =
        static_cast<double>(value) * place->metric.scale;
    to.metric.push_back(std::move(metric));
  }
  add_stages(labels, reading.stages);
}

void Families::add_stages(const Labels& labels, const std::vector<StageHistogram>& stages) {
  for (const StageHistogram& stage : stages) {
    const Place* const place = place_of(filled(kStageNs, {stage.operation, stage.stage}));
    if (place == nullptr) continue;
    prometheus::ClientMetric metric;
    metric.label = to_prometheus(place->labels);
    for (const auto& [key, word] : labels) metric.label.push_back({key, word});
    metric.histogram = to_prometheus(stage);
    family(*place, prometheus::MetricType::Histogram).metric.push_back(std::move(metric));
  }
}

std::vector<prometheus::MetricFamily> Families::take() {
  std::vector<prometheus::MetricFamily> all;
  for (auto& [name, family] : families_) all.push_back(std::move(family));
  families_.clear();
  return all;
}

}  // namespace xbind::exporter
