// run --generators N: the parent's side of the child processes, and their common report.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/search/generators.hpp"
#include "callgen/corba/corba_experiment.hpp"

namespace xbind::callgen {

// Starts the children with the parent's arguments, starts the load in all of them at the same time,
// waits for them, makes the audit once and merges the reports. Unless the run is quiet, `progress`
// is called every progress_interval of `run` on the caller's thread, with the sum of all. `stop` is
// polled ten times a second; true: all generators end in order, and the report says so. Errors name
// the generator that failed; the others have ended by then.
Result<RunReport> run_generators(const ClientOptions& client, const RunOptions& run,
                                 std::uint32_t generators, const std::vector<std::string>& words,
                                 orb::Runtime& runtime,
                                 const std::function<void(const Progress&)>& progress,
                                 const std::function<bool()>& stop);

}  // namespace xbind::callgen
