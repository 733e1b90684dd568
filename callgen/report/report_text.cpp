// The forms for people: summary and progress line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "callgen/report.hpp"

namespace xbind::callgen {
namespace {

constexpr std::size_t kFindingsShown = 12;

// 23998 -> "23 998".
std::string grouped(std::uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t left = text.size(); left > 3;) {
    left -= 3;
    text.insert(left, 1, ' ');
  }
  return text;
}

// Three digits or so: 0.031, 0.31, 3.10, 31.0, 310, 3 100.
std::string rounded(double number) {
  if (number < 0.1) return fmt::format("{:.3f}", number);
  if (number < 9.995) return fmt::format("{:.2f}", number);
  if (number < 99.95) return fmt::format("{:.1f}", number);
  return grouped(static_cast<std::uint64_t>(std::llround(number)));
}

std::string ms(double us) { return rounded(us / 1000); }
std::string ms(Duration duration) { return ms(static_cast<double>(duration.count()) / 1000); }

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

void offered(const RunReport& report, Page& page) {
  const auto seed = report.manifest.find("seed");
  page.line("Offered");
  page.line("  {} calls, {} a second ({} arrivals{}), each to be held {} s{}",
            grouped(report.planned_calls), rounded(report.offered_setups_per_s),
            report.arrivals == Arrivals::kPoisson ? "Poisson" : "evenly spaced",
            seed == report.manifest.end() ? "" : ", seed " + seed->second,
            rounded(report.hold_mean_s),
            report.manifest.contains("hold-distribution") &&
                    report.manifest.at("hold-distribution") == "exponential"
                ? " on average"
                : "");
  if (report.engine.empty()) return;
  const std::string managers =
      report.managers > 1 ? fmt::format("{} managers, ", report.managers) : "";
  if (report.engine != "xbind")
    page.line("  through {}{} switches, engine {}, every command alone (threshold 1)", managers,
              report.switches, report.engine);
  else if (report.aggregation == "adaptive")  // goes without a threshold
    page.line("  through {}{} switches, engine xbind, aggregation adaptive", managers,
              report.switches);
  else if (report.aggregation == "regions")
    page.line(
        "  through {}{} switches, engine xbind, aggregation regions (threshold {} at the end)",
        managers, report.switches, report.threshold);
  else
    page.line("  through {}{} switches, engine xbind, aggregation threshold {}", managers,
              report.switches, report.threshold);
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
    page.line("  notices: {} calls rerouted, {} broken, {} mended, within {} s",
              grouped(report.notices.rerouted), grouped(report.notices.broken),
              grouped(report.notices.mended),
              rounded(std::chrono::duration<double>(report.notices.span).count()));
  if (report.odd != OddOutcomes{})
    page.line("  odd answers: {} repeated, {} contradicted, {} too late, {} never asked for",
              grouped(report.odd.repeated), grouped(report.odd.contradicted),
              grouped(report.odd.late), grouped(report.odd.unknown));
}

void latencies(const RunReport& report, Page& page) {
  page.line("Latency in ms, from the moment it was meant to happen to its answer");
  page.line("  {:<16}{:>10}{:>10}{:>10}{:>10}", "", "p50", "p95", "p99", "max");
  const auto row = [&page](std::string_view name, const LatencySummary& summary) {
    if (summary.count == 0)
      page.line("  {:<16}{:>10}{:>10}{:>10}{:>10}", name, "-", "-", "-", "-");
    else
      page.line("  {:<16}{:>10}{:>10}{:>10}{:>10}", name, ms(summary.p50), ms(summary.p95),
                ms(summary.p99), ms(summary.max));
  };
  row("setup", report.setup_latency);
  row("release", report.release_latency);
  if (report.refusal_latency.count > 0) row("refusal or busy", report.refusal_latency);
  row("generator late", report.generator_slip);
}

void system(const RunReport& report, Page& page) {
  page.line("System");
  page.line("  {} remote invocations; {:.1f} % of labels came from the manager's cache",
            grouped(report.remote_invocations), 100 * report.label_cache_hit_ratio);
  const Faults& faults = report.faults;
  if (faults.dropped + faults.repeated + faults.reordered + faults.delayed > 0)
    page.line("  injected faults: {} messages dropped, {} repeated, {} reordered, {} delayed",
              grouped(faults.dropped), grouped(faults.repeated), grouped(faults.reordered),
              grouped(faults.delayed));
  for (const auto& [process, rss_mb] : report.rss_mb)
    page.line("  memory {:>8} MB  {}", rounded(rss_mb), process);
}

void audit(const AuditReport& audit, Page& page) {
  page.line("Audit");
  if (!audit.made) {
    page.line("  not made");
  } else if (audit.proves_clean()) {
    page.line("  clean: no cross-connect, label or bandwidth is held by anyone but the caches");
  } else {
    page.line(
        "  not clean: {} stray cross-connects, {} leaked labels, {} cells/s leaked, {} hops owed,\n"
        "             {} switches not readable",
        grouped(audit.stray_cross_connects), grouped(audit.leaked_labels),
        grouped(audit.leaked_bandwidth_cells_per_s), grouped(audit.owed),
        grouped(audit.unreadable));
  }
  const std::size_t shown = std::min(audit.findings.size(), kFindingsShown);
  for (std::size_t i = 0; i < shown; ++i) page.line("  {}", audit.findings[i]);
  if (shown < audit.findings.size()) {
    page.line("  and {} more: xbindctl audit, or the JSON, tells them all",
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

void verdict(const RunReport& report, Page& page) {
  const Verdict verdict = judge(report);
  if (verdict.ok) {
    page.line(
        "Verdict: OK. Every call was answered, every connected one released, nothing leaked.");
    if (report.setups.connected == 0) page.line("  Note that no call was connected.");
  } else if (verdict.failed) {
    page.line("Verdict: FAILED{}, because", verdict.is_void ? " and VOID" : "");
  } else {
    page.line("Verdict: VOID. The figures are about another load than the one asked for, because");
  }
  for (const std::string& reason : verdict.reasons) page.line("  - {}", reason);
}

}  // namespace

std::string to_text(const RunReport& report) {
  Page page;
  offered(report, page);
  came_back(report, page);
  latencies(report, page);
  system(report, page);
  audit(report.audit, page);
  if (report.media) media(report, page);
  verdict(report, page);
  return std::move(page).take();
}

std::string progress_line(const Progress& progress) {
  std::string line =
      fmt::format("{:.1f} s  {} calls/s offered  {} connected  {} refused",
                  std::chrono::duration<double>(progress.elapsed).count(),
                  grouped(static_cast<std::uint64_t>(std::llround(progress.offered_per_s))),
                  grouped(progress.connected), grouped(progress.refused));
  if (progress.busy > 0) line += fmt::format("  {} busy", grouped(progress.busy));
  if (progress.unanswered > 0) line += fmt::format("  {} unanswered", grouped(progress.unanswered));
  line += fmt::format("  {} up  p50 {} ms  p99 {} ms", grouped(progress.up), ms(progress.setup_p50),
                      ms(progress.setup_p99));
  return line;
}

}  // namespace xbind::callgen
