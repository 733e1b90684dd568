#include "core/audit.hpp"

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

}  // namespace xbind
