// What a SwitchController counts, with the names and descriptions that operators see.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/cause.hpp"
#include "core/metrics/metric_table.hpp"

namespace xbind {

struct SwitchCounters {
  std::uint64_t batches = 0;
  std::uint64_t reserves = 0;
  std::uint64_t commits = 0;
  std::uint64_t removes = 0;
  std::uint64_t modifies = 0;
  std::uint64_t repeats = 0;
  std::uint64_t labels_granted = 0;
  std::uint64_t labels_returned = 0;
  std::uint64_t returned_not_held = 0;
  std::uint64_t quota_not_held = 0;
  std::uint64_t lapses = 0;
  std::uint64_t fenced = 0;
  std::uint64_t put_back = 0;
  std::uint64_t put_back_refused = 0;
  std::uint64_t reasserted = 0;
  std::uint64_t contracts_told = 0;
  std::uint64_t contracts_refused = 0;
  std::uint64_t port_changes = 0;
  std::uint64_t taken_over = 0;
  std::uint64_t moved_back = 0;
  std::uint64_t cleaned = 0;
  std::uint64_t audits = 0;
  std::uint64_t executes = 0;
  std::uint64_t claims = 0;
  std::uint64_t claims_refused = 0;
  std::uint64_t strays_removed = 0;
  std::uint64_t rebuilt = 0;
  std::uint64_t recalls = 0;
  std::uint64_t over_share = 0;
  std::uint64_t grants_bounded = 0;
  std::uint64_t table_rounds = 0;
  std::uint64_t table_entries_compared = 0;
  std::uint64_t table_ports_unread = 0;
  std::uint64_t drift_put_back = 0;
  std::uint64_t drift_left = 0;  // these are gauges
  std::uint64_t table_round_ms = 0;
  std::uint64_t table_round_entries = 0;
  std::uint64_t table_round_missing = 0;
  std::uint64_t table_round_outputs_unknown = 0;
  std::uint64_t unexpected_answers = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(kCauseLast) + 1> refusals{};  // by Cause
};

// All counters except `refusals`, which to_string(Cause) names.
inline constexpr CounterRow<SwitchCounters> kSwitchMetrics[] = {
    {"batches", MetricKind::kCounter, "", "Batches of commands that were applied.",
     &SwitchCounters::batches},
    {"reserves", MetricKind::kCounter, "", "Hops reserved.", &SwitchCounters::reserves},
    {"commits", MetricKind::kCounter, "", "Hops committed after the switch confirmed.",
     &SwitchCounters::commits},
    {"removes", MetricKind::kCounter, "",
     "Hops removed, after the switch confirmed where it had to.", &SwitchCounters::removes},
    {"modifies", MetricKind::kCounter, "", "Hops whose resources were changed.",
     &SwitchCounters::modifies},
    {"repeats", MetricKind::kCounter, "", "Repeated setups and modifies; they change nothing.",
     &SwitchCounters::repeats},
    {"labels_granted", MetricKind::kCounter, "", "Labels that went to a manager's cache.",
     &SwitchCounters::labels_granted},
    {"labels_returned", MetricKind::kCounter, "", "Labels that a manager gave back.",
     &SwitchCounters::labels_returned},
    {"returned_not_held", MetricKind::kCounter, "",
     "Labels given back by a manager that did not hold them; ignored.",
     &SwitchCounters::returned_not_held},
    {"quota_not_held", MetricKind::kCounter, "",
     "Times a manager gave back more quota than it had.", &SwitchCounters::quota_not_held},
    {"lapses", MetricKind::kCounter, "", "Sessions of managers that ended.",
     &SwitchCounters::lapses},
    {"fenced", MetricKind::kCounter, "",
     "Attachments refused because a newer epoch of the manager is known.", &SwitchCounters::fenced},
    {"put_back", MetricKind::kCounter, "",
     "Committed cross-connects put back into a switch that had lost them.",
     &SwitchCounters::put_back},
    {"put_back_refused", MetricKind::kCounter, "",
     "Adds of committed cross-connects that the switch refused or did not answer; the audit "
     "reports what is missing.",
     &SwitchCounters::put_back_refused},
    {"reasserted", MetricKind::kCounter, "",
     "Committed cross-connects added once more: their port began a new session, or their contract "
     "was not known to have arrived.",
     &SwitchCounters::reasserted},
    {"contracts_told", MetricKind::kCounter, "",
     "Changed traffic contracts of committed hops that were sent to the switch.",
     &SwitchCounters::contracts_told},
    {"contracts_refused", MetricKind::kCounter, "",
     "Changed traffic contracts that the switch refused or did not answer.",
     &SwitchCounters::contracts_refused},
    {"port_changes", MetricKind::kCounter, "",
     "Times that ports appeared, disappeared or changed state.", &SwitchCounters::port_changes},
    {"taken_over", MetricKind::kCounter, "",
     "Cross-connects that were moved to the output of a later generation's hop.",
     &SwitchCounters::taken_over},
    {"moved_back", MetricKind::kCounter, "",
     "Moves back to the earlier generation's output, requested because the later hop is removed.",
     &SwitchCounters::moved_back},
    {"cleaned", MetricKind::kCounter, "",
     "Deletes sent without a manager waiting, for hops with unknown outcome.",
     &SwitchCounters::cleaned},
    {"audits", MetricKind::kCounter, "", "Audit reports made.", &SwitchCounters::audits},
    {"executes", MetricKind::kCounter, "", "Batches of commands that came by a two-way call.",
     &SwitchCounters::executes},
    {"claims", MetricKind::kCounter, "",
     "Hops that managers claimed because this SwitchServer had lost its ledger.",
     &SwitchCounters::claims},
    {"claims_refused", MetricKind::kCounter, "",
     "Claimed hops that were refused; the audit reports them as missing.",
     &SwitchCounters::claims_refused},
    {"strays_removed", MetricKind::kCounter, "",
     "Cross-connects that a repair removed from the switch because no ledger had them.",
     &SwitchCounters::strays_removed},
    {"rebuilt", MetricKind::kCounter, "", "Repairs of the ledger's lists and accounts.",
     &SwitchCounters::rebuilt},
    {"recalls", MetricKind::kCounter, "",
     "Requests to a manager to return spare labels or quota of a port.", &SwitchCounters::recalls},
    {"over_share", MetricKind::kCounter, "",
     "Reserves refused and grants cut because the manager's share was used up.",
     &SwitchCounters::over_share},
    {"grants_bounded", MetricKind::kCounter, "",
     "Grants cut because the manager holds as much as it may without calls.",
     &SwitchCounters::grants_bounded},
    {"table_rounds", MetricKind::kCounter, "",
     "Rounds in which the switch's whole table was compared with the ledger in the background.",
     &SwitchCounters::table_rounds},
    {"table_entries_compared", MetricKind::kCounter, "",
     "Entries of the switch's table that these rounds have compared.",
     &SwitchCounters::table_entries_compared},
    {"table_ports_unread", MetricKind::kCounter, "",
     "Ports that these rounds could not read; the next round reads them again.",
     &SwitchCounters::table_ports_unread},
    {"drift_put_back", MetricKind::kCounter, "",
     "Cross-connects of standing calls that the switch had lost within a session and that were put "
     "back.",
     &SwitchCounters::drift_put_back},
    {"drift_left", MetricKind::kGauge, "",
     "Cross-connects of standing calls that the switch lacks and that are not put back: they were "
     "lost again, or other entries are on their inputs.",
     &SwitchCounters::drift_left},
    {"table_round_ms", MetricKind::kGauge, "ms", "Duration of the last round.",
     &SwitchCounters::table_round_ms},
    {"table_round_entries", MetricKind::kGauge, "", "Entries that the last round compared.",
     &SwitchCounters::table_round_entries},
    {"table_round_missing", MetricKind::kGauge, "",
     "Entries of the ledger that the last round missed in two looks.",
     &SwitchCounters::table_round_missing},
    {"table_round_outputs_unknown", MetricKind::kGauge, "",
     "Entries of the last round whose outputs the switch cannot list (GSMP 1.1): only their inputs "
     "were compared.",
     &SwitchCounters::table_round_outputs_unknown},
    {"unexpected_answers", MetricKind::kCounter, "",
     "Answers of the driver that match no request; ignored.", &SwitchCounters::unexpected_answers},
};

}  // namespace xbind
