// Figures and verdict; the forms are in report_json.cpp and report_text.cpp.
#include "callgen/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace xbind::callgen {
namespace {

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
double microseconds(Duration duration) { return static_cast<double>(duration.count()) / 1000; }
double per_second(std::uint64_t count, double duration_s) {
  return duration_s > 0 ? static_cast<double>(count) / duration_s : 0;
}

std::uint64_t value_of(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0 : found->second;
}

// What a number in a status stands for; one that is newer than we are is told as it is.
std::string word_of(std::uint64_t number, std::initializer_list<const char*> words) {
  return number < words.size() ? *(words.begin() + number) : fmt::format("{}", number);
}

void judge_calls(const RunReport& report, std::vector<std::string>& reasons) {
  const SetupCounts& setups = report.setups;
  const ReleaseCounts& releases = report.releases;
  if (report.target_lost)
    reasons.push_back(fmt::format("the manager was lost after {} of {} calls were offered",
                                  setups.attempted, report.planned_calls));
  else if (setups.attempted != report.planned_calls)
    reasons.push_back(
        fmt::format("{} of {} planned calls were offered", setups.attempted, report.planned_calls));
  if (setups.unanswered > 0)
    reasons.push_back(
        fmt::format("{} of {} setups were not answered", setups.unanswered, setups.attempted));
  if (releases.unanswered > 0)
    reasons.push_back(fmt::format("{} of {} releases were not answered", releases.unanswered,
                                  releases.attempted));
  if (releases.failed > 0)
    reasons.push_back(fmt::format("{} of {} releases failed", releases.failed, releases.attempted));
  if (!setups.adds_up())
    reasons.push_back(fmt::format(
        "the setups do not add up: {} attempted, but {} connected + {} refused + {} busy + {} "
        "unanswered",
        setups.attempted, setups.connected, setups.refused, setups.busy, setups.unanswered));
  if (!releases.adds_up())
    reasons.push_back(fmt::format(
        "the releases do not add up: {} attempted, but {} released + {} failed + {} unanswered",
        releases.attempted, releases.released, releases.failed, releases.unanswered));
  if (releases.attempted != setups.connected)
    reasons.push_back(fmt::format("{} calls were connected, but {} releases attempted",
                                  setups.connected, releases.attempted));
  if (report.odd.contradicted > 0)
    reasons.push_back(
        fmt::format("{} answers contradicted an earlier one or did not fit their request",
                    report.odd.contradicted));
}

void judge_audit(const AuditReport& audit, std::vector<std::string>& reasons) {
  if (audit.proves_clean()) return;
  if (!audit.made) {
    reasons.push_back("no audit was made");
    return;
  }
  std::vector<std::string> parts;
  const auto add = [&parts](std::uint64_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(audit.stray_cross_connects, "stray cross-connects");
  add(audit.leaked_labels, "leaked labels");
  add(audit.leaked_bandwidth_cells_per_s, "cells/s of leaked bandwidth");
  add(audit.owed, "hops still owed");
  add(audit.unreadable, "switches that could not be asked");
  if (parts.empty()) parts.push_back("see its findings");
  reasons.push_back(fmt::format("the audit is not clean: {}", fmt::join(parts, ", ")));
}

void judge_media(const RunReport& report, std::vector<std::string>& reasons) {
  if (!report.media) return;
  const MediaFigures& media = *report.media;
  std::vector<std::string> parts;
  const auto add = [&parts](std::uint64_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(media.lost, "lost");
  add(media.out_of_order, "out of order");
  add(media.duplicated, "duplicated");
  add(media.wrong_endpoint, "at a wrong endpoint");
  add(media.wrong_label, "on a wrong label");
  add(media.corrupted, "corrupted");
  add(media.after_release, "after the release of their call");
  if (!parts.empty())
    reasons.push_back(fmt::format("cells did not come as they should: {}", fmt::join(parts, ", ")));
  const std::uint64_t wanted = std::min(media.calls_wanted, report.setups.connected);
  if (media.calls_checked < wanted)
    reasons.push_back(fmt::format("the cells of {} calls were checked, {} were to be",
                                  media.calls_checked, wanted));
  if (media.calls_on_reused_labels > 0 && media.reused_checked == 0)
    reasons.push_back(
        fmt::format("{} calls had labels of released ones, and none of them was checked",
                    media.calls_on_reused_labels));
}

void judge_load(const RunReport& report, std::vector<std::string>& reasons) {
  const double limit_us = slip_limit_us(report);
  if (report.generator_slip.p99 > limit_us)
    reasons.push_back(
        fmt::format("the generator was late: p99 {:.1f} ms after the planned moment, limit {:.1f} "
                    "ms",
                    report.generator_slip.p99 / 1000, limit_us / 1000));
  const double asked = report.offered_setups_per_s;
  const double off = report.sent_setups_per_s / asked - 1;
  if (report.setups.attempted >= kFewestForRate && !(std::abs(off) <= rate_tolerance(report)))
    reasons.push_back(
        fmt::format("{:.1f} calls/s were sent instead of {:.1f}: {:+.1f} %, tolerance {:.1f} %",
                    report.sent_setups_per_s, asked, 100 * off, 100 * rate_tolerance(report)));
  if (report.shed > 0)
    reasons.push_back(
        fmt::format("{} calls were not sent because too many others were open", report.shed));
}

}  // namespace

LatencySummary summary_of(const Histogram& histogram) {
  LatencySummary summary;
  summary.count = histogram.count();
  summary.min = microseconds(histogram.min());
  summary.mean = histogram.mean_ns() / 1000;
  summary.p5 = microseconds(histogram.percentile(5));
  summary.p50 = microseconds(histogram.percentile(50));
  summary.p95 = microseconds(histogram.percentile(95));
  summary.p99 = microseconds(histogram.percentile(99));
  summary.p999 = microseconds(histogram.percentile(99.9));
  summary.max = microseconds(histogram.max());
  return summary;
}

bool AuditReport::proves_clean() const {
  return made && clean && stray_cross_connects == 0 && leaked_labels == 0 &&
         leaked_bandwidth_cells_per_s == 0 && owed == 0 && unreadable == 0;
}

AuditReport sum_of(const std::map<std::string, AuditReport>& audits) {
  AuditReport sum;
  sum.made = sum.clean = !audits.empty();
  for (const auto& [manager, audit] : audits) {
    sum.made = sum.made && audit.made;
    sum.clean = sum.clean && audit.clean;
    sum.stray_cross_connects += audit.stray_cross_connects;
    sum.leaked_labels += audit.leaked_labels;
    sum.leaked_bandwidth_cells_per_s += audit.leaked_bandwidth_cells_per_s;
    sum.owed += audit.owed;
    sum.unreadable += audit.unreadable;
    for (const std::string& finding : audit.findings) {
      sum.findings.push_back(audits.size() > 1 ? manager + ": " + finding : finding);
    }
  }
  return sum;
}

RunReport report_of(const RunPlan& plan, const RunFigures& figures) {
  RunReport report;
  report.planned_calls = figures.planned_calls;
  report.offered_setups_per_s = plan.calls_per_s;
  report.hold_mean_s = seconds(plan.hold_mean);
  report.arrivals = plan.arrivals;
  report.duration_s = seconds(figures.duration);
  report.setups_per_s = per_second(figures.setups.connected, report.duration_s);
  report.call_operations_per_s =
      per_second(figures.setups.connected + figures.releases.released, report.duration_s);
  report.sent_setups_per_s =
      per_second(figures.setups.attempted - figures.shed, seconds(figures.sent_span));
  report.gap_mean_s = figures.gap_mean_s;
  report.gap_variation = figures.gap_variation;
  report.setups = figures.setups;
  report.releases = figures.releases;
  report.odd = figures.odd;
  report.notices = figures.notices;
  report.shed = figures.shed;
  report.calls_up_peak = figures.calls_up_peak;
  report.batches = figures.batches;
  report.target_lost = figures.target_lost;
  report.setup_latency = summary_of(figures.statistics.setup_latency);
  report.release_latency = summary_of(figures.statistics.release_latency);
  report.refusal_latency = summary_of(figures.statistics.refusal_latency);
  report.setup_latency_from_send = summary_of(figures.statistics.setup_latency_from_send);
  report.release_latency_from_send = summary_of(figures.statistics.release_latency_from_send);
  report.generator_slip = summary_of(figures.statistics.slip);
  report.refusals = figures.refusals;
  report.release_failures = figures.release_failures;
  report.manifest = {
      {"seed", fmt::format("{}", plan.seed)},
      {"calls", fmt::format("{}", plan.calls)},
      {"rate", fmt::format("{}", plan.calls_per_s)},
      {"hold", fmt::format("{}", report.hold_mean_s)},
      {"hold-distribution",
       plan.hold_distribution == HoldDistribution::kConstant ? "constant" : "exponential"},
      {"arrivals", plan.arrivals == Arrivals::kPoisson ? "poisson" : "constant"},
  };
  return report;
}

void fill_from_managers(const std::vector<Metrics>& before, const std::vector<Metrics>& after,
                        RunReport& report) {
  if (after.empty()) return;
  const auto grown = [&](const char* name) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::uint64_t then = i < before.size() ? value_of(before[i], name) : 0;
      const std::uint64_t now = value_of(after[i], name);
      sum += now >= then ? now - then : now;
    }
    return sum;
  };
  const Metrics& first = after.front();  // all managers of a network are set alike
  report.managers = after.size();
  report.engine = word_of(value_of(first, "engine"), {"xbind", "sequential", "threaded"});
  report.aggregation =
      word_of(value_of(first, "aggregation_mode"), {"fixed", "regions", "adaptive"});
  // The engines that wait for every answer send each command alone.
  report.threshold = report.engine == "xbind" ? value_of(first, "threshold") : 1;
  report.switches = value_of(first, "switches");
  report.remote_invocations = grown("giop_requests");
  const std::uint64_t hits = grown("label_cache_hits");
  const std::uint64_t takes = hits + grown("label_cache_misses");
  report.label_cache_hit_ratio =
      takes == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(takes);
}

double slip_limit_us(const RunReport& report) {
  return std::max(10'000.0, 10 * 1e6 / report.offered_setups_per_s);
}

double rate_tolerance(const RunReport& report) {
  constexpr double kPlain = 0.05;
  if (report.arrivals == Arrivals::kConstant || report.setups.attempted == 0) return kPlain;
  return std::max(kPlain, 5 / std::sqrt(static_cast<double>(report.setups.attempted)));
}

Verdict judge(const RunReport& report) {
  Verdict verdict;
  judge_calls(report, verdict.reasons);
  judge_audit(report.audit, verdict.reasons);
  judge_media(report, verdict.reasons);
  verdict.failed = !verdict.reasons.empty();
  const std::size_t failures = verdict.reasons.size();
  judge_load(report, verdict.reasons);
  verdict.is_void = verdict.reasons.size() > failures;
  verdict.ok = verdict.reasons.empty();
  return verdict;
}

int exit_code(const Verdict& verdict) {
  if (verdict.failed) return 1;
  return verdict.is_void ? 3 : 0;
}

}  // namespace xbind::callgen
