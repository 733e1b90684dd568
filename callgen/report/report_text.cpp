// The forms for people: summary and progress line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "callgen/report/model_checks.hpp"
#include "callgen/report/report.hpp"
#include "callgen/report/rounding.hpp"

namespace xbind::callgen {
namespace {

constexpr std::size_t kFindingsShown = 12;

std::string ms(double us) { return rounded(us / 1000); }
std::string ms(Duration duration) { return ms(static_cast<double>(duration.count()) / 1000); }

const char* words_of(Arrivals arrivals) {
  switch (arrivals) {
    case Arrivals::kPoisson: return "Poisson arrivals";
    case Arrivals::kConstant: return "evenly spaced arrivals";
    case Arrivals::kBurst: return "Poisson arrivals in bursts";
    case Arrivals::kRamp: return "Poisson arrivals on a ramp";
    case Arrivals::kTrace: return "arrivals of a trace";
    case Arrivals::kOneAtATime: return "each when the one before was over";
    case Arrivals::kPhases: return "in phases";
  }
  return "unknown";
}

class Page {
 public:
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), text, std::forward<Args>(args)...);
    text_ += '\n';
  }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

// Every change on a line of its own, the first and the last ones if there are many.
void rate_changes(const RunReport& report, Page& page) {
  constexpr std::size_t kShown = 20;
  const auto& changes = report.rate_changes;
  if (changes.empty()) return;
  page.line("  changed during the run: {} times; the rate above is the mean that was asked for",
            grouped(changes.size()));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (i == kShown / 2 && changes.size() > kShown) {
      i = changes.size() - kShown / 2;
      page.line("    ... {} more", grouped(changes.size() - kShown));
    }
    page.line("    {:>8} s  {}", rounded(changes[i].at_s), sentence_of(changes[i]));
  }
}

void offered(const RunReport& report, Page& page) {
  const auto seed = report.manifest.find("seed");
  page.line("Offered");
  const auto peak = report.manifest.find("peak-rate");
  page.line("  {} calls, {}{}{}{}), each to be held {} s{}", grouped(report.planned_calls),
            report.offered_setups_per_s > 0
                ? fmt::format("{} a second (", rounded(report.offered_setups_per_s))
                : std::string("("),
            words_of(report.arrivals),
            peak == report.manifest.end() ? "" : ", at most " + peak->second + " a second",
            seed == report.manifest.end() ? "" : ", seed " + seed->second,
            rounded(report.hold_mean_s),
            report.manifest.contains("hold-distribution") &&
                    report.manifest.at("hold-distribution") != "constant"
                ? " on average"
                : "");
  rate_changes(report, page);
  if (report.engine.empty()) return;
  const std::string managers =
      report.managers > 1 ? fmt::format("{} managers, ", report.managers) : "";
  // Null servants aggregate by the rules of the real manager.
  const bool aggregates = report.engine == "xbind" || report.engine == "null";
  if (!aggregates)
    page.line("  through {}{} switches, engine {}, every command alone (threshold 1)", managers,
              report.switches, report.engine);
  else if (report.aggregation == "adaptive")  // has no threshold
    page.line("  through {}{} switches, engine {}, aggregation adaptive", managers, report.switches,
              report.engine);
  else if (report.aggregation == "regions")
    page.line("  through {}{} switches, engine {}, aggregation regions (threshold {} at the end)",
              managers, report.switches, report.engine, report.threshold);
  else
    page.line("  through {}{} switches, engine {}, aggregation threshold {}", managers,
              report.switches, report.engine, report.threshold);
}

void came_back(const RunReport& report, Page& page) {
  const SetupCounts& setups = report.setups;
  const ReleaseCounts& releases = report.releases;
  page.line("Came back");
  page.line("  setups    {} attempted = {} connected + {} refused + {} busy + {} unanswered",
            grouped(setups.attempted), grouped(setups.connected), grouped(setups.refused),
            grouped(setups.busy), grouped(setups.unanswered));
  for (const auto& [cause, count] : report.refusals.by_place())
    page.line("              refused {} times: {}", grouped(count), cause);
  page.line("  releases  {} attempted = {} released + {} failed + {} unanswered",
            grouped(releases.attempted), grouped(releases.released), grouped(releases.failed),
            grouped(releases.unanswered));
  for (const auto& [cause, count] : report.release_failures.by_place())
    page.line("              failed {} times: {}", grouped(count), cause);
  page.line("  in {} s: {} calls connected and {} operations (setups and releases) a second",
            rounded(report.duration_s), rounded(report.setups_per_s),
            rounded(report.call_operations_per_s));
  page.line("  at most {} calls up at a time", grouped(report.calls_up_peak));
  if (report.notices.all() > 0)
    page.line(
        "  notices: {} calls rerouted, {} broken, {} unknown, {} incomplete, {} mended, "
        "within {} s",
        grouped(report.notices.rerouted), grouped(report.notices.broken),
        grouped(report.notices.unknown), grouped(report.notices.incomplete),
        grouped(report.notices.mended),
        rounded(std::chrono::duration<double>(report.notices.span).count()));
  if (report.sessions.reattached != Reattached{})
    page.line("  sessions: {} lost, {} opened again; {} requests without an answer were repeated",
              grouped(report.sessions.reattached.sessions_lost),
              grouped(report.sessions.reattached.sessions_opened),
              grouped(report.sessions.reattached.requests_repeated));
  if (report.odd != OddOutcomes{})
    page.line("  odd answers: {} repeated, {} contradicted, {} too late, {} without a request",
              grouped(report.odd.repeated), grouped(report.odd.contradicted),
              grouped(report.odd.late), grouped(report.odd.unknown));
}

