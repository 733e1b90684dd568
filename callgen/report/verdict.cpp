// Judges a report: the reasons against it, and the exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "callgen/report/model_checks.hpp"
#include "callgen/report/report.hpp"
#include "callgen/report/rounding.hpp"

namespace xbind::callgen {
namespace {

// ", 9 of them refused: unknown endpoint at nope"; empty without a refusal.
std::string most_frequent_refusal(const RunReport& report) {
  const auto& places = report.refusals.by_place();
  const auto most = std::max_element(
      places.begin(), places.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  if (most == places.end()) return {};
  return fmt::format(", {} of them refused: {}", most->second, most->first);
}

void judge_calls(const RunReport& report, std::vector<std::string>& reasons) {
  const SetupCounts& setups = report.setups;
  const ReleaseCounts& releases = report.releases;
  for (const auto& [manager, callback] : report.sessions.unheard)
    reasons.push_back(no_answer_from(manager, callback));
  if (report.target_lost)
    reasons.push_back(fmt::format("the manager was lost after {} of {} calls were offered",
                                  setups.attempted, report.planned_calls));
  else if (setups.attempted != report.planned_calls && !report.interrupted)
    reasons.push_back(
        fmt::format("{} of {} planned calls were offered", setups.attempted, report.planned_calls));
  if (setups.attempted > 0 && setups.connected == 0 && !report.expect_refusals)
    reasons.push_back(
        fmt::format("none of {} calls was connected{}; --expect-refusals accepts such a run",
                    setups.attempted, most_frequent_refusal(report)));
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
    reasons.emplace_back("no audit was made");
    return;
  }
  std::vector<std::string> parts;
  const auto add = [&parts](std::uint64_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(audit.stray_cross_connects, "cross-connects stray, missing or changed");
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
    reasons.push_back(
        fmt::format("cells did not arrive as they should: {}", fmt::join(parts, ", ")));
  const std::uint64_t wanted = std::min(media.calls_wanted, report.setups.connected);
  if (media.calls_checked < wanted)
    reasons.push_back(fmt::format("the cells of {} calls were checked, {} were to be",
                                  media.calls_checked, wanted));
  if (media.calls_on_reused_labels > 0 && media.reused_checked == 0)
    reasons.push_back(
        fmt::format("{} calls had labels of released ones, and none of them was checked",
                    media.calls_on_reused_labels));
}

// An event that did not happen, or failed, makes another experiment of the run.
void judge_events(const RunReport& report, std::vector<std::string>& reasons) {
  for (const EventReport& event : report.events) {
    if (event.done() || (!event.at_s && report.interrupted)) continue;
    reasons.push_back(!event.at_s       ? fmt::format("event {} was not run", event.name)
                      : event.exit_code ? fmt::format("event {} ended with exit code {}",
                                                      event.name, *event.exit_code)
                                        : fmt::format("event {}: {}", event.name, event.said));
  }
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
  // One at a time has no requested rate, and the beginning of a ramp has another rate than the
  // whole.
  if (asked > 0 && has_asked_rate(report) && report.setups.attempted >= kFewestForRate &&
      !(std::abs(off) <= rate_tolerance(report)))
    reasons.push_back(
        fmt::format("{:.1f} calls/s were sent instead of {:.1f}: {:+.1f} %, tolerance {:.1f} %",
                    report.sent_setups_per_s, asked, 100 * off, 100 * rate_tolerance(report)));
  if (report.shed > 0)
    reasons.push_back(
        fmt::format("{} calls were not sent because too many others were open", report.shed));
  for (const ModelCheck& check : model_checks(report)) {
    if (!check.passed) reasons.push_back(sentence_of(check));
  }
  for (const std::string& reason : report.parts_void) reasons.push_back(reason);
}

std::optional<double> share_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// "99 of 100 calls (99.0 %) were refused or busy".
std::string refused_words(std::uint64_t refused, std::uint64_t attempted) {
  return fmt::format("{} of {} call{} ({}) {} refused or busy", grouped(refused),
                     grouped(attempted), attempted == 1 ? "" : "s",
                     share_text(share_of(refused, attempted)), refused == 1 ? "was" : "were");
}

void remark_parts(const std::vector<PartReport>& parts, const char* what,
                  std::vector<std::string>& remarks) {
  for (const PartReport& part : parts) {
    const std::uint64_t refused = part.refused + part.busy;
    if (share_of(refused, part.attempted).value_or(0) > kRefusalsNoticed)
      remarks.push_back(
          fmt::format("{} {}: {}", what, part.name, refused_words(refused, part.attempted)));
  }
}

// Neither broken nor connected: their cells may flow, and nobody knows all of their hops.
void remark_incomplete(const RunReport& report, Verdict& verdict) {
  const std::uint64_t times = report.notices.incomplete;
  if (times == 0) return;
  verdict.remarks.push_back(fmt::format(
      "a call became incomplete {} time{}: a manager has started anew and did not know all hops; "
      "such a call counts neither as broken nor as connected",
      grouped(times), times == 1 ? "" : "s"));
}

void remark_refusals(const RunReport& report, Verdict& verdict) {
  const SetupCounts& setups = report.setups;
  const std::uint64_t refused = setups.refused + setups.busy;
  if (refused == 0) return;
  verdict.many_refused = *refused_share(setups) > kRefusalsNoticed;
  verdict.remarks.push_back(refused_words(refused, setups.attempted));
  remark_parts(report.phases, "phase", verdict.remarks);
  remark_parts(report.classes, "class", verdict.remarks);
}

}  // namespace

std::optional<double> refused_share(const SetupCounts& setups) {
  return share_of(setups.refused + setups.busy, setups.attempted);
}

std::optional<double> not_connected_share(const SetupCounts& setups) {
  return share_of(setups.attempted - std::min(setups.connected, setups.attempted),
                  setups.attempted);
}

std::string share_text(std::optional<double> share) {
  if (!share) return "-";
  if (*share <= 0) return "0 %";
  if (*share >= 1) return "100 %";
  if (*share >= 0.9995) return "more than 99.9 %";
  return rounded(100 * *share) + " %";
}

std::string no_answer_from(const std::string& manager, const std::string& callback) {
  return fmt::format(
      "no answer ever came back on the callback at {} from manager {}; is this address reachable "
      "from the manager's host? --listen-address chooses it",
      callback.empty() ? "an unknown address" : callback, manager);
}

double slip_limit_us(const RunReport& report) {
  if (!(report.offered_setups_per_s > 0)) return 10'000.0;
  return std::max(10'000.0, 10 * 1e6 / report.offered_setups_per_s);
}

double rate_tolerance(const RunReport& report) {
  constexpr double kPlain = 0.05;
  if (report.arrivals == Arrivals::kConstant || report.setups.attempted == 0) return kPlain;
  return std::max(kPlain, 5 * std::sqrt(report.arrival_dispersion /
                                        static_cast<double>(report.setups.attempted)));
}

bool has_asked_rate(const RunReport& report) {
  return !report.interrupted || report.arrivals == Arrivals::kPoisson ||
         report.arrivals == Arrivals::kConstant || report.peak_setups_per_s.has_value();
}

Verdict judge(const RunReport& report) {
  Verdict verdict;
  judge_calls(report, verdict.reasons);
  judge_audit(report.audit, verdict.reasons);
  judge_media(report, verdict.reasons);
  for (const std::string& reason : report.parts_failed) verdict.reasons.push_back(reason);
  for (const Assertion& assertion : report.assertions) {
    if (!assertion.kept)
      verdict.reasons.push_back(fmt::format(
          "{} was asserted{}: {}", assertion.objective,
          assertion.by_default ? ", because no assertion bounds the calls that are not connected"
                               : "",
          assertion.measured));
  }
  judge_events(report, verdict.reasons);
  verdict.failed = !verdict.reasons.empty();
  const std::size_t failures = verdict.reasons.size();
  judge_load(report, verdict.reasons);
  verdict.is_void = verdict.reasons.size() > failures;
  remark_refusals(report, verdict);
  remark_incomplete(report, verdict);
  verdict.interrupted = report.interrupted;
  verdict.ok = verdict.reasons.empty() && !verdict.interrupted;
  return verdict;
}

std::string interruption_of(const RunReport& report) {
  if (!report.interrupted) return {};
  return fmt::format("INTERRUPTED after {:.1f} s: {} of {} planned calls were offered",
                     report.duration_s, report.setups.attempted, report.planned_calls);
}

int exit_code(const Verdict& verdict) {
  if (verdict.failed) return 1;
  if (verdict.interrupted) return kInterruptedCode;
  return verdict.is_void ? 3 : 0;
}

}  // namespace xbind::callgen
