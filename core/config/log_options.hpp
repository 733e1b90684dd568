// The options of the log, for every program that writes one: --log-level, --log-format, --log-file.
#pragma once

#include "core/config/options.hpp"
#include "core/log_output.hpp"

namespace xbind::log {

// `set` and `output` must outlive the set's load().
void declare(config::OptionSet& set, Output& output, Level default_level);

}  // namespace xbind::log
