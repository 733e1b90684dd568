// xbind-callgen soak: hours of steady load, and whether memory and latency stay flat.
#include "bench/search/soak.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "bench/commands/commands.hpp"
#include "bench/commands/mode.hpp"
#include "orb/process.hpp"

namespace xbind::callgen {
namespace {

constexpr double kWindows = 120;  // of a whole run, at most

struct SoakOptions {
  ModeOptions mode;
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
    if (!set.given("duration")) return "soak needs --duration: how long is it to last?";
    options.rule.p50_drift = options.drift_percent / 100;
    options.rule.not_judged = options.not_judged_percent / 100;
    return std::nullopt;
  });
}

// Samples once in a window while the run lasts.
class Watch {
 public:
  explicit Watch(const ModeOptions& mode) : mode_(mode) {}

  void look(const Progress& progress) {
    const double at_s = std::chrono::duration<double>(progress.elapsed).count();
    for (const WatchedProcess& watched : watched_processes(mode_.client)) {
      const auto kib = orb::resident_kib(watched.pid);
      // A process that has ended has no memory; the run reports its end.
      if (kib) add(watched.name, at_s, *kib);
    }
    add("xbind-callgen", at_s, orb::own_resident_kib());
    if (progress.recent_p50 > Duration::zero()) {
      series.p50_us.push_back({at_s, microseconds(progress.recent_p50)});
      series.p99_us.push_back({at_s, microseconds(progress.recent_p99)});
    }
    if (mode_.run.quiet) return;
    std::printf("%s\n", progress_line(progress).c_str());
    std::fflush(stdout);
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

// Writes the files and returns the exit code.
int conclude(const SoakOptions& options, const SoakSeries& series) {
  const ModeOptions& mode = options.mode;
  const SoakFindings findings = judge_soak(series, options.rule);
  std::printf("%s", to_text(findings, options.rule).c_str());
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
  run.quiet = false;  // the samples depend on progress calls
  run.progress_interval = std::max(1.0, run.duration / kWindows);
  Watch watch(mode);
  const auto report = run_once(mode.client, run, session.runtime(),
                               [&watch](const Progress& progress) { watch.look(progress); },
                               nullptr, {.begin = {}, .stop = ModeSession::stop});
  if (!report) return ModeSession::failed(report.error());
  watch.series.interrupted = report->interrupted;
  if (!mode.run.quiet) std::printf("%s", to_text(*report).c_str());
  const int judged = conclude(options, watch.series);
  const Verdict verdict = judge(*report);
  for (const std::string& reason : verdict.reasons) {
    std::fprintf(stderr, "xbind-callgen: the run: %s\n", reason.c_str());
  }
  if (verdict.failed) return 1;
  if (verdict.interrupted) return judged == 1 ? 1 : kInterruptedCode;
  return verdict.ok || judged == 1 ? judged : 3;
}

}  // namespace

const Command kSoak{"soak", "Hours of steady load: memory and latency must stay flat.", soak};

}  // namespace xbind::callgen
