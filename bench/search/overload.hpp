// What a system does with more load than it can carry: goodput at 1x, 1.5x, 2x, 3x and 5x of a
// rate, and whether it recovers afterwards.
//
// Goodput is the number of calls a second that were connected within a bound: counted from the
// planned arrival and within the objective's time, divided by the time over which calls were
// planned. A call that is connected too late does not count.
//
//   holds       at every factor goodput is at least `keep` of the best up to that factor
//   collapses   at one of them it is less
//   recovers    when 1x is offered again at once, goodput reaches `back` of the first 1x
//               within `most_recoveries` runs
//
// Points at which the generator could not offer its load are shown and not judged.
//
// Pure: the caller passes a function that makes a run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/search/search.hpp"

namespace xbind::callgen {

struct OverloadPlan {
  double rate = 100;                             // 1x
  std::vector<double> factors{1, 1.5, 2, 3, 5};  // the first is the reference of the recovery
  double bound_us = 5000;
  double point_s = 5;
  std::uint64_t fewest = 100;
  double keep = 0.8;
  double back = 0.95;
  std::uint32_t most_recoveries = 5;
};

struct OverloadPoint {
  double factor = 1;
  bool recovery = false;  // 1x again
  double rate = 0;
  double goodput_per_s = 0;
  std::uint64_t within = 0;  // the bound
  bool generator_limited = false;
  RunReport report;
};

struct OverloadResult {
  std::vector<OverloadPoint> points;
  // The point above the first factor that keeps least of the best goodput so far.
  double worst_factor = 0;  // 0: none could be judged
  double worst_per_s = 0;
  double best_per_s = 0;    // up to that point
  bool overloaded = false;  // at some factor fewer calls were done in time than offered
  bool holds = false;
  bool recovers = false;
  double recovered_after_s =
      0;                 // offered time of the runs at 1x up to the first that recovered, inclusive
  bool stopped = false;  // by the operator, or because a manager was lost
  std::string lost;      // why the next run could not be made

  // 0: holds and recovers. 1: one of them fails. 3: unknown. 4: stopped by the operator.
  int exit_code() const;
};

// Setups of a run that were connected within the bound of their planned arrival, to a bucket of the
// histogram: a bucket across the bound counts as beyond it.
std::uint64_t connected_within(const RunReport& report, double bound_us);

// `after_run` is called after every run. The error of the first run, if any; a later error ends the
// series.
Result<OverloadResult> overload(const OverloadPlan& plan, const RunOptions& base,
                                const RunFunction& run, const StopFunction& stop,
                                const std::function<void(const OverloadPoint&)>& after_run);

std::string to_text(const OverloadPoint& point);
std::string to_text(const OverloadResult& result, const OverloadPlan& plan);

}  // namespace xbind::callgen
