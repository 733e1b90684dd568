// One run against managers that are up: finds and attaches to them, plays the plan, asks everybody for
// their counters before and after, has the audit made, and reports. What `xbind-callgen run` does once the
// other commands do again and again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "callgen/report.hpp"
#include "callgen/run_options.hpp"
#include "core/config/options.hpp"
#include "core/faults/fault_plan.hpp"
#include "core/result.hpp"
#include "orb/daemon.hpp"
#include "orb/runtime.hpp"

namespace xbind::callgen {

// How the managers are reached, and who is watched; the same for every run of a command.
struct ClientOptions {
  orb::CommonOptions common;
  faults::FaultOptions faults;
  std::string client_name;
  std::string route_object;
  std::vector<std::string> watch_pids;  // NAME=PID
};
void declare_client_options(config::OptionSet& set, ClientOptions& options);

// Errors: nothing was offered (a manager or the topology was not to be had, media lines could not be
// opened). What failed later is in the report. `progress` is called every progress_interval of `run` on
// the caller's thread, never when it is quiet. A client name is used once: with an empty one each run has
// its own.
Result<RunReport> run_once(const ClientOptions& client, const RunOptions& run,
                           orb::Runtime& runtime,
                           const std::function<void(const Progress&)>& progress);

}  // namespace xbind::callgen
