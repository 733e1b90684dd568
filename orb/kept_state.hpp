// --state-dir of a daemon: what it keeps there across restarts, and that it says so when it has
// none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/config/options.hpp"
#include "core/metrics/metric_table.hpp"
#include "core/result.hpp"

namespace xbind::orb {

// Declares --state-dir. `what`: "Directory in which ... is stored across restarts"; the rest of the
// sentence is added.
void add_state_option(config::OptionSet& set, std::string* directory, const std::string& what);
// Once, at the start, after the log: creates the directory. Without one, logs in one line what ends
// with this process: "drains, a changed network". Returns false, and logs it, if the directory
// cannot be created. From then on the status of the process has `state_kept`.
bool begin_state(const std::string& directory, std::string_view what);
// Why the file of settings is refused, for a check of the options: the daemon then does not start.
std::optional<std::string> refusal_of_settings(const std::string& path);
// For Steps::begin: whether `begun` is no error. With an error ends the process, with exit code 2
// and the text: a file of --state-dir is refused.
bool or_end_process(const Result<void>& begun);

// Appends `state_kept`; nothing before begin_state(). Any thread.
void append_kept_state(Metrics& metrics);
void append_kept_state(MetricTable& table);

}  // namespace xbind::orb
