#include "core/cause.hpp"

namespace xbind {

std::string_view to_string(Cause cause) {
  switch (cause) {
    case Cause::kNone: return "none";
    case Cause::kInvalidRequest: return "invalid request";
    case Cause::kUnknownEndpoint: return "unknown endpoint";
    case Cause::kNoRoute: return "no route";
    case Cause::kNoBandwidth: return "no bandwidth";
    case Cause::kNoBuffer: return "no buffer";
    case Cause::kNoLabel: return "no label";
    case Cause::kUnknownPort: return "unknown port";
    case Cause::kForeignInputLabel: return "foreign input label";
    case Cause::kLabelNotHeld: return "label not held";
    case Cause::kStale: return "stale generation";
    case Cause::kUnknownConnection: return "unknown connection";
    case Cause::kSwitchRefused: return "switch refused";
    case Cause::kSwitchUnreachable: return "switch unreachable";
    case Cause::kTimeout: return "timeout";
    case Cause::kBusy: return "busy";
    case Cause::kBeingReleased: return "being released";
    case Cause::kUnknownService: return "unknown service";
    case Cause::kWithdrawn: return "withdrawn";
    case Cause::kNoRouteObject: return "no route object";
    case Cause::kHoldExpired: return "hold expired";
    case Cause::kNotConnected: return "not connected";
    case Cause::kChangeUnderWay: return "change under way";
    case Cause::kLastLeaf: return "last leaf";
    case Cause::kLeafExists: return "leaf exists";
    case Cause::kUnknownLeaf: return "unknown leaf";
    case Cause::kNoQosMapper: return "no qos mapper";
    case Cause::kOverShare: return "over share";
    case Cause::kPathBound: return "path bound";
    case Cause::kTooHard: return "too hard";
    case Cause::kLinkDown: return "link down";
    case Cause::kIncomplete: return "incomplete";
  }
  return "unknown cause";
}

std::optional<Cause> cause_from(std::uint8_t value) {
  if (value > static_cast<std::uint8_t>(kCauseLast)) return std::nullopt;
  return static_cast<Cause>(value);
}

}  // namespace xbind
