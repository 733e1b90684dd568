#include "bench/search/compare_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <set>

#include "bench/search/windows.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

constexpr std::size_t kBatches = 20;
constexpr std::string_view kRelease = "release-";
// The settings of the load in the manifest. Not the seed: two runs of one load may differ in it.
constexpr const char* kLoadSettings[] = {"arrivals", "hold-distribution", "mix", "matrix",
                                         "client_batch"};

std::optional<double> percent_of(std::string_view name) {
  if (name.size() < 2 || name.front() != 'p') return std::nullopt;
  double percent = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), percent,
                                            std::chars_format::fixed);
  if (error != std::errc{} || end != name.data() + name.size() || !(percent > 0 && percent < 100))
    return std::nullopt;
  return percent;
}

bool is_statistic(std::string_view name) { return name == "mean" || percent_of(name); }

const Histogram* latency_of(const RunReport& report, RequestKind kind) {
  const auto found = report.kinds.find(kind);
  return found == report.kinds.end() || found->second.latency.count() == 0 ? nullptr
                                                                           : &found->second.latency;
}

double statistic_of(const Histogram& latency, std::string_view name) {
  return name == "mean" ? latency.mean_ns() / 1000 : in_us(latency.percentile(*percent_of(name)));
}

double cpu_us_of(const RunReport& report) {
  const auto operations = report.setups.connected + report.releases.released;
  double cpu_s = 0;
  for (const auto& [process, cost] : report.processes) {
    if (process.starts_with("xbind-callgen")) continue;
    if (!cost.cpu_s) return 0;  // not measured: the process had ended
    cpu_s += *cost.cpu_s;
  }
  return operations == 0 ? 0 : 1e6 * cpu_s / static_cast<double>(operations);
}

// The settings of all runs of one side: "200", or "200 and 400".
std::string values_of(const std::vector<RunReport>& runs, const std::string& name) {
  std::set<std::string> values;
  for (const RunReport& run : runs) {
    const auto found = run.manifest.find(name);
    values.insert(found == run.manifest.end() ? "nothing" : found->second);
  }
  return fmt::format("{}", fmt::join(values, " and "));
}

template <class Value>
std::string distinct_values(const std::vector<RunReport>& runs, Value value) {
  std::set<std::string> values;
  for (const RunReport& run : runs) values.insert(value(run));
  return fmt::format("{}", fmt::join(values, " and "));
}

void warn_of_verdicts(const std::vector<RunReport>& runs, std::string_view side,
                      std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Verdict verdict = judge(runs[i]);
    if (verdict.many_refused)  // its latencies are those of the other calls
      warnings.push_back(fmt::format("run {} of {}: {}", i + 1, side, verdict.remarks.front()));
    if (verdict.ok) continue;
    warnings.push_back(fmt::format("run {} of {} {}: {}", i + 1, side,
                                   verdict.failed ? "has failed" : "is void",
                                   fmt::join(verdict.reasons, "; ")));
  }
}

}  // namespace

Result<std::vector<Metric>> parse_metrics(const std::vector<std::string>& names) {
  std::vector<Metric> metrics;
  for (const std::string& name : names) {
    const std::string_view statistic =
        name.starts_with(kRelease) ? std::string_view{name}.substr(kRelease.size()) : name;
    if (name == "operations" || name == "commands") {
      metrics.push_back({name, Better::kHigher});
    } else if (name == "cpu" || is_statistic(statistic)) {
      metrics.push_back({name, Better::kLower});
    } else {
      return fail(
          ErrorCode::kBadInput,
          "metric '{}' is not known; there are p50, p99 and the like, mean, release-p50 and "
          "the like, release-mean, operations, commands, cpu",
          name);
    }
  }
  return metrics;
}

MetricOfRun metric_of(const RunReport& report, const Metric& metric) {
  MetricOfRun made;
  if (metric.name == "cpu") {
    made.whole = cpu_us_of(report);
    return made;
  }
  if (metric.name == "commands") {
    const auto counted = report.managers_grown.find("commands");
    if (counted != report.managers_grown.end() && report.duration_s > 0)
      made.whole = static_cast<double>(counted->second) / report.duration_s;
    return made;
  }
  if (metric.name.starts_with(kRelease)) {
    if (const Histogram* const latency = latency_of(report, RequestKind::kRelease))
      made.whole = statistic_of(*latency, std::string_view{metric.name}.substr(kRelease.size()));
    return made;
  }
  const std::vector<Window> windows = windows_of(report.series, report.warm_up_s, kBatches);
  if (metric.name == "operations") {
    double all = 0;
    for (const Window& window : windows) {
      made.batches.push_back(window.operations_per_s());
      all += window.operations_per_s();
    }
    made.whole =
        windows.empty() ? report.call_operations_per_s : all / static_cast<double>(windows.size());
    return made;
  }
  const Histogram* const latency = latency_of(report, RequestKind::kSetup);
  if (latency == nullptr) return made;
  made.whole = statistic_of(*latency, metric.name);
  for (const Window& window : windows) {
    // A piece without a connected call has no latency; the outcomes count it.
    if (window.row.latency.empty()) continue;
    made.batches.push_back(metric.name == "mean"
                               ? window.mean_us()
                               : in_us(window.row.percentile(*percent_of(metric.name))));
  }
  return made;
}

std::vector<std::string> other_loads(const std::vector<RunReport>& a,
                                     const std::vector<RunReport>& b) {
  std::vector<std::string> differences;
  const auto differ = [&](std::string_view what, const std::string& in_a, const std::string& in_b) {
    if (in_a != in_b) differences.push_back(fmt::format("{}: {} in A, {} in B", what, in_a, in_b));
  };
  for (const char* const name : kLoadSettings) differ(name, values_of(a, name), values_of(b, name));
  const auto rate = [](const RunReport& run) {
    return fmt::format("{:g}", run.offered_setups_per_s);
  };
  const auto hold = [](const RunReport& run) { return fmt::format("{:g}", run.hold_mean_s); };
  const auto switches = [](const RunReport& run) { return fmt::format("{}", run.switches); };
  differ("calls a second", distinct_values(a, rate), distinct_values(b, rate));
  differ("held for, in seconds", distinct_values(a, hold), distinct_values(b, hold));
  differ("switches", distinct_values(a, switches), distinct_values(b, switches));
  return differences;
}

std::vector<std::string> warnings_of(const std::vector<RunReport>& a,
                                     const std::vector<RunReport>& b) {
  std::vector<std::string> warnings;
  const auto differ = [&](std::string_view what, const std::string& in_a, const std::string& in_b) {
    if (in_a != in_b) warnings.push_back(fmt::format("{}: {} in A, {} in B", what, in_a, in_b));
  };
  const auto engine = [](const RunReport& run) { return run.engine; };
  const auto aggregation = [](const RunReport& run) { return run.aggregation; };
  const auto threshold = [](const RunReport& run) { return fmt::format("{}", run.threshold); };
  differ("engine", distinct_values(a, engine), distinct_values(b, engine));
  differ("aggregation", distinct_values(a, aggregation), distinct_values(b, aggregation));
  // Regions and adaptive change the threshold themselves.
  if (distinct_values(a, aggregation) == "fixed" && distinct_values(b, aggregation) == "fixed")
    differ("threshold", distinct_values(a, threshold), distinct_values(b, threshold));
  for (const char* const name : {"version", "processors"})
    differ(name, values_of(a, name), values_of(b, name));
  warn_of_verdicts(a, "A", warnings);
  warn_of_verdicts(b, "B", warnings);
  return warnings;
}

}  // namespace xbind::callgen
