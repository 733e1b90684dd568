// The part of `run` that checks assertions and shares the load among generators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/search/objective.hpp"
#include "callgen/options/run_options.hpp"
#include "callgen/report/report.hpp"
#include "core/config/options.hpp"

namespace xbind::callgen {

struct JudgingOptions {
  std::vector<std::string> asserted;
  std::uint32_t generators = 1;
  bool expect_refusals = false;
  std::vector<Objective> objectives;  // of the loaded options: --assert
};

// `options` and `run` must outlive the set's load(); the options of `run` are declared already.
void declare_judging_options(config::OptionSet& set, JudgingOptions& options,
                             const RunOptions& run);

// Fills report.assertions and report.expect_refusals.
void hold_against(const JudgingOptions& options, RunReport& report);

}  // namespace xbind::callgen
