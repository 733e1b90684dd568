// run --generators N: the child processes, from the parent's side, and the one report of all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/search/generators.hpp"
#include "callgen/corba/corba_experiment.hpp"

namespace xbind::callgen {

// Starts the children with the words that the parent was started with, starts them together, waits for
// them, has the audit made once and merges what they report. `progress` is called every progress_interval of
// `run` on the caller's thread with the sum of all, never when it is quiet.
// `stop` is asked ten times a second; true: all generators end in order, and the report says so.
// Errors name the generator that could not do its part; the others have been ended by then.
Result<RunReport> run_generators(const ClientOptions& client, const RunOptions& run,
                                 std::uint32_t generators, const std::vector<std::string>& words,
                                 orb::Runtime& runtime,
                                 const std::function<void(const Progress&)>& progress,
                                 const std::function<bool()>& stop);

}  // namespace xbind::callgen
