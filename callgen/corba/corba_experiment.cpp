#include "callgen/corba/corba_experiment.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "callgen/corba/corba_target.hpp"
#include "callgen/corba/corba_watch.hpp"
#include "callgen/options/scenario_options.hpp"
#include "callgen/timers.hpp"
#include "client/timers.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"

namespace xbind::callgen {
namespace {

std::optional<std::pair<std::string, int>> parse_watch(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  const std::string digits = text.substr(equals + 1);
  if (digits.empty() || digits.size() > 9 ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::pair{text.substr(0, equals), std::stoi(digits)};
}

std::uint64_t value_of(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0 : found->second;
}

// Counters of all processes that send over sessions, at one time.
struct Counted {
  std::vector<Metrics> managers;
  std::map<std::string, Metrics> switches;
  faults::FaultCounters own;
};

// Faults of one leg between two measurements, by the counters of the sending process. The counters
// of a restarted process began at zero.
faults::FaultCounters leg_between(const Metrics& before, const Metrics& after,
                                  const std::string& leg) {
  const auto grown = [&](const char* what) {
    const std::uint64_t then = value_of(before, leg + what);
    const std::uint64_t now = value_of(after, leg + what);
    return now >= then ? now - then : now;
  };
  faults::FaultCounters counters;
  counters.invocations = grown("_invocations");
  counters.dropped = grown("_dropped");
  counters.repeated = grown("_repeated");
  counters.reordered = grown("_reordered");
  counters.delayed = grown("_delayed");
  return counters;
}

void fill_faults(const Counted& before, const Counted& after, RunReport& report) {
  auto& legs = report.faults_by_leg;
  legs["client_to_manager"] = after.own;  // of this process: zero before the run
  for (std::size_t i = 0; i < after.managers.size(); ++i) {
    legs["manager_to_client"] +=
        leg_between(before.managers[i], after.managers[i], "faults_to_clients");
    legs["manager_to_switch"] +=
        leg_between(before.managers[i], after.managers[i], "faults_to_switches");
  }
  auto& from_switches = legs["switch_to_manager"];
  for (const auto& [name, metrics] : after.switches) {
    const auto then = before.switches.find(name);
    from_switches += leg_between(then == before.switches.end() ? Metrics{} : then->second, metrics,
                                 "faults_to_managers");
  }
  for (const auto& [leg, counters] : legs) {
    report.faults.dropped += counters.dropped;
    report.faults.repeated += counters.repeated;
    report.faults.reordered += counters.reordered;
    report.faults.delayed += counters.delayed;
  }
}

// Sums over all SwitchServers; the counters of a restarted one began at zero.
void fill_switchservers(const Counted& before, const Counted& after, RunReport& report) {
  for (const auto& [server, metrics] : after.switches) {
    const auto then = before.switches.find(server);
    for (const auto& [name, now] : metrics) {
      const std::uint64_t earlier =
          then == before.switches.end() ? 0 : value_of(then->second, name);
      report.switchservers_grown[name] += now >= earlier ? now - earlier : now;
    }
  }
}

// What all processes have counted since `before`. Call it when the report's sessions are known.
void fill_counters(CorbaTarget& target, const Counted& before, RunReport& report) {
  const auto after = target.statuses();
  if (!after) {
    log::warn("{}", after.error().text);
    counters_unknown(before.managers, after.error().text, report);
    return;
  }
  fill_from_managers(before.managers, *after, report);
  const Counted counted{*after, target.switch_statuses(), target.own_faults()};
  fill_faults(before, counted, report);
  fill_switchservers(before, counted, report);
  if (report.sessions.reattached.sessions_opened > 0)
    counters_in_part("a manager was lost, and one that restarts counts from zero", report);
}

// Waits until no manager owes a removal, `most` has passed, or `stop` returns true.
void await_debts(CorbaTarget& target, Duration most, const std::function<bool()>& stop) {
  constexpr Duration kBetweenLooks = kCallgenTimers["debt-look"];
  const TimePoint until = steady_now() + most;
  std::condition_variable nobody_wakes;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  while (steady_now() < until && !(stop && stop())) {
    const auto now = target.statuses();
    if (!now) return;  // the audit will report the reason
    const bool owed = std::any_of(now->begin(), now->end(), [](const Metrics& metrics) {
      const auto found = metrics.find("owed");
      return found != metrics.end() && found->second != 0;
    });
    if (!owed) return;
    nobody_wakes.wait_for(lock, kBetweenLooks);
  }
}

void fill_audits(CorbaTarget& target, RunReport& report) {
  for (const auto& [manager, audit] : target.audits()) report.audits[manager] = report_of(audit);
  report.audit = sum_of(report.audits);
}

// For --verify-media: the lines, and the check of the cells that come over them.
struct MediaParts {
  std::unique_ptr<MediaLines> lines;
  std::unique_ptr<MediaCheck> check;
};

// A number that distinguishes this run from all others that ever sent cells here, almost certainly.
std::uint64_t run_number() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return splitmix64(static_cast<std::uint64_t>(now) ^ static_cast<std::uint64_t>(getpid()) << 40);
}

Result<MediaParts> media_of(const RunOptions& options, const Workload& workload) {
  MediaParts parts;
  if (!options.media.verify) return parts;
  const auto hosts = endpoint_lines(options);
  std::vector<std::string> ends = workload.every_end();
  if (options.trace_calls)
    ends.insert(ends.end(), options.trace_calls->names.begin(), options.trace_calls->names.end());
  for (const std::string& end : ends) {
    const bool has_line = std::any_of(hosts.begin(), hosts.end(),
                                      [&end](const auto& host) { return host.name == end; });
    if (!has_line)
      return fail(ErrorCode::kBadInput,
                  "endpoint {} has no line in --endpoints: its calls cannot be verified", end);
  }
  auto lines = MediaLines::open(hosts, options.media.capture);
  if (!lines) return tl::make_unexpected(lines.error());
  parts.lines = std::move(*lines);
  MediaPlan plan;
  plan.calls = options.media.calls;
  plan.at_stop = options.media.at_stop;
  plan.run_calls = options.calls;
  plan.seed = options.seed;
  plan.run = run_number();
  parts.check = std::make_unique<MediaCheck>(plan, parts.lines->endpoints());
  return parts;
}

}  // namespace

void doubt_audits(RunReport& report) {
  for (const auto& [manager, callback] : report.sessions.unheard) {
    const auto audit = report.audits.find(manager);
    if (audit == report.audits.end()) continue;
    audit->second.clean = false;
    audit->second.findings.push_back(
        fmt::format("manager {} never answered: calls of this run may still be up there", manager));
  }
  if (!report.audits.empty()) report.audit = sum_of(report.audits);
}

AuditReport report_of(const Result<RemoteAudit>& audit) {
  AuditReport report;
  if (!audit) {
    report.findings.push_back("the audit could not be made: " + audit.error().text);
    return report;
  }
  report.made = true;
  report.clean = audit->totals.clean;
  report.stray_cross_connects = audit->totals.stray_cross_connects;
  report.leaked_labels = audit->totals.leaked_labels;
  report.leaked_bandwidth_cells_per_s = audit->totals.leaked_bandwidth_cells_per_s;
  report.owed = audit->totals.owed;
  report.unreadable = audit->totals.unreadable;
  report.connections = audit->connections;
  report.findings = audit->findings;
  return report;
}

void declare_client_options(config::OptionSet& set, ClientOptions& options) {
  set.add_string("client-name", &options.client_name, "",
                 "Name to attach with; empty: callgen- and the process number.");
  set.add_string("routeobject", &options.route_object, "default",
                 "RouteObject whose topology gives the ends when --from and --to are not given.");
  set.add_strings("watch-pid", &options.watch_pids,
                  "NAME=PID of a process whose memory goes into the summary.");
  set.add_check([&options]() -> std::optional<std::string> {
    for (const std::string& watch : options.watch_pids) {
      if (!parse_watch(watch)) return fmt::format("watch-pid: '{}' is not NAME=PID", watch);
    }
    return std::nullopt;
  });
  set.add_timers(kCallgenTimers);
  set.add_timers(client::kClientTimers);
  orb::add_client_options(set, options.common, log::Level::kWarn);
  declare_faults(set, options.impairments);
}

std::vector<WatchedProcess> watched_processes(const ClientOptions& options) {
  std::vector<WatchedProcess> watched;
  for (const std::string& watch : options.watch_pids) {
    const auto [name, pid] = *parse_watch(watch);  // checked when the options were loaded
    watched.push_back({name, pid});
  }
  return watched;
}

Result<Workload> workload_for(CorbaTarget& target, const ClientOptions& client,
                              const RunOptions& run) {
  MatrixSpec matrix = matrix_of(run);
  matrix.leaves = plan_of(run).mix.has(Scenario::kLeaf);
  const auto of_phases = phase_matrices(run);
  const auto of_classes = class_matrices(run);
  KnownEnds known;
  if (needs_topology(matrix) || !of_phases.empty() || !of_classes.empty()) {
    auto ends = target.ends_from(client.route_object);
    if (!ends) return tl::make_unexpected(ends.error());
    known = std::move(*ends);
  }
  auto workload = workload_of(matrix, known, run.seed);
  for (const auto& [phase, its_matrix] : of_phases) {
    if (!workload) break;
    auto of_phase = workload_of(its_matrix, known, splitmix64(run.seed + phase));
    if (!of_phase) return of_phase;
    workload->add_phase(phase, std::move(*of_phase));
  }
  for (const auto& [call_class, its_matrix] : of_classes) {
    if (!workload) break;
    auto of_class = workload_of(its_matrix, known, run.seed);  // CallSource restarts it
    if (!of_class) return of_class;
    workload->add_class(call_class, std::move(*of_class));
  }
  return workload;
}

Result<void> attach_all(CorbaTarget& target, const ClientOptions& client, const RunOptions& run,
                        const std::string& suffix) {
  const std::string name =
      client.client_name.empty() ? fmt::format("callgen-{}", getpid()) : client.client_name;
  for (const std::string& manager : managers_of(run)) {
    if (auto attached = target.attach(manager, name + suffix); !attached) return attached;
  }
  return {};
}

Result<std::map<std::string, AuditReport>> audits_of(const ClientOptions& client,
                                                     const RunOptions& run, orb::Runtime& runtime) {
  CorbaTarget target(runtime, client.common.name_service, {});
  if (const auto attached = attach_all(target, client, run, "-audit"); !attached)
    return tl::make_unexpected(attached.error());
  RunReport report;
  fill_audits(target, report);
  target.detach();
  return report.audits;
}

Result<RunReport> run_once(const ClientOptions& client, const RunOptions& options,
                           orb::Runtime& runtime,
                           const std::function<void(const Progress&)>& progress,
                           RecordSink* records, const RunHooks& hooks) {
  CorbaTarget target(runtime, client.common.name_service, client.impairments,
                     options.reattach ? OnLoss::kReattach : OnLoss::kEnd);
  auto workload = workload_for(target, client, options);
  if (!workload) return tl::make_unexpected(workload.error());
  auto media = media_of(options, *workload);
  if (!media) return tl::make_unexpected(media.error());
  if (const auto attached = attach_all(target, client, options); !attached)
    return tl::make_unexpected(attached.error());
  const auto managers_before = target.statuses();
  if (!managers_before) return tl::make_unexpected(managers_before.error());
  const Counted before{*managers_before, target.switch_statuses(), {}};

  const RunPlan plan = plan_of(options);
  const bool show = !options.quiet && options.progress_interval > 0 && progress;
  const double interval_s = show ? options.progress_interval : 1;
  std::optional<Media> media_of_run;
  if (media->check) media_of_run.emplace(Media{*media->check, *media->lines});
  if (hooks.stop && hooks.stop()) {
    target.detach();
    return fail(ErrorCode::kUnreachable, "interrupted before a call was offered");
  }
  TimePoint begin;
  if (hooks.begin) {
    const auto started = hooks.begin();
    if (!started) return tl::make_unexpected(started.error());
    begin = *started;
  }
  std::vector<std::pair<std::string, int>> watched;
  for (const WatchedProcess& process : watched_processes(client))
    watched.emplace_back(process.name, process.pid);
  ProcessWatch watch(watched);
  const auto look = [&](const Progress& now) {
    watch.look(now.up);
    if (hooks.look) hooks.look(now);
    if (show) progress(now);
  };
  const RunFigures figures =
      target.run(plan, std::move(*workload), media_of_run ? &*media_of_run : nullptr,
                 Duration{static_cast<std::int64_t>(interval_s * 1e9)}, look, records, begin,
                 {.stop = hooks.stop, .operate = hooks.operate});

  RunReport report = report_of(plan, figures);
  watch.finish(report);
  if (media->check) {
    report.media = media->check->finish();
    report.media_cells_not_sent = media->lines->cells_not_sent();
  }
  report.sessions = {target.unheard(), target.reattached()};
  fill_counters(target, before, report);
  if (hooks.audit) {
    await_debts(target, Duration{static_cast<std::int64_t>(options.debts_timeout * 1e9)},
                hooks.stop);
    fill_audits(target, report);
  }
  doubt_audits(report);
  report.manifest["omniORB"] = omniORB::versionString();
  report.manifest["manager"] = fmt::format("{}", fmt::join(managers_of(options), ","));
  report.manifest["client_batch"] = std::to_string(options.client_batch);
  target.detach();
  return report;
}

}  // namespace xbind::callgen
