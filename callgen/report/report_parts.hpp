// The parts of a report that are plain data of their own; report.hpp has the whole.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "callgen/statistics/statistics.hpp"
#include "core/metrics/histogram.hpp"

namespace xbind::callgen {

// All in microseconds; zeros when count is 0. Percentiles: at most 1/128 above the truth.
struct LatencySummary {
  std::uint64_t count = 0;
  double min = 0;
  double mean = 0;
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
  double sd = 0;  // of the sample
  double p90 = 0;
  double p9999 = 0;
  // Distribution-free intervals of 95 % by order statistics (as if the values were independent), for those
  // of "p50", "p90", "p95", "p99" and "p999" whose upper rank there is.
  std::map<std::string, std::array<double, 2>> interval_95;
};
LatencySummary summary_of(const Histogram& histogram);
// Those of "p5" ... "p9999" that fewer than ten of `count` values lie beyond: they say little.
std::vector<std::string> too_few_for(std::uint64_t count);

struct ArrivalFigures {
  std::uint64_t gaps = 0;
  double mean_s = 0;
  double variation = 0;  // standard deviation / mean
  double distance = 0;   // of Kolmogorov and Smirnov from exponential gaps of the rate
  double rate = 0;       // asked, of the generator that they are of
};

struct OccupancyFigures {
  Occupancy::Figures seen;
  double stays_s = 0;  // of all calls, added up
};

// What a process took from the start to the end of a run.
struct ProcessCost {
  double cpu_s = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  double rss_before_mb = 0;
  double rss_full_mb = 0;  // when most calls were up, as far as was looked: once a second or so
  double rss_after_mb = 0;
};

// Mean time that a stage took, of `count` operations.
struct StageMean {
  std::string name;
  std::uint64_t count = 0;
  double mean_us = 0;
};

// A process's counters as its status() tells them.
using Metrics = std::map<std::string, std::uint64_t>;

// Stages by operation ("setup"), in their order, the total last, of counters called
// OPERATION_stage_STAGE_ns and ..._count that have grown. Those that nobody counted are left out.
std::map<std::string, std::vector<StageMean>> stages_of(const Metrics& grown);

// An objective that the run was held against (objective.hpp), in words.
struct Assertion {
  std::string objective;  // "p99<5ms"
  bool kept = false;
  std::string measured;  // "3.2 ms"; "not known: 500 samples, p99 needs 1000"
};

struct ModelCheck {
  std::string name{};
  double measured = 0;
  double expected = 0;
  double tolerance = 0;  // of the difference, in the same unit
  bool judged = false;
  bool passed = true;  // always, when it is not judged
  std::string why{};   // what the tolerance is made of, or why it is not judged
};

}  // namespace xbind::callgen
