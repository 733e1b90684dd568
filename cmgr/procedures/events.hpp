// The events of procedures (procedure.hpp), and the timers of their states. Each procedure has its
// own table over these events: setup_fsm.hpp and its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xbind::cmgr {

enum class Event : std::uint8_t {
  kRouteKnown,              // the path is known; a label is missing, or the path is for a hold
  kRouteKnownLabelsAtHand,  // the path is known, and the caches had every label
  kRouteUseless,            // a switch of the path is unusable now: look for another route
  kNoRoute,
  kAllReserved,
  kAllCommitted,
  kAllTakenOver,         // of another path: the hops where it leaves the old one are committed
  kAllTakenOverOldDown,  // the same, and the old path carries no cells
  kHopRefused,
  kCommitAsked,  // the client commits a hold
  kRaiseAsked,   // the new contract is greater in some component
  kLowerAsked,   // the new contract is nowhere greater
  kDropAsked,    // the client drops a leaf
  kAllRaised,    // and some component must still be lowered
  kAllModified,
  kReleaseAsked,  // the connection is to be released: the procedure ends first
  kAllRemoved,
  kAllRemovedTryNext,  // and a route that avoids the refusing element may exist
  kSomeNotRemoved,     // of hops that must be removed before the others, which wait
  kTimeout,            // of the state's timer; or a hop's switch cannot be reached
  kTimeoutTryNext,     // the same while undoing, and another route may exist
};
inline constexpr std::size_t kEvents = static_cast<std::size_t>(Event::kTimeoutTryNext) + 1;

constexpr std::string_view to_string(Event event) {
  switch (event) {
    case Event::kRouteKnown: return "route known";
    case Event::kRouteKnownLabelsAtHand: return "route known, labels at hand";
    case Event::kRouteUseless: return "route useless";
    case Event::kNoRoute: return "no route";
    case Event::kAllReserved: return "all reserved";
    case Event::kAllCommitted: return "all committed";
    case Event::kAllTakenOver: return "all taken over";
    case Event::kAllTakenOverOldDown: return "all taken over, old path down";
    case Event::kHopRefused: return "hop refused";
    case Event::kCommitAsked: return "commit asked";
    case Event::kRaiseAsked: return "raise asked";
    case Event::kLowerAsked: return "lower asked";
    case Event::kDropAsked: return "drop asked";
    case Event::kAllRaised: return "all raised";
    case Event::kAllModified: return "all modified";
    case Event::kReleaseAsked: return "release asked";
    case Event::kAllRemoved: return "all removed";
    case Event::kAllRemovedTryNext: return "all removed, try next";
    case Event::kSomeNotRemoved: return "some not removed";
    case Event::kTimeout: return "timeout";
    case Event::kTimeoutTryNext: return "timeout, try next";
  }
  return "unknown event";
}

// The named timers of cmgr/parts/config.hpp; kHold is the duration that the client requested.
enum class Timer : std::uint8_t { kNone, kRoute, kHop, kUndo, kBreak, kHold };
inline constexpr std::size_t kTimers = static_cast<std::size_t>(Timer::kHold) + 1;

constexpr std::string_view to_string(Timer timer) {
  switch (timer) {
    case Timer::kNone: return "none";
    case Timer::kRoute: return "route timer";
    case Timer::kHop: return "hop timer";
    case Timer::kUndo: return "undo timer";
    case Timer::kBreak: return "break delay";
    case Timer::kHold: return "hold time";
  }
  return "unknown timer";
}

}  // namespace xbind::cmgr
