#include "core/audit.hpp"

#include <fmt/format.h>

namespace xbind {

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::kStrayCrossConnect: return "stray cross-connect";
    case FindingKind::kMissingCrossConnect: return "missing cross-connect";
    case FindingKind::kChangedCrossConnect: return "changed cross-connect";
    case FindingKind::kStrayHop: return "stray hop";
    case FindingKind::kMissingHop: return "missing hop";
    case FindingKind::kLeakedLabel: return "leaked label";
    case FindingKind::kDoubleLabel: return "label held twice";
    case FindingKind::kLeakedBandwidth: return "leaked bandwidth";
    case FindingKind::kOwed: return "owed";
    case FindingKind::kUnreadable: return "unreadable";
  }
  return "unknown finding";
}

AuditTotals totals_of(const std::vector<Finding>& findings) {
  AuditTotals totals;
  for (const Finding& finding : findings) {
    totals.clean = totals.clean && finding.kind == FindingKind::kOwed;
    switch (finding.kind) {
      case FindingKind::kStrayCrossConnect:
      case FindingKind::kMissingCrossConnect:
      case FindingKind::kChangedCrossConnect: totals.stray_cross_connects += finding.amount; break;
      case FindingKind::kStrayHop:
      case FindingKind::kMissingHop:
      case FindingKind::kLeakedLabel:
      case FindingKind::kDoubleLabel: totals.leaked_labels += finding.amount; break;
      case FindingKind::kLeakedBandwidth:
        totals.leaked_bandwidth_cells_per_s += finding.amount;
        break;
      case FindingKind::kOwed: totals.owed += finding.amount; break;
      case FindingKind::kUnreadable: totals.unreadable += finding.amount; break;
    }
  }
  return totals;
}

std::string to_string(const CrossConnect& at) {
  return fmt::format("port {} {} -> port {} {}", at.input_port, to_string(at.input_label),
                     at.output_port, to_string(at.output_label));
}

std::string port_element(std::string_view switch_name, PortId port) {
  return fmt::format("{} port {}", switch_name, port);
}

Finding finding_of(std::string_view switch_name, const EntryDifference& difference, bool shared) {
  const auto& [kind, extra, missing] = difference;
  const PortId port = extra ? extra->input_port : missing->input_port;
  std::string text;
  if (extra && missing) {
    text = fmt::format("{} is in the switch, {} in the ledger", to_string(*extra),
                       to_string(*missing));
  } else if (missing) {
    text = fmt::format("{} is in the ledger, not in the switch", to_string(*missing));
  } else {
    text = fmt::format("{} is in the switch, {}", to_string(*extra),
                       shared ? "a branch that the ledger does not have" : "in no ledger");
  }
  return {kind, port_element(switch_name, port), std::move(text), 1};
}

}  // namespace xbind
