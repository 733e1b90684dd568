// A whole floor, from the processes to the figures: alone (commands/floor.cpp), or before and after
// a run with real managers, so that the run's speed can be given as a share of it.
#pragma once

#include <optional>
#include <string>

#include "bench/floor/floor.hpp"
#include "callgen/corba/corba_experiment.hpp"
#include "callgen/options/run_options.hpp"
#include "callgen/report/report.hpp"
#include "core/config/options.hpp"
#include "core/result.hpp"
#include "orb/runtime.hpp"

namespace xbind::callgen::null {

struct FloorAsked {
  FloorSetup setup;
  RunPlan plan;  // the open load: latency at its rate
  std::string from = "host-a";
  std::string to = "host-b";
  Duration ceiling{};  // how long the closed loop runs; zero: not at all
  std::size_t outstanding = 2048;
};

struct FloorAnswer {
  RunReport report;  // of the open load; its `floor` holds all figures
};

// The load at which no request waits for another: 500 calls, 250 a second.
RunPlan low_load(RunPlan plan);

// Takes about a second longer than `plan` and `ceiling` say.
Result<FloorAnswer> measure_floor(const FloorAsked& asked, orb::Runtime& runtime);

// --- before and after a run ---

// --with-floor and --floor-switches of the commands that call real managers. Measures a floor
// before and one after, at the first manager's threshold at that time, with the run's client batch
// and rate, for at most two seconds, and the ceiling for a second each.
class FloorOfRun {
 public:
  void declare(config::OptionSet& set);

  // Does nothing without --with-floor.
  Result<void> before(const ClientOptions& client, const RunOptions& run, orb::Runtime& runtime);
  // Fills report.floor: means of the two floors, their difference, and the run's shares.
  Result<void> after(orb::Runtime& runtime, RunReport& report);

 private:
  bool wanted_ = false;
  std::uint32_t switches_ = 0;
  std::optional<FloorAsked> asked_;
  FloorFigures before_;
};

}  // namespace xbind::callgen::null
