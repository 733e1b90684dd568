// The input of `xbind-callgen compare` from reports: metrics of each run, and whether the runs can
// be compared at all. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/search/compare.hpp"
#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

// "p50", "p90", "p99", ... and "mean" of the setup latency in microseconds, "release-p50" and so
// on, "operations" (setups and releases done a second while calls were planned), "cpu"
// (microseconds per operation of all watched processes except the generators), "commands" (hop
// commands a second).
struct Metric {
  std::string name;
  Better better = Better::kLower;
};

// kBadInput lists the known metrics.
Result<std::vector<Metric>> parse_metrics(const std::vector<std::string>& names);

// The metric of a run and of its batches: at most 20 pieces of whole intervals, after the warm-up.
// Zero without batches when it was not measured. Release latencies, commands and cpu have no
// batches.
MetricOfRun metric_of(const RunReport& report, const Metric& metric);

// Differences in the load: "rate: 200 in A, 400 in B". If there are any, the runs do not show which
// system is better.
std::vector<std::string> other_loads(const std::vector<RunReport>& a,
                                     const std::vector<RunReport>& b);
// Warnings for the reader: another engine, a run that failed or is void.
std::vector<std::string> warnings_of(const std::vector<RunReport>& a,
                                     const std::vector<RunReport>& b);

}  // namespace xbind::callgen
