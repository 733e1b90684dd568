#include "core/call.hpp"

#include <fmt/format.h>

#include "core/cause_table.hpp"

namespace xbind {

std::string_view to_string(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kConnected: return "connected";
    case OutcomeKind::kRefused: return "refused";
    case OutcomeKind::kReleased: return "released";
    case OutcomeKind::kBusy: return "busy";
    case OutcomeKind::kHeld: return "held";
    case OutcomeKind::kModified: return "modified";
    case OutcomeKind::kLeafAdded: return "leaf added";
    case OutcomeKind::kLeafDropped: return "leaf dropped";
  }
  return "unknown outcome";
}

std::string_view to_string(NoticeKind kind) {
  switch (kind) {
    case NoticeKind::kBroken: return "broken";
    case NoticeKind::kRerouted: return "rerouted";
    case NoticeKind::kMended: return "mended";
    case NoticeKind::kUnknown: return "unknown";
    case NoticeKind::kIncomplete: return "incomplete";
  }
  return "unknown notice";
}

std::string explain(const Debt& debt) {
  if (debt.removals == 0) return {};
  return fmt::format("; owed: {} removal{} at {}", debt.removals, debt.removals == 1 ? "" : "s",
                     debt.element);
}

namespace {

// The numbers and the reason, each where the cause has them and they say something.
std::string details_of(const Outcome& outcome, const CauseRow& row) {
  // The reason of a peer may be such an explanation itself (idl/types.idl, Refusal).
  const bool reason = row.reason != Reason::kUnsaid && !outcome.reason.empty() &&
                      !outcome.reason.starts_with(row.name);
  const bool instead = row.reason != Reason::kBeside;
  if (reason && instead) return outcome.reason;
  // Only where a reason may stand instead can both be zero and mean nothing.
  if (row.numbers_said.empty() ||
      (row.reason == Reason::kInstead && outcome.asked == 0 && outcome.free == 0)) {
    return {};
  }
  std::string details =
      fmt::format(fmt::runtime(row.numbers_said), fmt::arg("asked", outcome.asked),
                  fmt::arg("free", outcome.free));
  if (reason) details += "; " + outcome.reason;
  return details;
}

}  // namespace

std::string explain(const Outcome& outcome) {
  if (outcome.cause == Cause::kNone) {
    return std::string{to_string(outcome.kind)} + explain(outcome.owed);
  }
  const CauseRow& row = row_of(outcome.cause);
  std::string text{row.name};
  const std::string details = details_of(outcome, row);
  const bool whole = row.reason == Reason::kWhole && !details.empty();
  if (!outcome.element.empty() && !whole) text += fmt::format(" at {}", outcome.element);
  if (!details.empty()) text += ": " + details;
  if (outcome.retry_after_ms != 0)
    text += fmt::format("; try again in {} ms", outcome.retry_after_ms);
  return text + explain(outcome.owed);
}

}  // namespace xbind
