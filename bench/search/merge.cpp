#include "bench/search/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/check.hpp"

namespace xbind::callgen {
namespace {

constexpr const char* kHitRatio = "label_cache_hit_ratio";

void add(const SetupCounts& part, SetupCounts& sum) {
  sum.attempted += part.attempted;
  sum.connected += part.connected;
  sum.refused += part.refused;
  sum.busy += part.busy;
  sum.unanswered += part.unanswered;
}

void add(const ReleaseCounts& part, ReleaseCounts& sum) {
  sum.attempted += part.attempted;
  sum.released += part.released;
  sum.failed += part.failed;
  sum.unanswered += part.unanswered;
}

void add(const KindStatistics& part, KindStatistics& sum) {
  for (std::size_t i = 0; i < sum.outcomes.size(); ++i) sum.outcomes[i] += part.outcomes[i];
  sum.warm_up += part.warm_up;
  sum.latency.merge(part.latency);
  sum.from_send.merge(part.from_send);
  sum.slip.merge(part.slip);
  sum.refusal.merge(part.refusal);
  sum.refusal_from_send.merge(part.refusal_from_send);
}

void add(const OccupancyFigures& part, OccupancyFigures& sum) {
  sum.seen.arrivals += part.seen.arrivals;
  sum.seen.departures += part.seen.departures;
  sum.seen.late_events += part.seen.late_events;
  sum.seen.shifted_s += part.seen.shifted_s;
  sum.seen.peak += part.seen.peak;
  sum.seen.area_s += part.seen.area_s;
  sum.seen.end_s = std::max(sum.seen.end_s, part.seen.end_s);
  sum.seen.mean_at_arrivals += part.seen.mean_at_arrivals;
  sum.seen.mean_over_time += part.seen.mean_over_time;
  sum.stays_s += part.stays_s;
}

void keep_greatest(const Metrics& part, Metrics& kept) {
  for (const auto& [name, value] : part) {
    std::uint64_t& greatest = kept[name];
    greatest = std::max(greatest, value);
  }
}

// The one that deviates more, relative to its number of gaps.
const ArrivalFigures& worse(const ArrivalFigures& a, const ArrivalFigures& b) {
  const auto off = [](const ArrivalFigures& one) {
    return one.distance * std::sqrt(static_cast<double>(one.gaps));
  };
  return off(b) > off(a) ? b : a;
}

void add(const MediaFigures& part, MediaFigures& sum) {
  sum.calls_wanted += part.calls_wanted;
  sum.calls_checked += part.calls_checked;
  sum.calls_failed += part.calls_failed;
  sum.calls_uncheckable += part.calls_uncheckable;
  sum.calls_on_reused_labels += part.calls_on_reused_labels;
  sum.reused_checked += part.reused_checked;
  sum.cells_sent += part.cells_sent;
  sum.cells_received += part.cells_received;
  sum.probes_sent += part.probes_sent;
  sum.probes_excused += part.probes_excused;
  sum.lost += part.lost;
  sum.out_of_order += part.out_of_order;
  sum.duplicated += part.duplicated;
  sum.wrong_endpoint += part.wrong_endpoint;
  sum.wrong_label += part.wrong_label;
  sum.corrupted += part.corrupted;
  sum.after_release += part.after_release;
  sum.late += part.late;
  sum.foreign += part.foreign;
  sum.findings.insert(sum.findings.end(), part.findings.begin(), part.findings.end());
}

void add_counts(const RunReport& part, RunReport& sum) {
  sum.planned_calls += part.planned_calls;
  sum.offered_setups_per_s += part.offered_setups_per_s;
  sum.sent_setups_per_s += part.sent_setups_per_s;
  sum.setups_per_s += part.setups_per_s;
  sum.call_operations_per_s += part.call_operations_per_s;
  sum.duration_s = std::max(sum.duration_s, part.duration_s);
  add(part.setups, sum.setups);
  add(part.releases, sum.releases);
  sum.odd.repeated += part.odd.repeated;
  sum.odd.contradicted += part.odd.contradicted;
  sum.odd.late += part.odd.late;
  sum.odd.unknown += part.odd.unknown;
  const Reattached& reattached = part.sessions.reattached;
  sum.sessions.reattached.sessions_lost += reattached.sessions_lost;
  sum.sessions.reattached.sessions_opened += reattached.sessions_opened;
  sum.sessions.reattached.requests_repeated += reattached.requests_repeated;
  sum.notices.broken += part.notices.broken;
  sum.notices.rerouted += part.notices.rerouted;
  sum.notices.mended += part.notices.mended;
  sum.notices.incomplete += part.notices.incomplete;
  sum.notices.unknown += part.notices.unknown;
  sum.notices.span = std::max(sum.notices.span, part.notices.span);
  sum.shed += part.shed;
  sum.calls_up_peak += part.calls_up_peak;
  sum.batches += part.batches;
  sum.target_lost = sum.target_lost || part.target_lost;
  sum.sessions.unheard.insert(part.sessions.unheard.begin(), part.sessions.unheard.end());
  sum.interrupted = sum.interrupted || part.interrupted;
  sum.refusals.merge(part.refusals);
  sum.release_failures.merge(part.release_failures);
  sum.generators += part.generators;
  sum.calls_up_at_full += part.calls_up_at_full;
  sum.media_cells_not_sent += part.media_cells_not_sent;
}

void add_distributions(const RunReport& part, RunReport& sum) {
  for (const auto& [kind, statistics] : part.kinds) add(statistics, sum.kinds[kind]);
  sum.slip.merge(part.slip);
  sum.series.merge(part.series);
  sum.arrivals_planned = worse(sum.arrivals_planned, part.arrivals_planned);
  sum.arrivals_sent = worse(sum.arrivals_sent, part.arrivals_sent);
  add(part.in_setup, sum.in_setup);
  add(part.up, sum.up);
  if (part.media) {
    if (!sum.media) sum.media.emplace();
    add(*part.media, *sum.media);
  }
}

// Merges figures that all parts read from the same processes.
void share(const RunReport& part, RunReport& sum) {
  sum.managers = std::max(sum.managers, part.managers);
  sum.switches = std::max(sum.switches, part.switches);
  sum.remote_invocations = std::max(sum.remote_invocations, part.remote_invocations);
  keep_greatest(part.managers_grown, sum.managers_grown);
  keep_greatest(part.managers_last, sum.managers_last);
  keep_greatest(part.switchservers_grown, sum.switchservers_grown);
  for (const auto& [name, rss_mb] : part.rss_mb)
    sum.rss_mb[name] = std::max(sum.rss_mb[name], rss_mb);
  for (const auto& [leg, counters] : part.faults_by_leg) sum.faults_by_leg[leg] += counters;
  sum.faults.dropped += part.faults.dropped;
  sum.faults.repeated += part.faults.repeated;
  sum.faults.reordered += part.faults.reordered;
  sum.faults.delayed += part.faults.delayed;
}

// It is unknown which audit came later. So an audit with findings outweighs a clean one, and one
// that could not be made outweighs all.
bool worse(const AuditReport& a, const AuditReport& b) {
  const auto badness = [](const AuditReport& audit) {
    return std::tuple{!audit.made, !audit.proves_clean(),
                      audit.stray_cross_connects + audit.leaked_labels +
                          audit.leaked_bandwidth_cells_per_s + audit.owed + audit.unreadable};
  };
  return badness(a) > badness(b);
}

void share_processes(const RunReport& part, std::size_t number, RunReport& sum) {
  for (const auto& [name, process] : part.processes) {
    const bool own = name == "xbind-callgen";
    ProcessCost& kept = sum.processes[own ? fmt::format("{} {}", name, number) : name];
    if (process.cpu_s >= kept.cpu_s) kept = process;
  }
  for (const auto& [manager, audit] : part.audits) {
    const auto [found, added] = sum.audits.emplace(manager, audit);
    if (!added && worse(audit, found->second)) found->second = audit;
  }
}

void add_reasons_of_part(const RunReport& part, std::size_t number, RunReport& sum) {
  RunReport alone = part;
  alone.expect_refusals = true;  // the merged report decides whether any call connected
  const Verdict verdict = judge(alone);
  for (const std::string& reason : verdict.reasons) {
    auto& list = verdict.failed ? sum.parts_failed : sum.parts_void;
    list.push_back(fmt::format("generator {}: {}", number, reason));
  }
}

// A figure that a part does not know is known only in part of the sum.
void add_unknown(const std::vector<RunReport>& parts, RunReport& sum) {
  std::size_t number = 0;
  for (const RunReport& part : parts) {
    ++number;
    for (const auto& [figure, why] : part.unknown) {
      const bool nowhere = std::ranges::all_of(
          parts, [&name = figure](const RunReport& one) { return one.unknown.contains(name); });
      // A part whose other counters are known needed no label: the ratio of the others is whole.
      const bool needed_none = figure == kHitRatio && !part.unknown.contains("remote_invocations");
      if (nowhere) {
        sum.unknown.emplace(figure, why);
      } else if (!needed_none) {
        sum.unknown.emplace(figure, fmt::format("generator {}: {}", number, why));
      }
    }
  }
}

}  // namespace

RunReport merge(const std::vector<RunReport>& parts) {
  XB_CHECK(!parts.empty());
  const RunReport& first = parts.front();
  if (parts.size() == 1) return first;
  RunReport sum;
  sum.generators = 0;
  sum.engine = first.engine;
  sum.aggregation = first.aggregation;
  sum.threshold = first.threshold;
  sum.arrivals = first.arrivals;
  sum.arrival_dispersion = first.arrival_dispersion;
  sum.manifest = first.manifest;
  sum.warm_up_s = first.warm_up_s;
  sum.managers = 0;
  double held_s = 0;
  double gaps_s = 0;
  double hits = 0;
  double hits_of = 0;  // calls of the parts that know the ratio
  std::size_t number = 0;
  for (const RunReport& part : parts) {
    ++number;
    add_counts(part, sum);
    add_distributions(part, sum);
    share(part, sum);
    share_processes(part, number, sum);
    add_reasons_of_part(part, number, sum);
    const auto calls = static_cast<double>(part.planned_calls);
    held_s += part.hold_mean_s * calls;
    if (!part.unknown.contains(kHitRatio)) {
      hits += part.label_cache_hit_ratio * calls;
      hits_of += calls;
    }
    gaps_s += part.gap_mean_s > 0 ? 1 / part.gap_mean_s : 0;
    for (const auto& [name, value] : part.manifest) {
      const auto same = sum.manifest.find(name);
      if (same == sum.manifest.end() || same->second != value)
        sum.manifest[fmt::format("{} (generator {})", name, number)] = value;
    }
  }
  const auto calls = static_cast<double>(sum.planned_calls);
  sum.hold_mean_s = calls > 0 ? held_s / calls : 0;
  sum.label_cache_hit_ratio = hits_of > 0 ? hits / hits_of : 0;
  add_unknown(parts, sum);
  sum.gap_mean_s = gaps_s > 0 ? 1 / gaps_s : 0;
  sum.gap_variation = first.gap_variation;
  sum.audit = sum_of(sum.audits);
  summarise(sum);
  return sum;
}

}  // namespace xbind::callgen