void parts(const std::vector<PartReport>& parts, const char* what, Page& page) {
  if (parts.empty()) return;
  page.line("{:<18}{:>10}{:>10}{:>10}{:>9}{:>11}{:>11}", what, "attempted", "connected", "refused",
            "p50 ms", "p99 ms", "unanswered");
  for (const PartReport& part : parts) {
    const bool any = part.setup_latency.count > 0;
    page.line("  {:<16}{:>10}{:>10}{:>10}{:>9}{:>11}{:>11}", part.name, grouped(part.attempted),
              grouped(part.connected), grouped(part.refused + part.busy),
              any ? ms(part.setup_latency.p50) : "-", any ? ms(part.setup_latency.p99) : "-",
              grouped(part.unanswered));
    if (!part.what.empty()) page.line("    {}", part.what);
  }
}

void events(const RunReport& report, Page& page) {
  if (report.events.empty()) return;
  page.line("Events");
  for (const EventReport& event : report.events) {
    if (!event.at_s) {
      page.line("  {}: not run (planned at {} s)", event.name, rounded(event.planned_s));
      continue;
    }
    page.line("  {}: at {} s, took {} s, {}", event.name, rounded(*event.at_s),
              rounded(event.duration_s),
              event.exit_code ? fmt::format("exit code {}", *event.exit_code) : event.said);
  }
}

void latencies(const RunReport& report, Page& page) {
  page.line("Latency in ms, from the moment it was meant to happen to its answer");
  page.line("  {:<16}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}", "", "mean", "p50", "p95", "p99",
            "p99.9", "max");
  bool few = false;
  const auto row = [&](std::string_view name, const LatencySummary& summary) {
    if (summary.count == 0) {
      page.line("  {:<16}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}", name, "-", "-", "-", "-", "-", "-");
      return;
    }
    const auto too_few = too_few_for(summary.count);
    const auto percentile = [&](const char* key, double us) {
      if (std::find(too_few.begin(), too_few.end(), key) == too_few.end()) return ms(us);
      few = true;
      return ms(us) + "*";
    };
    page.line("  {:<16}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}", name, ms(summary.mean),
              percentile("p50", summary.p50), percentile("p95", summary.p95),
              percentile("p99", summary.p99), percentile("p999", summary.p999), ms(summary.max));
  };
  row("setup", report.setup_latency);
  row("release", report.release_latency);
  for (const auto& [kind, statistics] : report.kinds) {
    if (kind != RequestKind::kSetup && kind != RequestKind::kRelease)
      row(to_string(kind), summary_of(statistics.latency));
  }
  if (report.refusal_latency.count > 0) row("refusal or busy", report.refusal_latency);
  row("generator late", report.generator_slip);
  if (few) page.line("  * fewer than ten requests lie beyond it");
  if (report.setup_mean_interval)
    page.line("  mean of setups {} ms, give or take {} ms (95 %, {} batches of {} s)",
              ms(report.setup_mean_interval->mean_us),
              ms(report.setup_mean_interval->half_width_us), report.setup_mean_interval->batches,
              rounded(report.setup_mean_interval->span_s));
  if (report.warm_up_s > 0)
    page.line("  without the first {} s, the warm-up", rounded(report.warm_up_s));
  if (report.steady_from_s && *report.steady_from_s > report.warm_up_s + 0.01 * report.duration_s)
    page.line("  not steady before {} s (MSER-5): --warm-up {:.3f} leaves that out",
              rounded(*report.steady_from_s), *report.steady_from_s);
}

