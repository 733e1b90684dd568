// What a system does with more than it can take: goodput at 1x, 1.5x, 2x, 3x and 5x of a rate, and whether it
// comes back afterwards.
//
// Goodput is calls connected within a bound a second: connected, counted from the planned arrival, in no more
// time than the objective allows, divided by the time over which the calls were planned. A call that is
// connected too late is work done for nobody.
//
//   holds       goodput at every factor is at least `keep` of the best at any lower factor, or at its own
//   collapses   at one of them it is less
//   recovers    offered 1x again at once, the goodput is `back` of the first 1x within `most_recoveries` runs
//
// Points at which the generator could not offer its load are told, and judge nothing.
//
// Pure: how a run is made is handed in.
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
  std::vector<double> factors{1, 1.5, 2, 3, 5};  // the first is what recovery is held against
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
  // Where the least is left of the best so far, above the first factor.
  double worst_factor = 0;  // 0: none could be judged
  double worst_per_s = 0;
  double best_per_s = 0;    // by then
  bool overloaded = false;  // at some factor less was done in time than was offered
  bool holds = false;
  bool recovers = false;
  double recovered_after_s =
      0;                 // offered time of the runs at 1x until one was as the first, it included
  bool stopped = false;  // by the operator, or with a manager that was lost
  std::string lost;      // why the next run could not be made

  // 0: holds and recovers. 1: one of them is not so. 3: it could not be judged. 4: the operator has
  // stopped it.
  int exit_code() const;
};

// Setups connected within the bound of their planned arrival, of a run; as exact as the histogram's buckets:
// a bucket across the bound counts as beyond it.
std::uint64_t connected_within(const RunReport& report, double bound_us);

// `told` is called after every run. The error of the first run, if there is one; a later one ends it.
Result<OverloadResult> overload(const OverloadPlan& plan, const RunOptions& base,
                                const RunFunction& run, const StopFunction& stop,
                                const std::function<void(const OverloadPoint&)>& told);

std::string to_text(const OverloadPoint& point);
std::string to_text(const OverloadResult& result, const OverloadPlan& plan);

}  // namespace xbind::callgen
