// The options that slow a process down (core/impairments/pace.hpp), for every daemon alike.
#pragma once

#include "core/config/options.hpp"
#include "core/impairments/pace.hpp"

namespace xbind {

// Declares --pace-message-us, --pace-item-us, --pace-before-leaving, --pace-pause-chance,
// --pace-pause-us and --pace-seed; `options` must outlive the set's load().
void declare_pace_options(config::OptionSet& set, PaceOptions& options);

}  // namespace xbind
