// Figures; verdict.cpp has the verdict, report_json.cpp, report_text.cpp and report_page.cpp the
// forms.
#include "callgen/report/report.hpp"
#include "callgen/report/rounding.hpp"
#include "core/duration_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace xbind::callgen {
namespace {

double per_second(std::uint64_t count, double duration_s) {
  return duration_s > 0 ? static_cast<double>(count) / duration_s : 0;
}

std::uint64_t value_of(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0 : found->second;
}

PartReport part_of(std::string name, std::string what, const PartStatistics& part) {
  return {.name = std::move(name),
          .what = std::move(what),
          .attempted = part.attempted,
          .connected = part.connected,
          .refused = part.refused,
          .busy = part.busy,
          .unanswered = part.unanswered,
          .setup_latency = summary_of(part.setup_latency)};
}

void fill_parts(const RunPlan& plan, const RunFigures& figures, RunReport& report) {
  for (std::size_t i = 0; i < figures.phases.size(); ++i) {
    const RatePiece& rate = plan.phases[i].rate;
    const std::string rates = rate.from == rate.to
                                  ? fmt::format("{:.6g}", rate.from)
                                  : fmt::format("{:.6g} to {:.6g}", rate.from, rate.to);
    report.phases.push_back(part_of(
        plan.phases[i].name, fmt::format("{} calls/s for {:.6g} s", rates, in_seconds(rate.length)),
        figures.phases[i]));
  }
  for (std::size_t i = 0; i < figures.classes.size(); ++i)
    report.classes.push_back(part_of(plan.classes[i].name, {}, figures.classes[i]));
}

std::uint64_t done_in_warm_up(const KindStatistics& kind) {
  const std::uint64_t done = kind.outcomes[static_cast<std::size_t>(OutcomeClass::kSuccess)];
  return done - std::min(done, kind.latency.count());
}

// Leaves out calls planned in the warm-up, and the warm-up's time.
void fill_rates(const Statistics& statistics, const RunFigures& figures, RunReport& report) {
  const double measured_s = report.duration_s - in_seconds(statistics.warm_up());
  const std::uint64_t setups =
      figures.setups.connected - done_in_warm_up(statistics.of(RequestKind::kSetup));
  const std::uint64_t releases =
      figures.releases.released - done_in_warm_up(statistics.of(RequestKind::kRelease));
  report.setups_per_s = per_second(setups, measured_s);
  report.call_operations_per_s = per_second(setups + releases, measured_s);
}

ArrivalFigures figures_of(const ArrivalFit& test, double rate) {
  return {test.gaps(), test.mean_s(), test.variation(), test.distance(), rate};
}

// The word for a number in a status; an unknown (newer) number is returned as it is.
std::string word_of(std::uint64_t number, std::initializer_list<const char*> words) {
  return number < words.size() ? *(words.begin() + number) : fmt::format("{}", number);
}

}  // namespace

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
    sum.connections += audit.connections;
    for (const std::string& finding : audit.findings) {
      sum.findings.push_back(audits.size() > 1 ? manager + ": " + finding : finding);
    }
  }
  return sum;
}

RunReport report_of(const RunPlan& plan, const RunFigures& figures) {
  RunReport report;
  report.planned_calls = figures.planned_calls;
  report.offered_setups_per_s = figures.asked_per_s.value_or(mean_rate(arrivals_of(plan)));
  report.peak_setups_per_s = figures.asked_peak_per_s;
  for (const OfferChange& change : figures.changes)
    report.rate_changes.push_back({.at_s = in_seconds(change.at),
                                   .what = std::string(to_string(change.what)),
                                   .from_per_s = change.from,
                                   .to_per_s = change.to});
  report.hold_mean_s = in_seconds(plan.hold_mean);
  fill_parts(plan, figures, report);
  report.arrivals = plan.arrivals;
  report.arrival_dispersion = dispersion(arrivals_of(plan));
  report.duration_s = in_seconds(figures.duration);
  fill_rates(figures.statistics, figures, report);
  report.sent_setups_per_s =
      per_second(figures.setups.attempted - figures.shed, in_seconds(figures.sent_span));
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
  report.interrupted = figures.interrupted;
  const Statistics& statistics = figures.statistics;
  report.kinds = statistics.kinds();
  report.slip = statistics.slip();
  summarise(report);
  report.warm_up_s = in_seconds(statistics.warm_up());
  if (const auto steady = statistics.setup_batches().steady_from())
    report.steady_from_s = in_seconds(*steady);
  report.setup_mean_interval =
      statistics.setup_batches().interval(statistics.warm_up(), figures.planned_span);
  report.release_mean_interval =
      statistics.release_batches().interval(statistics.warm_up(), figures.planned_span);
  report.arrivals_planned = figures_of(statistics.planned(), plan.calls_per_s);
  report.arrivals_sent = figures_of(statistics.sent(), plan.calls_per_s);
  report.in_setup = {statistics.in_setup(), statistics.setup_stays_s()};
  report.up = {statistics.up(), statistics.up_stays_s()};
  report.series = statistics.series();
  report.refusals = figures.refusals;
  report.release_failures = figures.release_failures;
  report.manifest = manifest_of(plan);
  return report;
}

void summarise(RunReport& report) {
  const KindStatistics nothing;
  const auto of = [&](RequestKind kind) -> const KindStatistics& {
    const auto found = report.kinds.find(kind);
    return found == report.kinds.end() ? nothing : found->second;
  };
  report.setup_latency = summary_of(of(RequestKind::kSetup).latency);
  report.setup_latency_from_send = summary_of(of(RequestKind::kSetup).from_send);
  report.refusal_latency = summary_of(of(RequestKind::kSetup).refusal);
  report.release_latency = summary_of(of(RequestKind::kRelease).latency);
  report.release_latency_from_send = summary_of(of(RequestKind::kRelease).from_send);
  report.generator_slip = summary_of(report.slip);
}

