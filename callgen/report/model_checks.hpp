// Is the run what it says it is? Each check compares what was measured with what the model of the load
// demands. A check that fails makes the run void: its figures are about something else.
//
// The generator's lag, the achieved rate and shed calls are judged by verdict.cpp, as they always were,
// and stand here as well, so that one table shows all.
#pragma once

#include <string>
#include <vector>

#include "callgen/report/report.hpp"

namespace xbind::callgen {

inline constexpr std::uint64_t kFewestForChecks = 1000;  // calls

// What a failed check says for a verdict; those that verdict.cpp judges itself are not among them.
std::vector<ModelCheck> model_checks(const RunReport& report);
// The same with the generator's lag and rate in front, for tables.
std::vector<ModelCheck> all_checks(const RunReport& report);

std::string sentence_of(const ModelCheck& failed);

}  // namespace xbind::callgen
