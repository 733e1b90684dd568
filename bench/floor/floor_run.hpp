// A whole floor, from the processes up to the figures; alone (commands/floor.cpp), or around a run through
// real managers, so that the run's speed can be told as a share of it.
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
  Duration ceiling{};  // how long to look for the highest speed; zero: not at all
  std::size_t outstanding = 2048;
};

struct FloorAnswer {
  RunReport report;  // of the open load; its `floor` holds all figures
};

// The load at which nothing waits for anything else: 500 calls, 250 a second.
RunPlan low_load(RunPlan plan);

// Takes as long as `plan` and `ceiling` say, and about a second.
Result<FloorAnswer> measure_floor(const FloorAsked& asked, orb::Runtime& runtime);

// --- around a run ---------------------------------------------------------------------------------

// --with-floor and --floor-switches of the commands that call real managers. A floor before and one after,
// at the threshold that the first manager has then, with the run's client batch and rate, for two seconds at
// most; and a second each for the ceiling.
class FloorOfRun {
 public:
  void declare(config::OptionSet& set);

  // Nothing happens without --with-floor.
  Result<void> before(const ClientOptions& client, const RunOptions& run, orb::Runtime& runtime);
  // Fills report.floor: means of the two floors, how far they are apart, and the run's shares.
  Result<void> after(orb::Runtime& runtime, RunReport& report);

 private:
  bool wanted_ = false;
  std::uint32_t switches_ = 0;
  std::optional<FloorAsked> asked_;
  FloorFigures before_;
};

}  // namespace xbind::callgen::null
