// One run against managers that are up: finds and attaches to them, plays the plan, asks everybody for
// their counters before and after, has the audit made, and reports. What `xbind-callgen run` does once the
// other commands do again and again.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "callgen/corba/corba_target.hpp"
#include "callgen/options/run_options.hpp"
#include "callgen/report/report.hpp"
#include "core/clock.hpp"
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

// What --watch-pid names, of loaded options.
struct WatchedProcess {
  std::string name;
  int pid = 0;
};
std::vector<WatchedProcess> watched_processes(const ClientOptions& options);

// What one of several generators does otherwise.
struct RunHooks {
  // Called when all is ready to be offered; the plan's time zero. Its error ends the run.
  std::function<Result<TimePoint>()> begin;
  bool audit = true;  // false: others make it, when all are done
  // Asked while the run lasts, on the caller's thread; true: it ends in order, and its report says
  // that it was interrupted. Before the first call: an error.
  std::function<bool()> stop{};
};

// What an audit says in a report; one that could not be made says so.
AuditReport report_of(const Result<RemoteAudit>& audit);

// Sums the audits up. One of a manager that was never heard from says that it proves nothing: calls
// may be up that nobody here knows of.
void doubt_audits(RunReport& report);

// The calls that the options ask for; asks RouteObject for the ends when they need the topology.
Result<Workload> workload_for(CorbaTarget& target, const ClientOptions& client,
                              const RunOptions& run);

// Attaches to all managers of `run` under the client's own name, or with an empty one under callgen- and the
// process number, `suffix` after it.
Result<void> attach_all(CorbaTarget& target, const ClientOptions& client, const RunOptions& run,
                        const std::string& suffix = {});

// The audits of all managers, by name, as a client of its own. An audit that could not be made is one that
// says so.
Result<std::map<std::string, AuditReport>> audits_of(const ClientOptions& client,
                                                     const RunOptions& run, orb::Runtime& runtime);

// Errors: nothing was offered (a manager or the topology was not to be had, media lines could not be
// opened). What failed later is in the report. `progress` is called every progress_interval of `run` on
// the caller's thread, never when it is quiet; `records`, if any, gets every record, on another thread. A
// client name is used once: with an empty one each run has
// its own.
Result<RunReport> run_once(const ClientOptions& client, const RunOptions& run,
                           orb::Runtime& runtime,
                           const std::function<void(const Progress&)>& progress,
                           RecordSink* records = nullptr, const RunHooks& hooks = {});

}  // namespace xbind::callgen
