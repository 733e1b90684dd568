#include "core/call.hpp"

#include <fmt/format.h>

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

std::string explain(const Outcome& outcome) {
  if (outcome.cause == Cause::kNone) {
    return std::string{to_string(outcome.kind)} + explain(outcome.owed);
  }
  std::string text{to_string(outcome.cause)};
  // The reason of a peer may be such an explanation itself (idl/types.idl, Refusal).
  const bool has_reason =
      !outcome.reason.empty() && !outcome.reason.starts_with(to_string(outcome.cause));
  if (!outcome.element.empty()) text += fmt::format(" at {}", outcome.element);
  switch (outcome.cause) {
    case Cause::kNoBandwidth:
      text += fmt::format(": asked {} cells/s, free {}", outcome.asked, outcome.free);
      break;
    case Cause::kNoBuffer:
      text += fmt::format(": asked {} cells of buffer, free {}", outcome.asked, outcome.free);
      break;
    case Cause::kSwitchRefused: text += fmt::format(": GSMP failure {}", outcome.asked); break;
    case Cause::kNoLabel:
    case Cause::kBusy:
      if (has_reason) text += ": " + outcome.reason;
      break;
    case Cause::kInvalidRequest:
      if (has_reason) {
        text += ": " + outcome.reason;
      } else if (outcome.asked != 0 || outcome.free != 0) {
        text += fmt::format(": {}", outcome.asked);
      }
      break;
    case Cause::kIncomplete:
      // The reason begins with the element.
      if (has_reason) text = fmt::format("{}: {}", to_string(outcome.cause), outcome.reason);
      break;
    case Cause::kUnknownConnection:
      text += fmt::format(": connection {}", outcome.asked);
      if (has_reason) text += "; " + outcome.reason;
      break;
    case Cause::kHoldExpired:
    case Cause::kNotConnected:
    case Cause::kChangeUnderWay:
    case Cause::kLastLeaf:
    case Cause::kBeingReleased: text += fmt::format(": connection {}", outcome.asked); break;
    case Cause::kUnknownPort: text += fmt::format(": {}", outcome.asked); break;
    case Cause::kStale:
      text += fmt::format(": generation {}, newest {}", outcome.asked, outcome.free);
      break;
    case Cause::kOverShare:
      text += fmt::format(": {} labels held, share {}", outcome.asked, outcome.free);
      break;
    case Cause::kPathBound:
      text += fmt::format(": bound {}, best {}", outcome.asked, outcome.free);
      break;
    case Cause::kTooHard: text += fmt::format(": {} partial paths", outcome.asked); break;
    default: break;
  }
  if (outcome.retry_after_ms != 0)
    text += fmt::format("; try again in {} ms", outcome.retry_after_ms);
  return text + explain(outcome.owed);
}

}  // namespace xbind
