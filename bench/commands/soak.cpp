// xbind-callgen soak: makes one run of steady load for --duration, samples memory and latency in
// every window, and judges whether both stay flat (bench/search/soak.hpp).
#include "bench/search/soak.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "bench/commands/commands.hpp"
#include "bench/commands/mode.hpp"
#include "core/output.hpp"
#include "orb/process.hpp"

namespace xbind::callgen {
namespace {

// A run has at most this many windows; a window lasts at least 1 s.
constexpr double kWindowsMax = 120;

struct SoakOptions {
  ModeOptions mode;
  // As given on the command line; declare()'s check sets the fractions in `rule` from them.
  double drift_percent = 0;
  double not_judged_percent = 0;
  SoakRule rule;
};

void declare(config::OptionSet& set, SoakOptions& options) {
  SoakRule& rule = options.rule;
  declare_mode_options(set, options.mode, "soak", {"calls", "ramp-to", "trace", "verify-media"});
  set.add_double("mb-per-hour", &rule.mb_per_hour, rule.mb_per_hour, {0.001, 1e6},
                 "Growth that a process's memory must surely be below.");
  set.add_double(
      "p50-drift", &options.drift_percent, 100 * rule.p50_drift, {0.1, 1000},
      "Per cent of itself by which the median setup latency must surely not have grown.");
  set.add_double("not-judged", &options.not_judged_percent, 100 * rule.not_judged, {0, 90},
                 "Per cent of the run, from its beginning, in which caches fill.");
  set.add_check([&set, &options]() -> std::optional<std::string> {
    if (!set.given("duration")) return "soak needs --duration, the length of the load in seconds";
    options.rule.p50_drift = options.drift_percent / 100;
    options.rule.not_judged = options.not_judged_percent / 100;
    return std::nullopt;
  });
}

// Takes a sample at the end of every window: memory of each process, recent p50 and p99 of setups.
// Prints the progress line as well, unless --quiet. Used on the thread that calls run_once().
class SoakSampler {
 public:
  explicit SoakSampler(const ModeOptions& mode) : mode_(mode) {}

  void sample(const Progress& progress) {
    const double at_s = std::chrono::duration<double>(progress.elapsed).count();
    for (const WatchedProcess& watched : watched_processes(mode_.client)) {
      const auto kib = orb::resident_kib(watched.pid);
      // A process that has ended has no memory; the run reports its end.
      if (kib) add(watched.name, at_s, *kib);
    }
    add("xbind-callgen", at_s, orb::own_resident_kib());
    // Zero: no setup was answered in this window.
    if (progress.recent_p50 > Duration::zero()) {
      series.p50_us.push_back({at_s, microseconds(progress.recent_p50)});
      series.p99_us.push_back({at_s, microseconds(progress.recent_p99)});
    }
    if (mode_.run.quiet) return;
    print_progress(progress_line(progress));
  }

  SoakSeries series;

 private:
  static double microseconds(Duration duration) {
    return static_cast<double>(duration.count()) / 1000;
  }
  void add(const std::string& process, double at_s, std::uint64_t kib) {
    series.rss_mb[process].push_back({at_s, static_cast<double>(kib) / 1024});
  }

  const ModeOptions& mode_;
};

// Judges the series, prints the findings (even with --quiet) and writes --json and --out. Returns
// the exit code of the verdict, or 1 when a file could not be written.
int judge_and_write(const SoakOptions& options, const SoakSeries& series) {
  const ModeOptions& mode = options.mode;
  const SoakFindings findings = judge_soak(series, options.rule);
  print_output(to_text(findings, options.rule));
  const int failed = write_results(
      mode, "soak", to_json(findings, series, options.rule), [&] { return to_csv(series); },
      [&] { return page_of(findings, series, options.rule); });
  if (failed != 0) return failed;
  switch (findings.verdict()) {
    case SoakVerdict::kFlat: return 0;
    case SoakVerdict::kGrows: return 1;
    case SoakVerdict::kTooShort: return 3;
  }
  return 1;
}

int soak(int argc, char** argv) {
  SoakOptions options;
  config::OptionSet set("xbind-callgen soak",
                        "Offers a steady load for --duration; memory and latency must stay flat.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  const ModeOptions& mode = options.mode;
  ModeSession session(argc, argv, mode.client);

  RunOptions run = mode.run;
  // run_once() calls back only when it is not quiet, once per progress_interval; each call is a
  // sample. sample() itself honours --quiet.
  run.quiet = false;
  run.progress_interval = std::max(1.0, run.duration / kWindowsMax);
  SoakSampler sampler(mode);
  const auto report = run_once(mode.client, run, session.runtime(),
                               [&sampler](const Progress& progress) { sampler.sample(progress); },
                               nullptr, {.begin = {}, .stop = ModeSession::stop});
  if (!report) return ModeSession::failed(report.error());
  sampler.series.interrupted = report->interrupted;
  if (!mode.run.quiet) print_output(to_text(*report));
  const int soak_code = judge_and_write(options, sampler.series);
  const Verdict run_verdict = judge(*report);
  if (run_verdict.many_refused)
    std::printf("Note: %s; memory and latency are those of the other calls\n",
                run_verdict.remarks.front().c_str());
  for (const std::string& reason : run_verdict.reasons) {
    std::fprintf(stderr, "xbind-callgen: the run: %s\n", reason.c_str());
  }
  // The first that applies: 1 (the run failed, growth, or a file could not be written), 4
  // (interrupted), 3 (the run is void), the code of the soak verdict.
  if (run_verdict.failed) return 1;
  if (run_verdict.interrupted) return soak_code == 1 ? 1 : kInterruptedCode;
  return run_verdict.ok || soak_code == 1 ? soak_code : 3;
}

}  // namespace

const Command kSoak{"soak", "Hours of steady load: memory and latency must stay flat.", soak};

}  // namespace xbind::callgen
