// The options of a load: arrivals, holding times, scenarios and endpoints of calls. When the
// options are loaded, their combination is checked and files are read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "callgen/load/matrix.hpp"
#include "callgen/load/trace.hpp"
#include "callgen/run/run_plan.hpp"
#include "core/config/options.hpp"

namespace xbind::callgen {

struct LoadOptions {
  // In loaded options these three are final, however they were given: see load_checks.cpp. A
  // command that runs another load afterwards sets them.
  std::uint64_t calls = 0;
  double rate = 0;  // calls a second
  double hold = 0;  // mean, seconds

  double duration = 0;  // seconds; 0: use `calls`
  double erlangs = 0;   // 0: not given
  HoldDistribution hold_distribution = HoldDistribution::kConstant;
  double hold_sigma = 1;
  Arrivals arrivals = Arrivals::kPoisson;
  double burst_on = 0;  // mean, seconds
  double burst_off = 0;
  double ramp_to = 0;    // calls a second
  std::string trace;     // file; empty: none
  std::string scenario;  // file of phases; empty: none
  std::uint64_t seed = 0;

  std::vector<std::string> mix;       // NAME=WEIGHT
  std::vector<std::string> priority;  // NUMBER=WEIGHT
  std::uint64_t modify_cells_per_s = 0;
  std::uint32_t hold_ms = 0;

  Matrix matrix = Matrix::kTopology;
  std::string hotspot;
  double hotspot_share = 0;
  std::string demands;  // file; empty: none
  double repeat_pair = 0;
  std::string from;  // both or neither; neither: the ends come from the matrix
  std::string to;

  // The content of the files, read when the options are loaded.
  std::shared_ptr<const Trace> trace_calls;
  std::vector<Demand> demand_rows;
};

// Declares all options with their checks; `options` must outlive the set's load().
void declare_load_options(config::OptionSet& set, LoadOptions& options);

// From loaded options: fills in the load's part of the plan; returns the matrix.
void fill_load(const LoadOptions& options, RunPlan& plan);
MatrixSpec matrix_of(const LoadOptions& options);

}  // namespace xbind::callgen
