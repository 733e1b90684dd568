// The planned properties of each call, drawn from the seed: ends, class, holding time, scenario and
// priority. Every call draws everything, used or not, so that no choice affects another draw. With
// phases each phase has its own streams, so a change in one moves nothing in the others.
//
// One thread at a time. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "callgen/load/holding_time.hpp"
#include "callgen/load/scenario.hpp"
#include "callgen/load/workload.hpp"
#include "callgen/run/run_plan.hpp"

namespace xbind::callgen {

struct NextCall {
  Duration hold{};
  Scenario scenario = Scenario::kSetup;
  std::uint8_t priority = 0;
  std::uint16_t phase = 0;       // 0 without phases
  std::uint16_t call_class = 0;  // 0 without classes
  Ends ends;
  std::string_view leaf{};
};

class CallSource {
 public:
  // `plan` must outlive the source. A workload for each phase that has a matrix of its own, and for
  // each class that has ends of its own, is part of `workload` (Workload::of_phase(), of_class()).
  CallSource(const RunPlan& plan, Workload workload);

  CallSource(const CallSource&) = delete;
  CallSource& operator=(const CallSource&) = delete;

  // Call `index`, planned at this time of the plan. Calls come in their order. Names are valid as
  // long as the source.
  NextCall next(std::uint64_t index, Duration in_plan);

 private:
  struct Draws {
    HoldingTime holding;
    WeightedDraw<kScenarios> scenarios;
    WeightedDraw<kClassesMax> classes;
  };
  std::size_t phase_at(Duration in_plan);
  // Gives the ends of the classes their streams of this phase.
  void begin(std::size_t phase);

  const RunPlan& plan_;
  Workload workload_;
  std::vector<Draws> draws_;          // by phase; one without phases
  std::vector<Duration> phase_ends_;  // on the clock of the plan
  std::size_t phase_ = 0;             // of the last call
  WeightedDraw<kPriorities> priorities_;
};

}  // namespace xbind::callgen
