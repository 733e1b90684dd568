// `run --scenario FILE`: how a scenario file and the other options make one plan.
#pragma once

#include <string>
#include <vector>

#include "callgen/options/run_options.hpp"
#include "core/config/options.hpp"

namespace xbind::callgen {

// Declares --scenario and --run-events, for `run` alone; call after declare_run_options(). The file
// is read and checked when the options are loaded, and sets `calls`.
void declare_scenario_options(config::OptionSet& set, RunOptions& options);

// From loaded options with a scenario: the phases' matrices, by phase; those of phases without one
// are missing.
std::vector<std::pair<std::size_t, MatrixSpec>> phase_matrices(const RunOptions& options);

// The same of the classes that name their ends, by class.
std::vector<std::pair<std::size_t, MatrixSpec>> class_matrices(const RunOptions& options);

// From loaded options: the scenario's part of the plan; nothing without one.
void fill_scenario(const RunOptions& options, RunPlan& plan);

}  // namespace xbind::callgen