OutcomeCounts call_outcomes(const RunReport& report) {
  OutcomeCounts sum{};
  for (const RequestKind kind : {RequestKind::kSetup, RequestKind::kHold}) {
    const auto found = report.kinds.find(kind);
    if (found == report.kinds.end()) continue;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += found->second.outcomes[i];
  }
  return sum;
}

double per_call(const RunReport& report, const std::string& manager_counter) {
  if (report.setups.attempted == 0) return 0;
  return static_cast<double>(value_of(report.managers_grown, manager_counter)) /
         static_cast<double>(report.setups.attempted);
}

std::vector<StageMean> setup_stack(const RunReport& report) {
  const auto kind = report.kinds.find(RequestKind::kSetup);
  auto managers = stages_of(report.managers_grown);
  const auto stages = managers.find("setup");
  if (kind == report.kinds.end() || stages == managers.end()) return {};
  const std::uint64_t connected =
      kind->second.outcomes[static_cast<std::size_t>(OutcomeClass::kSuccess)];
  if (stages->second.back().name != "total" || stages->second.back().count != connected) return {};
  const double total_us = kind->second.from_send.mean_ns() / 1000;
  std::vector<StageMean> stack{{"to the manager and back", connected,
                                std::max(0.0, total_us - stages->second.back().mean_us)}};
  stages->second.pop_back();
  auto batches = stages_of(report.switchservers_grown)["batch"];
  double driver_us = 0;
  double server_us = 0;
  for (const StageMean& stage : batches) {
    if (stage.name == "driver") driver_us = stage.mean_us;
    if (stage.name == "ledger" || stage.name == "answer") server_us += stage.mean_us;
  }
  for (const StageMean& stage : stages->second) {
    if (stage.name != "switches" || batches.empty()) {
      stack.push_back(stage);
      continue;
    }
    const double gsmp_us = std::min(driver_us, stage.mean_us);
    const double within_us = std::min(server_us, stage.mean_us - gsmp_us);
    stack.push_back(
        {"switches: way there and back", stage.count, stage.mean_us - gsmp_us - within_us});
    stack.push_back({"switches: SwitchServer", stage.count, within_us});
    stack.push_back({"switches: GSMP", stage.count, gsmp_us});
  }
  return stack;
}

namespace {

constexpr const char* kInvocations = "remote_invocations";
constexpr const char* kHitRatio = "label_cache_hit_ratio";

void fill_settings(const std::vector<Metrics>& managers, RunReport& report) {
  const Metrics& first = managers.front();  // all managers of a network have the same settings
  report.managers = managers.size();
  report.engine = word_of(value_of(first, "engine"), {"xbind", "sequential", "threaded"});
  report.aggregation =
      word_of(value_of(first, "aggregation_mode"), {"fixed", "regions", "adaptive"});
  // The engines that wait for every answer send each command alone.
  report.threshold = report.engine == "xbind" ? value_of(first, "threshold") : 1;
  report.switches = value_of(first, "switches");
}

}  // namespace

void counters_unknown(const std::vector<Metrics>& before, const std::string& why,
                      RunReport& report) {
  if (!before.empty()) fill_settings(before, report);
  for (const char* const key : {kInvocations, kHitRatio}) report.unknown[key] = why;
}

void counters_in_part(const std::string& why, RunReport& report) {
  for (const char* const key : {kInvocations, kHitRatio}) report.unknown.emplace(key, why);
}

std::string counters_words(const RunReport& report, std::string_view space) {
  const auto why = report.unknown.find(kInvocations);
  const auto why_ratio = report.unknown.find(kHitRatio);
  const bool whole = why == report.unknown.end();
  if (!whole && report.remote_invocations == 0)
    return fmt::format("remote invocations and labels from the cache: not known, {}", why->second);
  const bool same_part =
      !whole && why_ratio != report.unknown.end() && why_ratio->second == why->second;
  const bool ratio = why_ratio == report.unknown.end() || same_part;
  return fmt::format("{}{} remote invocations; {}{}{}", whole ? "" : "at least ",
                     grouped(report.remote_invocations, space),
                     ratio ? fmt::format("{:.1f} % of labels came from the manager's cache",
                                         100 * report.label_cache_hit_ratio)
                           : why_ratio->second,
                     whole ? "" : "; counted in part: ", whole ? "" : why->second);
}

void fill_from_managers(const std::vector<Metrics>& before, const std::vector<Metrics>& after,
                        RunReport& report) {
  if (after.empty()) return;
  const auto grown = [&](const std::string& name) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::uint64_t then = i < before.size() ? value_of(before[i], name) : 0;
      const std::uint64_t now = value_of(after[i], name);
      sum += now >= then ? now - then : now;
    }
    return sum;
  };
  for (const auto& [name, value] : after.front()) report.managers_grown[name] = grown(name);
  for (const Metrics& manager : after) {
    for (const auto& [name, value] : manager) report.managers_last[name] += value;
  }
  fill_settings(after, report);
  report.remote_invocations = grown("giop_requests");
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (value_of(after[i], "giop_requests") < value_of(before[i], "giop_requests"))
      counters_in_part("a manager has restarted, and counts from zero since", report);
  }
  const std::uint64_t hits = grown("label_cache_hits");
  const std::uint64_t takes = hits + grown("label_cache_misses");
  if (takes == 0)
    report.unknown[kHitRatio] = "no label was needed";
  else
    report.label_cache_hit_ratio = static_cast<double>(hits) / static_cast<double>(takes);
}

}  // namespace xbind::callgen
