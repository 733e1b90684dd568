// The options of a load: when calls come, how long they last, what is asked for in their course, and who calls
// whom. Each is said once; what they mean together is checked, and files are read, when they are loaded.
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
  // Of loaded options these three are those of the run, whichever way they were given: see settle in
  // load_options.cpp. Whoever wants another load afterwards sets them.
  std::uint64_t calls = 0;
  double rate = 0;  // calls a second
  double hold = 0;  // seconds, the mean

  double duration = 0;  // seconds; 0: as many as `calls`
  double erlangs = 0;   // 0: not given
  HoldDistribution hold_distribution = HoldDistribution::kConstant;
  double hold_sigma = 1;
  Arrivals arrivals = Arrivals::kPoisson;
  double burst_on = 0;  // seconds, the mean
  double burst_off = 0;
  double ramp_to = 0;  // calls a second
  std::string trace;   // file; empty: none
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
  std::string from;  // both or neither; neither: the ends come from the topology
  std::string to;

  // What the files say, read when the options are loaded.
  std::shared_ptr<const Trace> trace_calls;
  std::vector<Demand> demand_rows;
};

// Declares everything, with its checks; `options` must outlive the set's load().
void declare_load_options(config::OptionSet& set, LoadOptions& options);

// Of loaded options: their part of the plan, and of who calls whom.
void fill_load(const LoadOptions& options, RunPlan& plan);
MatrixSpec matrix_of(const LoadOptions& options);

}  // namespace xbind::callgen
