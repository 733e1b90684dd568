// Parts of a report that are plain data; report.hpp has the whole.
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

// All in microseconds; zeros if count is 0. Percentiles are at most 1/128 above the true value.
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
  // Distribution-free 95 % intervals by order statistics (assuming independent values), for those
  // of "p50", "p90", "p95", "p99" and "p999" whose upper rank exists.
  std::map<std::string, std::array<double, 2>> interval_95;
};
LatencySummary summary_of(const Histogram& histogram);
// The percentiles of "p5" ... "p9999" with fewer than ten of `count` values beyond them, which
// makes them unreliable.
std::vector<std::string> too_few_for(std::uint64_t count);

// Losses of managers that a run with --reattach survived.
struct Reattached {
  std::uint64_t sessions_lost = 0;
  std::uint64_t sessions_opened = 0;  // after the first one of each manager
  // Sent again under their numbers in a later session. The manager may have done them before it
  // was lost; their outcomes are those of the repeat.
  std::uint64_t requests_repeated = 0;

  friend bool operator==(const Reattached&, const Reattached&) = default;
};

// The sessions of a run with its managers.
struct SessionFigures {
  // Managers that were sent requests and never called back, each with the callback's address.
  std::map<std::string, std::string> unheard;
  Reattached reattached;
};

// What the operator changed of the offer during the run (callgen/run/offer.hpp).
struct RateChange {
  double at_s = 0;   // since the start of the run
  std::string what;  // "rate", "pause", "resume", "end"
  // Calls a second before and after; nullopt: the arrivals have no rate.
  std::optional<double> from_per_s;
  std::optional<double> to_per_s;
};

// The calls of a phase or a class of a scenario, in its order.
struct PartReport {
  std::string name;
  std::string what;  // "100 to 400 calls/s for 60 s"; empty for a class
  std::uint64_t attempted = 0;
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;
  LatencySummary setup_latency;
};

// A command that was run at a time of the plan.
struct EventReport {
  std::string name;
  std::string command;
  double planned_s = 0;        // time of the plan
  std::optional<double> at_s;  // time of the run when it began; nullopt: it was not run
  double duration_s = 0;
  std::optional<std::int64_t> exit_code;  // nullopt: it did not end by itself
  std::string said;                       // the end of its output, or why it has no exit code

  bool done() const { return at_s && exit_code == 0; }
};

// "rate from 200 to 250 calls/s", "held back", "resumed with 250 calls/s", "no further call".
std::string sentence_of(const RateChange& change);

struct ArrivalFigures {
  std::uint64_t gaps = 0;
  double mean_s = 0;
  double variation = 0;  // standard deviation / mean
  double distance = 0;   // Kolmogorov-Smirnov distance from exponential gaps of the rate
  double rate = 0;       // requested rate of the generator that sent them
};

struct OccupancyFigures {
  Occupancy::Figures seen;
  double stays_s = 0;  // sum over all calls
};

// Resources that a process used from the start to the end of a run. nullopt: the process had ended
// by then, so the figure is not known.
struct ProcessCost {
  std::optional<double> cpu_s{};
  std::optional<std::uint64_t> voluntary_switches{};
  std::optional<std::uint64_t> involuntary_switches{};
  std::optional<double> rss_before_mb{};
  std::optional<double> rss_full_mb{};  // with most calls up; sampled about once a second
  std::optional<double> rss_after_mb{};
};

// All context switches of the process; nullopt: not known.
std::optional<std::uint64_t> context_switches(const ProcessCost& process);
// Memory with most calls up less that before the run; nullopt: not known.
std::optional<double> rss_growth_mb(const ProcessCost& process);

// Mean time of a stage over `count` operations.
struct StageMean {
  std::string name;
  std::uint64_t count = 0;
  double mean_us = 0;
};

// A process's counters as its status() reports them.
using Metrics = std::map<std::string, std::uint64_t>;

// Stages by operation ("setup"), in their order, the total last, from counters
// OPERATION_stage_STAGE_ns and ..._count that have grown. Stages without a count are left out.
std::map<std::string, std::vector<StageMean>> stages_of(const Metrics& grown);

// The result of an objective (bench/search/objective.hpp) of the run, in words.
struct Assertion {
  std::string objective;  // "p99<5ms"
  bool kept = false;
  std::string measured;     // "3.2 ms"; "not known: 500 samples, p99 needs 1000"
  bool by_default = false;  // added, because no other one bounds the calls that are not connected
};

struct ModelCheck {
  std::string name{};
  double measured = 0;
  double expected = 0;
  double tolerance = 0;  // for the difference, in the same unit
  bool judged = false;
  bool passed = true;  // always true when not judged
  std::string why{};   // how the tolerance is composed, or why the check is not judged
};

}  // namespace xbind::callgen
