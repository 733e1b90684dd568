// The highest rate that keeps its objectives: runs at one rate after the other, and what they say together.
//
//   warm-up ─▶ rise (listed rates, x2) ─▶ bisect to the precision ─▶ confirm with a longer run
//                 │                                                       │ broken
//            first broken point                       a step lower, confirm again
//
// Which rate comes next is decided by rate_search.hpp.
//
// Machines are noisy, so a single run does not break a rate, nor keep it when it was near the limit: the
// point is run again until two runs say the same, at most three times. A run whose load was not the asked
// one (void) says nothing about the system. When two say so the generator is the limit, and the rate it
// could not offer bounds the search from above like a broken one.
//
// After a point at which not every call was connected the system may still be busy with the past: small runs
// at a low rate go on until they are answered as quickly as after the warm-up, so that no point pays for
// another.
//
// Pure: how a run is made is handed in. RFC 7502 calls the result for "fail=0" the session establishment
// rate; for an objective of latency it is a capacity under a design objective (ETSI TS 186 008).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/search/objective.hpp"
#include "callgen/options/run_options.hpp"
#include "callgen/report/report.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

// One run to its end. Errors: nothing could be offered.
using RunFunction = std::function<Result<RunReport>(const RunOptions&)>;
using StopFunction = std::function<bool()>;  // whether the operator has had enough

// `base` for `seconds` at `rate`, with a seed of its own for every `number`; at least `fewest` calls.
RunOptions at_rate(const RunOptions& base, double rate, double seconds, std::uint64_t fewest,
                   std::uint64_t number);

struct SearchPlan {
  double first_rate = 100;      // calls a second, where the rise begins
  std::vector<double> rates{};  // those of the rise, ascending from first_rate on; empty: it alone
  double growth = 2;            // factor of the rise beyond them
  double highest_rate = 1e6;    // never above
  double lowest_rate = 1;       // when that is broken, nothing is kept
  double precision = 0.05;      // of the rate: the bracket that is good enough
  double point_s = 3;           // offered at each point
  double confirm_s = 10;        // offered to confirm
  std::uint64_t fewest = 300;   // calls at a point, however slow
  std::uint64_t most_runs = 100;
};

enum class PointKind : std::uint8_t { kWarmUp, kRise, kBisect, kConfirm, kSettle };
std::string_view to_string(PointKind kind);  // "warm-up", ...
// Whether its verdict means something: not of warming up and settling.
bool measures(PointKind kind);

enum class PointVerdict : std::uint8_t {
  kKept,
  kBroken,
  kVoid,  // the generator was the limit
};
std::string_view to_string(PointVerdict verdict);  // "kept", "broken", "generator"

// One run of a search.
struct SearchPoint {
  PointKind kind = PointKind::kRise;
  double rate = 0;
  std::uint32_t attempt = 1;  // of the same point
  PointVerdict verdict = PointVerdict::kKept;
  bool near_the_limit = false;  // within a fifth of it: not enough to be believed alone
  std::vector<Judged> judged;
  std::vector<std::string> troubles;  // what no objective names: a leak, a contradiction
  RunReport report;
};

enum class SearchEnd : std::uint8_t {
  kFound,         // a rate is kept, and one within the precision above it is broken
  kGenerator,     // ... but what broke was the generator
  kHighestRate,   // the highest rate to be tried is kept
  kNoneKept,      // not even the lowest
  kNotConfirmed,  // what short runs kept, longer ones did not, also lower
  kMostRuns,
  kStopped,  // by the operator
  kLost,     // a manager would not answer any more
};

std::string_view to_string(SearchEnd end);  // "found", "generator", ...

struct SearchResult {
  SearchEnd end = SearchEnd::kFound;
  double rate = 0;         // the highest kept so far; 0: none
  bool confirmed = false;  // by a longer run
  double broken_rate = 0;  // the lowest not kept; 0: none
  std::string broken_by;   // "p99<5ms broken: 7.1 ms"
  std::string lost;        // of kLost: why the next run could not be made, if that is why
  std::vector<SearchPoint> points;
  // The confirming run, or the last kept one; nothing when none was kept. Valid as long as `points`.
  const SearchPoint* best() const;
};

// Whether the generator did not offer the load: it was late, or its rate was off. A system that stands still
// under its load, which fails other checks of a run's model, is no reason.
bool generator_was_the_limit(const RunReport& report);

// Whether a run kept the objectives; everything but `kind`, `rate` and `attempt`.
SearchPoint judge_point(const std::vector<Objective>& objectives, RunReport report);

// `told` is called after every run. The error of the first run, if there is one; a later one ends the search.
Result<SearchResult> search(const SearchPlan& plan, const RunOptions& base,
                            const std::vector<Objective>& objectives, const RunFunction& run,
                            const StopFunction& stop,
                            const std::function<void(const SearchPoint&)>& told);

// For a terminal: one run in a line, and what was found.
std::string to_text(const SearchPoint& point);
std::string to_text(const SearchResult& result, const std::vector<Objective>& objectives);

}  // namespace xbind::callgen
