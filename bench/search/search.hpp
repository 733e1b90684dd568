// Searches for the highest rate that keeps its objectives, by runs at one rate after another.
//
//   warm-up ─▶ rise (listed rates, x2) ─▶ bisect to the precision ─▶ confirm with a longer run
//                 │                                                       │ broken
//            first broken point                       a step lower, confirm again
//
// RateSearch (rate_search.hpp) decides the next rate.
//
// Machines are noisy. So a single run does not break a rate, nor keep it when it was near the
// limit: the point is repeated until two runs agree, at most three times. A run whose load was not
// the requested one (void) says nothing about the system. After two void runs the generator is the
// limit, and the rate that it could not offer is an upper bound like a broken one.
//
// After a point at which not every call was connected the system may still be working on the past.
// Small runs at a low rate follow until they are answered as quickly as after the warm-up, so that
// one point does not affect the next.
//
// Pure: the caller passes a function that makes a run. RFC 7502 calls the result for "fail=0" the
// session establishment rate; for a latency objective it is a capacity under a design objective
// (ETSI TS 186 008).
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

// Makes one run to its end. Errors: nothing could be offered.
using RunFunction = std::function<Result<RunReport>(const RunOptions&)>;
using StopFunction = std::function<bool()>;  // whether the operator wants to stop

// `base` for `seconds` at `rate`, with a different seed for every `number`; at least `fewest`
// calls.
RunOptions at_rate(const RunOptions& base, double rate, double seconds, std::uint64_t fewest,
                   std::uint64_t number);

struct SearchPlan {
  double first_rate = 100;  // calls a second; the first rate of the rise
  std::vector<double>
      rates{};                 // of the rise, ascending from first_rate on; empty: first_rate alone
  double growth = 2;           // factor of the rise beyond them
  double highest_rate = 1e6;   // no higher rate is tried
  double lowest_rate = 1;      // no lower rate is tried
  double precision = 0.05;     // relative gap between kept and broken at which the search ends
  double point_s = 3;          // seconds of load at each point
  double confirm_s = 10;       // seconds of load to confirm
  std::uint64_t fewest = 300;  // fewest calls at a point, however low the rate
  std::uint64_t most_runs = 100;
};

enum class PointKind : std::uint8_t { kWarmUp, kRise, kBisect, kConfirm, kSettle };
std::string_view to_string(PointKind kind);  // "warm-up", ...
// Whether its verdict counts: not during warm-up and settling.
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
  std::uint32_t attempt = 1;  // of this point
  PointVerdict verdict = PointVerdict::kKept;
  bool near_the_limit = false;  // within a fifth of it: one run alone is not enough
  std::vector<Judged> judged;
  std::vector<std::string> troubles;  // faults that no objective names: a leak, a contradiction
  RunReport report;
};

enum class SearchEnd : std::uint8_t {
  kFound,         // a rate is kept, and one within the precision above it is broken
  kGenerator,     // the same, but the generator was what broke
  kHighestRate,   // the highest rate that may be tried is kept
  kNoneKept,      // the lowest rate that may be tried is broken
  kNotConfirmed,  // longer runs did not keep what short runs kept, nor lower rates
  kMostRuns,
  kStopped,  // by the operator
  kLost,     // a manager stopped answering
};

std::string_view to_string(SearchEnd end);  // "found", "generator", ...

struct SearchResult {
  SearchEnd end = SearchEnd::kFound;
  double rate = 0;         // the highest kept so far; 0: none
  bool confirmed = false;  // by a longer run
  double broken_rate = 0;  // the lowest not kept; 0: none
  std::string broken_by;   // "p99<5ms broken: 7.1 ms"
  std::string lost;        // of kLost: why the next run could not be made, if that is the reason
  std::vector<SearchPoint> points;
  // The confirming run, or the last kept one; nullptr when none was kept. Valid as long as
  // `points`.
  const SearchPoint* best() const;
};

// Whether the generator did not offer the load: it was late, or its rate was off. A system that
// stalls under its load fails other checks of the run's model; that is not the generator's limit.
bool generator_was_the_limit(const RunReport& report);

// Judges a run by the objectives; the caller sets `kind`, `rate` and `attempt`.
SearchPoint judge_point(const std::vector<Objective>& objectives, RunReport report);

// `after_run` is called after every run. Returns the first run's error, if any; a later error ends
// the search.
Result<SearchResult> search(const SearchPlan& plan, const RunOptions& base,
                            const std::vector<Objective>& objectives, const RunFunction& run,
                            const StopFunction& stop,
                            const std::function<void(const SearchPoint&)>& after_run);

// Text for a terminal: a line for one run, and the result.
std::string to_text(const SearchPoint& point);
std::string to_text(const SearchResult& result, const std::vector<Objective>& objectives);

}  // namespace xbind::callgen
