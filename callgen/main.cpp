// xbind-callgen: offers calls to a ConnectionManager and accounts for every one of them.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "callgen/corba_target.hpp"
#include "callgen/json_file.hpp"
#include "callgen/report.hpp"
#include "callgen/run_options.hpp"
#include "core/version.hpp"
#include "orb/daemon.hpp"
#include "orb/process.hpp"

namespace {

using namespace xbind;

struct Options {
  orb::CommonOptions common;
  callgen::RunOptions run;
  faults::FaultOptions faults;
  std::string client_name;
  std::string route_object;
  std::vector<std::string> watch_pids;  // NAME=PID
};

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

void declare(config::OptionSet& set, Options& options) {
  callgen::declare_run_options(set, options.run);
  set.add_string("client-name", &options.client_name, "",
                 "Name to attach with; empty: callgen- and the process number.");
  set.add_string("routeobject", &options.route_object, "default",
                 "RouteObject whose topology tells the ends when --from and --to are not given.");
  set.add_strings("watch-pid", &options.watch_pids,
                  "NAME=PID of a process whose memory goes into the summary.");
  set.add_check([&options]() -> std::optional<std::string> {
    for (const std::string& watch : options.watch_pids) {
      if (!parse_watch(watch)) return fmt::format("watch-pid: '{}' is not NAME=PID", watch);
    }
    return std::nullopt;
  });
  orb::add_client_options(set, options.common, log::Level::kWarn);
  orb::add_fault_options(set, options.faults);
}

int fail_with(const Error& error) {
  std::fprintf(stderr, "xbind-callgen: %s\n", error.text.c_str());
  return 1;
}

using callgen::Metrics;

std::uint64_t value_of(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0 : found->second;
}

// What all processes that send over sessions had counted at a time.
struct Counted {
  std::vector<Metrics> managers;
  std::map<std::string, Metrics> switches;
  faults::FaultCounters own;
};

// What the fault layer did to one leg between two looks, by the counters of the process that sends.
// A process that was started anew has counted from zero.
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

void fill_faults(const Counted& before, const Counted& after, callgen::RunReport& report) {
  auto& legs = report.faults_by_leg;
  legs["client_to_manager"] = after.own;  // that process is this one: nothing before the run
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

void fill_memory(const Options& options, callgen::RunReport& report) {
  report.rss_mb["xbind-callgen"] = static_cast<double>(orb::own_resident_kib()) / 1024;
  for (const std::string& watch : options.watch_pids) {
    const auto [name, pid] = *parse_watch(watch);
    // A process that is gone stays in the table, as zero: it was expected to be there.
    report.rss_mb[name] = static_cast<double>(orb::resident_kib(pid).value_or(0)) / 1024;
  }
}

callgen::AuditReport report_of(const Result<callgen::RemoteAudit>& audit) {
  callgen::AuditReport report;
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
  report.findings = audit->findings;
  return report;
}

void fill_audits(callgen::CorbaTarget& target, callgen::RunReport& report) {
  for (const auto& [manager, audit] : target.audits()) report.audits[manager] = report_of(audit);
  report.audit = callgen::sum_of(report.audits);
}

// With --verify-media: the lines, and who judges what comes over them.
struct MediaParts {
  std::unique_ptr<callgen::MediaLines> lines;
  std::unique_ptr<callgen::MediaCheck> check;
};

// A run of its own among all that ever sent cells here: a number that no other has, as good as surely.
std::uint64_t run_number() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return callgen::splitmix64(static_cast<std::uint64_t>(now) ^ static_cast<std::uint64_t>(getpid())
                                                                   << 40);
}

Result<MediaParts> media_of(const callgen::RunOptions& options, const callgen::Workload& workload) {
  MediaParts parts;
  if (!options.verify_media) return parts;
  const auto hosts = callgen::endpoint_lines(options);
  for (const std::string& end : workload.every_end()) {
    const bool has_line = std::any_of(hosts.begin(), hosts.end(),
                                      [&end](const auto& host) { return host.name == end; });
    if (!has_line)
      return fail(ErrorCode::kBadInput,
                  "endpoint {} has no line in --endpoints: its calls cannot be verified", end);
  }
  auto lines = callgen::MediaLines::open(hosts, options.capture);
  if (!lines) return tl::make_unexpected(lines.error());
  parts.lines = std::move(*lines);
  callgen::MediaPlan plan;
  plan.calls = options.media_calls;
  plan.run_calls = options.calls;
  plan.seed = options.seed;
  plan.run = run_number();
  parts.check = std::make_unique<callgen::MediaCheck>(plan, parts.lines->endpoints());
  return parts;
}

int run(const Options& options, orb::Runtime& runtime) {
  callgen::CorbaTarget target(runtime, options.common.name_service, options.faults);
  auto workload = options.run.from.empty()
                      ? target.workload_from(options.route_object, options.run.seed)
                      : callgen::Workload::weighted({{options.run.from, options.run.to, 1.0}},
                                                    options.run.seed);
  if (!workload) return fail_with(workload.error());
  auto media = media_of(options.run, *workload);
  if (!media) return fail_with(media.error());
  const std::string client_name =
      options.client_name.empty() ? fmt::format("callgen-{}", getpid()) : options.client_name;
  const std::vector<std::string> managers = callgen::managers_of(options.run);
  for (const std::string& manager : managers) {
    if (const auto attached = target.attach(manager, client_name); !attached) {
      return fail_with(attached.error());
    }
  }
  const auto managers_before = target.statuses();
  if (!managers_before) return fail_with(managers_before.error());
  const Counted before{*managers_before, target.switch_statuses(), {}};

  const callgen::RunPlan plan = callgen::plan_of(options.run);
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto show = [terminal](const callgen::Progress& progress) {
    std::fprintf(stderr, terminal ? "\r%s\x1b[K" : "%s\n",
                 callgen::progress_line(progress).c_str());
    std::fflush(stderr);
  };
  const double interval_s = options.run.quiet ? 0 : options.run.progress_interval;
  std::optional<callgen::Media> media_of_run;
  if (media->check) media_of_run.emplace(callgen::Media{*media->check, *media->lines});
  const callgen::RunFigures figures =
      target.run(plan, std::move(*workload), media_of_run ? &*media_of_run : nullptr,
                 Duration{static_cast<std::int64_t>(interval_s * 1e9)}, show);
  if (terminal && interval_s > 0) std::fprintf(stderr, "\n");

  callgen::RunReport report = callgen::report_of(plan, figures);
  if (media->check) {
    report.media = media->check->finish();
    report.media_cells_not_sent = media->lines->cells_not_sent();
  }
  if (const auto after = target.statuses()) {
    callgen::fill_from_managers(before.managers, *after, report);
    fill_faults(before, {*after, target.switch_statuses(), target.own_faults()}, report);
  } else {
    std::fprintf(stderr, "xbind-callgen: %s\n", after.error().text.c_str());
  }
  fill_audits(target, report);
  fill_memory(options, report);
  report.manifest["version"] = std::string{version()};
  report.manifest["processors"] = std::to_string(std::thread::hardware_concurrency());
  report.manifest["manager"] = fmt::format("{}", fmt::join(managers, ","));
  report.manifest["client_batch"] = std::to_string(options.run.client_batch);
  target.detach();

  if (!options.run.quiet) std::printf("%s", callgen::to_text(report).c_str());
  if (!options.run.json.empty()) {
    if (const auto written = callgen::write_file(options.run.json, callgen::to_json(report));
        !written) {
      return fail_with(written.error());
    }
  }
  const callgen::Verdict verdict = callgen::judge(report);
  if (options.run.quiet) {
    for (const std::string& reason : verdict.reasons) {
      std::fprintf(stderr, "xbind-callgen: %s\n", reason.c_str());
    }
  }
  return callgen::exit_code(verdict);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb != "run") {
    config::OptionSet set(
        "xbind-callgen",
        "Offers calls to a ConnectionManager; `xbind-callgen run --help` tells how.");
    std::vector<std::string> words;
    set.take_arguments("run [OPTION...]", &words, 1, 1'000);
    if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
    std::fprintf(stderr, "xbind-callgen: '%s' is no command of it; there is: run\n",
                 words.front().c_str());
    return 2;
  }
  Options options;
  config::OptionSet set("xbind-callgen run", "Offers calls and accounts for every one of them.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc - 1, argv + 1)) return *exit_code;
  log::start("xbind-callgen", options.common.log_level);
  orb::Runtime runtime(argc, argv, options.common.runtime());
  return run(options, runtime);
}
