// Checks whether the run was the one that was requested. Each check compares a measured value with
// the value that the model of the load predicts. A failed check makes the run void, because its
// figures belong to another load.
//
// verdict.cpp judges the generator's lag, the achieved rate and shed calls; they also appear here,
// so that one table shows all checks.
#pragma once

#include <string>
#include <vector>

#include "callgen/report/report.hpp"

namespace xbind::callgen {

inline constexpr std::uint64_t kFewestForChecks = 1000;  // calls

// The failed checks count in the verdict; excludes those that verdict.cpp judges itself.
std::vector<ModelCheck> model_checks(const RunReport& report);
// The same, preceded by the generator's lag and rate, for tables.
std::vector<ModelCheck> all_checks(const RunReport& report);

std::string sentence_of(const ModelCheck& failed);

}  // namespace xbind::callgen