void stages(const RunReport& report, Page& page) {
  const auto stack = setup_stack(report);
  if (stack.empty()) return;
  double total = 0;
  for (const StageMean& stage : stack) total += stage.mean_us;
  page.line("Where a mean setup spent its {} ms from sending to answer", ms(total));
  for (const StageMean& stage : stack) {
    if (stage.mean_us >= 0.05)
      page.line("  {:<30}{:>8} ms {:>6.1f} %", stage.name, ms(stage.mean_us),
                100 * stage.mean_us / total);
  }
}

void checks(const RunReport& report, Page& page) {
  const auto checks = all_checks(report);
  std::size_t judged = 0;
  std::size_t passed = 0;
  for (const ModelCheck& check : checks) {
    if (!check.judged) continue;
    ++judged;
    if (check.passed) ++passed;
  }
  page.line("Checks of the load: {} of {} as it should be, {} not judged", passed, judged,
            checks.size() - judged);
  for (const ModelCheck& check : checks) {
    if (!check.passed) page.line("  not so: {}", sentence_of(check));
  }
}

void system(const RunReport& report, Page& page) {
  page.line("System");
  page.line("  {}", counters_words(report));
  const Faults& faults = report.faults;
  if (faults.dropped + faults.repeated + faults.reordered + faults.delayed > 0)
    page.line("  injected faults: {} messages dropped, {} repeated, {} reordered, {} delayed",
              grouped(faults.dropped), grouped(faults.repeated), grouped(faults.reordered),
              grouped(faults.delayed));
  if (report.processes.empty()) {
    for (const auto& [process, rss_mb] : report.rss_mb)
      page.line("  memory {:>8} MB  {}", rounded(rss_mb), process);
    return;
  }
  const auto operations = static_cast<double>(report.setups.connected + report.releases.released);
  page.line("  {:>9} {:>13} {:>10} {:>12}   process", "CPU", "CPU/operation", "switches", "memory");
  const auto text = [](const std::optional<double>& figure) {
    return figure ? rounded(*figure) : std::string{"-"};
  };
  bool ended = false;
  for (const auto& [name, process] : report.processes) {
    const auto switches = context_switches(process);
    const bool per_operation = process.cpu_s && operations > 0;
    page.line("  {:>7} s {:>10} us {:>10} {:>9} MB   {}", text(process.cpu_s),
              per_operation ? rounded(*process.cpu_s * 1e6 / operations) : "-",
              switches ? grouped(*switches) : "-", text(process.rss_after_mb), name);
    ended = ended || !process.rss_after_mb;
  }
  if (ended) page.line("  -: not known; the process that was watched had ended before the run did");
}

void audit(const AuditReport& audit, Page& page) {
  page.line("Audit");
  if (!audit.made) {
    page.line("  not made");
  } else if (audit.proves_clean()) {
    if (audit.connections == 0) {
      page.line("  clean: no cross-connect, label or bandwidth is held by anyone but the caches");
    } else {
      page.line(
          "  clean: beside the caches, only {} connection{} of the manager still hold{} "
          "cross-connects,\n"
          "         labels and bandwidth",
          grouped(audit.connections), audit.connections == 1 ? "" : "s",
          audit.connections == 1 ? "s" : "");
    }
  } else {
    page.line(
        "  not clean: {} cross-connects stray, missing or changed, {} leaked labels,\n"
        "             {} cells/s leaked, {} hops owed, {} switches not readable",
        grouped(audit.stray_cross_connects), grouped(audit.leaked_labels),
        grouped(audit.leaked_bandwidth_cells_per_s), grouped(audit.owed),
        grouped(audit.unreadable));
  }
  const std::size_t shown = std::min(audit.findings.size(), kFindingsShown);
  for (std::size_t i = 0; i < shown; ++i) page.line("  {}", audit.findings[i]);
  if (shown < audit.findings.size()) {
    page.line("  and {} more: see xbindctl audit or the JSON report",
              audit.findings.size() - shown);
  }
}

void media(const RunReport& report, Page& page) {
  const MediaFigures& media = *report.media;
  page.line("Cells");
  page.line(
      "  {} calls checked, {} of them on labels of released calls (the run had {} such calls)",
      grouped(media.calls_checked), grouped(media.reused_checked),
      grouped(media.calls_on_reused_labels));
  page.line("  {} cells sent while the calls were up, {} received", grouped(media.cells_sent),
            grouped(media.cells_received));
  page.line("  {} cells sent after their release, {} received", grouped(media.probes_sent),
            grouped(media.probes_excused + media.after_release));
  if (media.probes_excused > 0)
    page.line("    of these {} by the call that had been given the label meanwhile, as is right",
              grouped(media.probes_excused));
  if (media.calls_uncheckable > 0)
    page.line("  {} calls could not be checked: no ATM label, or no line to their endpoint",
              grouped(media.calls_uncheckable));
  if (report.media_cells_not_sent > 0)
    page.line("  {} cells were not sent: the line had no room",
              grouped(report.media_cells_not_sent));
  if (media.late + media.foreign > 0)
    page.line("  {} cells came too late, {} were not of this run", grouped(media.late),
              grouped(media.foreign));
  if (media.calls_checked > 0 && media.violations() == 0)
    page.line("  all arrived at the called end and label alone, in order; none after the release");
  if (media.violations() > 0)
    page.line(
        "  WRONG: {} lost, {} out of order, {} duplicated, {} at a wrong endpoint, {} on a wrong\n"
        "         label, {} corrupted, {} after the release",
        grouped(media.lost), grouped(media.out_of_order), grouped(media.duplicated),
        grouped(media.wrong_endpoint), grouped(media.wrong_label), grouped(media.corrupted),
        grouped(media.after_release));
  for (const std::string& finding : media.findings) page.line("  {}", finding);
}

