// `audit` and `repair`: the tables of switches, SwitchServers and manager compared.
#include "xbindctl/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/audit.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/commands.hpp"

namespace xbind::ctl {
namespace {

// The report has one count for stray, missing and changed cross-connects, and one for all errors of
// hops and labels. The listed findings give each kind, unless there are too many.
std::string totals_in_words(const client::NetworkAudit& audit) {
  const AuditTotals& totals = audit.totals;
  std::map<FindingKind, std::uint64_t> listed;
  for (const Finding& finding : audit.findings) listed[finding.kind] += finding.amount;
  const auto cross_connects = {FindingKind::kStrayCrossConnect, FindingKind::kMissingCrossConnect,
                               FindingKind::kChangedCrossConnect};
  const auto labels = {FindingKind::kLeakedLabel, FindingKind::kDoubleLabel, FindingKind::kStrayHop,
                       FindingKind::kMissingHop};
  const auto sum = [&](const auto& kinds) {
    std::uint64_t total = 0;
    for (const FindingKind kind : kinds) total += listed[kind];
    return total;
  };
  const auto each = [&](const auto& kinds) {
    std::string text;
    for (const FindingKind kind : kinds) {
      const std::uint64_t count = listed[kind];
      const char* plural = count == 1 ? "" : "s";
      text += text.empty() ? "" : ", ";
      text += kind == FindingKind::kDoubleLabel
                  ? fmt::format("{} label{} held twice", count, plural)
                  : fmt::format("{} {}{}", count, to_string(kind), plural);
    }
    return text;
  };
  std::string text = fmt::format("{}, {}; ", counted(audit.switches, "switch", "es"),
                                 counted(audit.connections, "connection"));
  text +=
      sum(cross_connects) == totals.stray_cross_connects
          ? each(cross_connects)
          : fmt::format("{} cross-connects stray, missing or changed", totals.stray_cross_connects);
  text += "; ";
  text += sum(labels) == totals.leaked_labels
              ? each(labels)
              : fmt::format("{} labels leaked or held twice, hops stray or missing",
                            totals.leaked_labels);
  return text + fmt::format("; {} cells/s leaked; {} owed; {} unreadable",
                            totals.leaked_bandwidth_cells_per_s, counted(totals.owed, "removal"),
                            counted(totals.unreadable, "switch", "es"));
}

int print_verdict(const client::NetworkAudit& audit) {
  const AuditVerdict verdict = verdict_of(audit.totals);
  say(fmt::format("{}: {}", verdict.word, totals_in_words(audit)));
  return verdict.exit_code;
}

std::string words_of(const Finding& finding) {
  return fmt::format("{} at {}: {}", to_string(finding.kind), finding.element, finding.text);
}

// The ends of what is in switches and in no ledger: nothing else tells whose calls they were.
void print_paths(const client::NetworkAudit& audit, const PlanReader& plan) {
  std::vector<EntryOfNobody> entries = entries_of_nobody(audit.findings);
  if (entries.empty()) return;
  const auto ports = plan();
  if (!ports) {
    explain(ports.error());
    say("the paths of entries of nobody are not known: they need the topology");
    return;
  }
  const std::vector<PathOfNobody> paths = paths_of_nobody(std::move(entries), *ports);
  for (const PathOfNobody& path : paths) say("entries of nobody: " + words_of(path));
  say(fmt::format("{} of entries of nobody", counted(paths.size(), "path")));
}

int print(const client::NetworkAudit& audit, const PlanReader& plan) {
  for (const Finding& finding : audit.findings) say(words_of(finding));
  print_paths(audit, plan);
  return print_verdict(audit);
}

std::string plan_for(const Finding& finding) {
  return fmt::format("{}\n  -> {}", words_of(finding), cure_for(finding.kind));
}

}  // namespace

// Certain findings take precedence: errors, then unknown state, then owed removals.
AuditVerdict verdict_of(const AuditTotals& totals) {
  const bool wrong = totals.stray_cross_connects != 0 || totals.leaked_labels != 0 ||
                     totals.leaked_bandwidth_cells_per_s != 0;
  if (wrong) return {"NOT CLEAN", kAuditWrong};
  if (totals.unreadable != 0) return {"UNKNOWN", kAuditUnknown};
  if (totals.owed != 0) return {"OWED", kAuditOwed};
  // A newer manager may report kinds of findings that this program does not have.
  if (!totals.clean) return {"NOT CLEAN", kAuditWrong};
  return {"clean", 0};
}

const char* cure_for(FindingKind kind) {
  switch (kind) {
    case FindingKind::kStrayCrossConnect:
      return "is removed from the switch, if that reports where it leads";
    case FindingKind::kMissingCrossConnect: return "is put back into the switch";
    case FindingKind::kChangedCrossConnect:
      return "the switch is led back to the ledger; where ledger and manager differ, it stays";
    case FindingKind::kStrayHop: return "is removed from ledger and switch";
    case FindingKind::kMissingHop: return "stays: release the call";
    case FindingKind::kLeakedLabel: return "becomes free";
    case FindingKind::kDoubleLabel:
    case FindingKind::kLeakedBandwidth: return "the ledger's books are made anew from its hops";
    case FindingKind::kOwed: return "stays: it is sent until the switch has confirmed it";
    case FindingKind::kUnreadable: return "stays: it is not known what is there";
  }
  return "stays: this program does not know it";
}

const char* meaning_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kStrayCrossConnect:
      return "The switch has a cross-connect that no ledger has: cells may go where no call leads "
             "them.";
    case FindingKind::kMissingCrossConnect:
      return "The switch lacks a cross-connect that its ledger has: the call's cells end there.";
    case FindingKind::kChangedCrossConnect:
      return "Two tables have another output, label or contract for the same input.";
    case FindingKind::kStrayHop:
      return "A ledger has a hop that its manager does not know: it takes labels and bandwidth.";
    case FindingKind::kMissingHop:
      return "The manager has a hop that the ledger does not have, or has in another state: its "
             "labels may go to another call.";
    case FindingKind::kLeakedLabel:
      return "A label is neither free nor cached nor in a connection nor in quarantine: nobody can "
             "get it.";
    case FindingKind::kDoubleLabel: return "A label is in two of these places at once.";
    case FindingKind::kLeakedBandwidth:
      return "An account of bandwidth differs from the sum of what it counts.";
    case FindingKind::kOwed:
      return "A removal has not reached its switch yet; neither clean nor leaked.";
    case FindingKind::kUnreadable:
      return "A switch or SwitchServer did not answer: it is not known what is there.";
  }
  return "This program does not know it.";
}

