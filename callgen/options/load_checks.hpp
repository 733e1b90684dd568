// The combined meaning of the load options, and their bounds.
#pragma once

#include "callgen/load/load_limits.hpp"
#include "callgen/options/load_options.hpp"
#include "core/config/options.hpp"

namespace xbind::callgen {

inline constexpr double kBurstsMax = 1e8;  // bursts of a run: each costs a draw when it is planned

// Declares checks in this order: exclusive options; rate, hold and erlangs; files; number of calls
// and length of the run. Each refusal names the options and their values.
void declare_load_checks(config::OptionSet& set, LoadOptions& options);

}  // namespace xbind::callgen