void assertions(const RunReport& report, Page& page) {
  if (report.assertions.empty()) return;
  page.line("Asserted");
  for (const Assertion& assertion : report.assertions)
    page.line("  {:<7} {}{}: {}", assertion.kept ? "kept" : "BROKEN", assertion.objective,
              assertion.by_default ? " (default)" : "", assertion.measured);
}

void verdict(const RunReport& report, Page& page) {
  const Verdict verdict = judge(report);
  const char* const answered =
      report.setups.connected > 0
          ? "Every call was answered, every connected one released"
          : "No call was connected, as --expect-refusals accepts; every call was answered";
  std::size_t said = 0;  // remarks
  if (verdict.ok && verdict.many_refused && report.setups.connected > 0) {
    page.line("Verdict: OK, but {}.", verdict.remarks.at(said++));
    page.line("  {}, nothing leaked.", answered);
  } else if (verdict.ok) {
    page.line("Verdict: OK. {}, nothing leaked.", answered);
  } else if (verdict.failed) {
    page.line("Verdict: FAILED{}, because", verdict.is_void ? " and VOID" : "");
  } else if (verdict.reasons.empty()) {
    page.line(
        "Verdict: INTERRUPTED. What had been offered was answered and released, nothing leaked.");
  } else {
    page.line("Verdict: VOID. The figures belong to another load than the requested one, because");
  }
  for (const std::string& reason : verdict.reasons) page.line("  - {}", reason);
  for (; said < verdict.remarks.size(); ++said)
    page.line("  {}{}.", verdict.reasons.empty() ? "" : "Besides: ", verdict.remarks[said]);
}

}  // namespace

std::string to_text(const RunReport& report) {
  Page page;
  if (report.interrupted) page.line("{}", interruption_of(report));
  offered(report, page);
  came_back(report, page);
  parts(report.phases, "Phases", page);
  parts(report.classes, "Classes", page);
  events(report, page);
  latencies(report, page);
  stages(report, page);
  system(report, page);
  checks(report, page);
  if (!report.floor.empty()) page.line("{}", to_text(report.floor));
  audit(report.audit, page);
  if (report.media) media(report, page);
  assertions(report, page);
  verdict(report, page);
  return std::move(page).take();
}

namespace {

// The plan's rate at this moment; nothing when all calls are offered.
std::string rate_now(const Progress& progress) {
  if (progress.paused) return "  paused";
  return progress.asked_per_s ? fmt::format("  rate {}", rounded(*progress.asked_per_s)) : "";
}

}  // namespace

std::string progress_line(const Progress& progress) {
  std::string line =
      fmt::format("{:.1f} s{}  {} calls/s offered  {} connected  {} refused",
                  std::chrono::duration<double>(progress.elapsed).count(), rate_now(progress),
                  grouped(static_cast<std::uint64_t>(std::llround(progress.offered_per_s))),
                  grouped(progress.connected), grouped(progress.refused));
  if (progress.busy > 0) line += fmt::format("  {} busy", grouped(progress.busy));
  if (progress.unanswered > 0) line += fmt::format("  {} unanswered", grouped(progress.unanswered));
  line += fmt::format("  {} up", grouped(progress.up));
  if (progress.in_flight > 0) line += fmt::format("  {} under way", grouped(progress.in_flight));
  const double since_s = std::chrono::duration<double>(progress.since).count();
  if (since_s > 0)
    line += fmt::format("  {} answers/s", grouped(static_cast<std::uint64_t>(std::llround(
                                              static_cast<double>(progress.answered) / since_s))));
  // No call connected since the previous line: there is no latency to show.
  if (progress.recent_p50 > Duration::zero())
    line += fmt::format("  p50 {} ms  p99 {} ms", ms(progress.recent_p50), ms(progress.recent_p99));
  return line;
}

}  // namespace xbind::callgen