std::string word_of(FindingKind kind) {
  std::string word{to_string(kind)};
  std::ranges::replace(word, ' ', '-');
  return word;
}

std::optional<FindingKind> finding_from_word(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(FindingKind::kUnreadable); ++i) {
    const auto kind = static_cast<FindingKind>(i);
    if (word_of(kind) == word) return kind;
  }
  return std::nullopt;
}

std::vector<std::string> finding_words() {
  std::vector<std::string> words;
  for (int i = 0; i <= static_cast<int>(FindingKind::kUnreadable); ++i) {
    words.push_back(word_of(static_cast<FindingKind>(i)));
  }
  return words;
}

int explain_finding(FindingKind kind) {
  say(fmt::format("finding {}", to_string(kind)));
  say(fmt::format("  means       {}", meaning_of(kind)));
  say(fmt::format("  repair      {}", cure_for(kind)));
  return 0;
}

int audit(const client::TwoWay& manager, const PlanReader& plan) {
  const auto found = manager.audit();
  if (!found) return explain(found.error());
  return print(*found, plan);
}

int repair(const client::TwoWay& manager, const PlanReader& plan, bool dry_run) {
  const auto found = manager.audit();
  if (!found) return explain(found.error());
  for (const Finding& finding : found->findings) say(plan_for(finding));
  print_paths(*found, plan);
  if (dry_run || found->findings.empty()) return print_verdict(*found);
  say("");
  const auto left = manager.repair(found->findings);
  if (!left) return explain(left.error());
  return print(*left, plan);
}

}  // namespace xbind::ctl
