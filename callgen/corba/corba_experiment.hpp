// One run against running managers: finds and attaches to them, plays the plan, reads the counters
// of all processes before and after, has the audit made, and reports. `xbind-callgen run` does this
// once, other commands repeatedly.
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
#include "core/impairments/impairments.hpp"
#include "core/result.hpp"
#include "orb/daemon.hpp"
#include "orb/runtime.hpp"

namespace xbind::callgen {

// How the managers are reached, and which processes are watched; the same for every run of a
// command.
struct ClientOptions {
  orb::CommonOptions common;
  ImpairmentOptions impairments;
  std::string client_name;
  std::string route_object;
  std::vector<std::string> watch_pids;  // NAME=PID
};
void declare_client_options(config::OptionSet& set, ClientOptions& options);

// An entry of --watch-pid, from checked options.
struct WatchedProcess {
  std::string name;
  int pid = 0;
};
std::vector<WatchedProcess> watched_processes(const ClientOptions& options);

// Changes to a run that is one of several generators' parts.
struct RunHooks {
  // Called when everything is ready; returns time zero of the plan. An error ends the run.
  std::function<Result<TimePoint>()> begin;
  bool audit = true;  // false: the audit is made elsewhere, when all generators are done
  // Called during the run on the caller's thread. True ends the run in order, and its report says
  // that it was interrupted. If true before the first call, run_once() returns an error.
  std::function<bool()> stop{};
  // Called during the run on the caller's thread, ten times a second.
  std::function<void(Conduct&)> operate{};
  // As `progress`, but also when the run is quiet: every second then.
  std::function<void(const Progress&)> look{};
};

// The audit in the form of a report, also when it could not be made.
AuditReport report_of(const Result<RemoteAudit>& audit);

// Sums the audits up. The audit of a manager that never answered is marked as proving nothing: it
// may have calls that this process does not know.
void doubt_audits(RunReport& report);

// The workload of the options; queries RouteObject for the endpoints if they depend on the
// topology.
Result<Workload> workload_for(CorbaTarget& target, const ClientOptions& client,
                              const RunOptions& run);

// Attaches to all managers of `run` under the client's name. If it is empty, the name is callgen-
// with the process number and `suffix`.
Result<void> attach_all(CorbaTarget& target, const ClientOptions& client, const RunOptions& run,
                        const std::string& suffix = {});

// The audits of all managers, by name, made by a separate client. An audit that could not be made
// is marked so.
Result<std::map<std::string, AuditReport>> audits_of(const ClientOptions& client,
                                                     const RunOptions& run, orb::Runtime& runtime);

// Errors: no call was offered, because a manager or the topology could not be reached or media
// lines could not be opened. Later failures are in the report. `progress` is called every
// progress_interval of `run` on the caller's thread, and never when it is quiet. `records`, if any,
// gets every record, on another thread. A client name is used for one run only; an empty one gives
// each run a new name.
Result<RunReport> run_once(const ClientOptions& client, const RunOptions& run,
                           orb::Runtime& runtime,
                           const std::function<void(const Progress&)>& progress,
                           RecordSink* records = nullptr, const RunHooks& hooks = {});

}  // namespace xbind::callgen
