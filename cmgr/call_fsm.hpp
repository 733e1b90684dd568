// The life of one connection, as a pure question with an answer. The same table serves a leaf of a
// point-to-multipoint connection while it is being added or dropped.
//
//     kRouteKnown (labels missing, or a hold)     kAllReserved              kAllCommitted
//   ┌─────────┐          ┌───────────┐           ┌────────────┐           ┌───────────┐
//   │ Routing ├─────────▶│ Reserving ├──────────▶│ Committing ├──────────▶│ Connected │◀─┐
//   └─▲──┬──┬─┘          └──┬─────┬──┘           └──▲───▲──┬──┘           └──┬─────┬──┘  │ kTaken
//     │  │  │ kRouteKnown-  │     │ kAllHeld        │   │  │    kReleaseAsked│     │ │   │ kReturned
//     │  │  │ LabelsAtHand  │     ▼                 │   │  │                 │     │ └───┘
//     │  │  └───────────────┼─────┬─────────────────┘   │  │                 │     │
//     │  │                  │  ┌──┴───┐  kCommitAsked   │  │                 │     │ kRaiseAsked
//     │  │                  │  │ Held ├─────────────────┘  │                 │     │ kLowerAsked
//     │  │                  │  └──┬───┘                    │                 │     ▼
//     │  │      kHopRefused │     │ kReleaseAsked          │ kHopRefused     │  ┌────────────────┐
//     │  │      kTimeout    ▼     │ kTimeout (expired)     │ kTimeout        │  │ Modifying      │
//     │  │       ┌─────────────┐  │                        │                 │  │  ├▶ Lowering   │
//     │  │       │   Undoing   │◀─┼────────────────────────┘                 │  │  └▶ Restoring  │
//     │  │       └──┬───────┬──┘  │  ┌───────────┐                           │  └───────┬────────┘
//     └──┼──────────┘       │     └─▶│ Releasing │◀──────────────────────────┴──────────┘
//        │ kAllRemoved-     │        └─────┬─────┘           kReleaseAsked; else back to Connected
//        │ TryNext          │ kAllRemoved  │ kAllRemoved
//        ▼ kNoRoute         ▼ kTimeout     ▼ kTimeout (owed)
//      (gone, refused)    (refused)      (released)
//
// A change of the contract is done in two steps, so that undoing it can never be refused: first every
// hop gets the greater of old and new in each component (Modifying), then the new one (Lowering). When
// a hop refuses the first step the old contract is put back (Restoring), which asks for no more than
// there was.
//
// Another path for a connection that is up (make before break) goes through the same states in a party
// of its own: its hops, but for those that take over, are committed as for a call; then, when all have
// confirmed, those that take over:
//
//     ┌────────────┐ kAllMade ┌───────────────┐ kAllTakenOver ┌───────────┐ kTimeout ┌───────────┐
//     │ Committing ├─────────▶│ SwitchingOver ├──────────────▶│ Lingering ├─────────▶│ Releasing │
//     └────────────┘          └──┬─────────┬──┘               └───────────┘          └─────▲─────┘
//                    kHopRefused │         │ kAllTakenOverOldDown                          │
//                    kTimeout    ▼ Undoing └───────────────────────────────────────────────┘
//
// From Lingering on the party has the old path's hops. They stay for a moment, for the cells that are
// on their way there, unless that path is down.
//
// Crankback: when what refused can be avoided, Undoing ends in Routing again, with a route that
// avoids it (bounded, cmgr/config.hpp).
//
// A wait that can last has a named timer: Reserving, Committing, SwitchingOver, Modifying, Lowering and
// Restoring the hop timer, Undoing and Releasing the undo timer, Routing the route timer, Lingering the
// break delay (cmgr/config.hpp), Held the time that the client asked for.
//
// docs/call-states.md has every state and event, made from this file; a test keeps it fresh.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace xbind::cmgr {

enum class State : std::uint8_t {
  kRouting,     // waits for RouteObject
  kReserving,   // phase one: waits for labels the cache did not have; or a hold is being made
  kHeld,        // every hop is reserved, no switch is programmed
  kCommitting,  // phase two: every hop is told at once
  kConnected,
  kSwitchingOver,  // another path is made: the hops where it parts from the old one are told
  kLingering,      // the connection goes the other way; the old path stays for a moment
  kModifying,      // every hop is asked for the greater of the old and the new contract
  kLowering,       // every hop is told the new contract, which is nowhere more
  kRestoring,      // a hop refused: the others are told the old contract
  kUndoing,        // a hop refused or did not answer: the others are being removed
  kReleasing,      // the client asked for it, or a hold's time is over
  kGone,           // answered and forgotten
};
inline constexpr std::size_t kStates = static_cast<std::size_t>(State::kGone) + 1;

enum class Event : std::uint8_t {
  kRouteKnown,              // the path is known; a label is missing, or it is to be held
  kRouteKnownLabelsAtHand,  // the path is known, the caches had every label
  kRouteUseless,            // a switch of it cannot be used now: another one is looked for
  kNoRoute,
  kAllReserved,
  kAllHeld,  // the same, of a hold
  kAllCommitted,
  kAllMade,              // the same of another path, but for the hops that take over
  kAllTakenOver,         // and those as well
  kAllTakenOverOldDown,  // the same, and nothing is on its way on the old path
  kHopRefused,
  kCommitAsked,  // of a hold
  kRaiseAsked,   // the new contract is more in some component
  kLowerAsked,   // it is nowhere more
  kAllRaised,    // and some component is to be lowered yet
  kAllModified,
  kReleaseAsked,
  kTaken,     // it was prepared in advance, and a client asked for such a one
  kReturned,  // released, and kept for the next client
  kAllRemoved,
  kAllRemovedTryNext,  // and a route that avoids what refused may exist
  kTimeout,            // of the state's own timer; or some hop cannot be told what it must be
  kTimeoutTryNext,     // the same while undoing, and another route may exist
};
inline constexpr std::size_t kEvents = static_cast<std::size_t>(Event::kTimeoutTryNext) + 1;

enum class Action : std::uint8_t {
  kFindRoute,
  kReserveHops,
  kCommitEveryHop,
  kAnswerConnected,
  kAnswerHeld,
  kAnswerRefused,
  kAnswerReleased,
  kRemoveEveryHop,
  kOweThenAnswerRefused,  // hops that did not confirm become debts
  kOweThenAnswerReleased,
  kOweThenFindRoute,
  kRaiseEveryHop,
  kLowerEveryHop,
  kRestoreEveryHop,
  kAnswerModified,
  kAnswerNotModified,
  kOweThenAnswerModified,
  kOweThenAnswerNotModified,
  kBreakOffThenRemoveEveryHop,  // the change under way is answered "being released"
  kTakeOver,
  kGoOver,  // the new hops become the connection's, the party gets the old ones
  kGoOverThenRemoveEveryHop,
};

struct Step {
  State next;
  Action action;

  friend bool operator==(const Step&, const Step&) = default;
};

// Pure. Nothing when `event` has no meaning in `state`: the caller counts it and does nothing.
constexpr std::optional<Step> step(State state, Event event) {
  switch (state) {
    case State::kRouting:
      if (event == Event::kRouteKnown) return Step{State::kReserving, Action::kReserveHops};
      if (event == Event::kRouteKnownLabelsAtHand)
        return Step{State::kCommitting, Action::kCommitEveryHop};
      if (event == Event::kRouteUseless) return Step{State::kRouting, Action::kFindRoute};
      if (event == Event::kNoRoute || event == Event::kTimeout)
        return Step{State::kGone, Action::kAnswerRefused};
      break;
    case State::kReserving:
      if (event == Event::kAllReserved) return Step{State::kCommitting, Action::kCommitEveryHop};
      if (event == Event::kAllHeld) return Step{State::kHeld, Action::kAnswerHeld};
      if (event == Event::kHopRefused || event == Event::kTimeout)
        return Step{State::kUndoing, Action::kRemoveEveryHop};
      break;
    case State::kHeld:
      if (event == Event::kCommitAsked) return Step{State::kCommitting, Action::kCommitEveryHop};
      if (event == Event::kReleaseAsked || event == Event::kTimeout)
        return Step{State::kReleasing, Action::kRemoveEveryHop};
      break;
    case State::kCommitting:
      if (event == Event::kAllCommitted) return Step{State::kConnected, Action::kAnswerConnected};
      if (event == Event::kAllMade) return Step{State::kSwitchingOver, Action::kTakeOver};
      if (event == Event::kHopRefused || event == Event::kTimeout)
        return Step{State::kUndoing, Action::kRemoveEveryHop};
      break;
    case State::kConnected:
      if (event == Event::kReleaseAsked) return Step{State::kReleasing, Action::kRemoveEveryHop};
      if (event == Event::kRaiseAsked) return Step{State::kModifying, Action::kRaiseEveryHop};
      if (event == Event::kLowerAsked) return Step{State::kLowering, Action::kLowerEveryHop};
      if (event == Event::kTaken) return Step{State::kConnected, Action::kAnswerConnected};
      if (event == Event::kReturned) return Step{State::kConnected, Action::kAnswerReleased};
      break;
    case State::kSwitchingOver:
      if (event == Event::kAllTakenOver) return Step{State::kLingering, Action::kGoOver};
      if (event == Event::kAllTakenOverOldDown)
        return Step{State::kReleasing, Action::kGoOverThenRemoveEveryHop};
      if (event == Event::kHopRefused || event == Event::kTimeout)
        return Step{State::kUndoing, Action::kRemoveEveryHop};
      break;
    case State::kLingering:
      if (event == Event::kTimeout) return Step{State::kReleasing, Action::kRemoveEveryHop};
      break;
    case State::kModifying:
      if (event == Event::kAllModified) return Step{State::kConnected, Action::kAnswerModified};
      if (event == Event::kAllRaised) return Step{State::kLowering, Action::kLowerEveryHop};
      if (event == Event::kHopRefused || event == Event::kTimeout)
        return Step{State::kRestoring, Action::kRestoreEveryHop};
      if (event == Event::kReleaseAsked)
        return Step{State::kReleasing, Action::kBreakOffThenRemoveEveryHop};
      break;
    case State::kLowering:
      if (event == Event::kAllModified) return Step{State::kConnected, Action::kAnswerModified};
      if (event == Event::kTimeout) return Step{State::kConnected, Action::kOweThenAnswerModified};
      if (event == Event::kReleaseAsked)
        return Step{State::kReleasing, Action::kBreakOffThenRemoveEveryHop};
      break;
    case State::kRestoring:
      if (event == Event::kAllModified) return Step{State::kConnected, Action::kAnswerNotModified};
      if (event == Event::kTimeout)
        return Step{State::kConnected, Action::kOweThenAnswerNotModified};
      if (event == Event::kReleaseAsked)
        return Step{State::kReleasing, Action::kBreakOffThenRemoveEveryHop};
      break;
    case State::kUndoing:
      if (event == Event::kAllRemoved) return Step{State::kGone, Action::kAnswerRefused};
      if (event == Event::kAllRemovedTryNext) return Step{State::kRouting, Action::kFindRoute};
      if (event == Event::kTimeout) return Step{State::kGone, Action::kOweThenAnswerRefused};
      if (event == Event::kTimeoutTryNext) return Step{State::kRouting, Action::kOweThenFindRoute};
      break;
    case State::kReleasing:
      if (event == Event::kAllRemoved) return Step{State::kGone, Action::kAnswerReleased};
      if (event == Event::kTimeout) return Step{State::kGone, Action::kOweThenAnswerReleased};
      break;
    case State::kGone: break;
  }
  return std::nullopt;
}

static_assert(!step(State::kConnected, Event::kAllCommitted));
static_assert(!step(State::kGone, Event::kTimeout));
static_assert(step(State::kCommitting, Event::kHopRefused)->next == State::kUndoing);

constexpr std::string_view to_string(State state) {
  switch (state) {
    case State::kRouting: return "routing";
    case State::kReserving: return "reserving";
    case State::kHeld: return "held";
    case State::kCommitting: return "committing";
    case State::kConnected: return "connected";
    case State::kSwitchingOver: return "switching over";
    case State::kLingering: return "lingering";
    case State::kModifying: return "modifying";
    case State::kLowering: return "lowering";
    case State::kRestoring: return "restoring";
    case State::kUndoing: return "undoing";
    case State::kReleasing: return "releasing";
    case State::kGone: return "gone";
  }
  return "unknown state";
}

constexpr std::string_view to_string(Event event) {
  switch (event) {
    case Event::kRouteKnown: return "route known";
    case Event::kRouteKnownLabelsAtHand: return "route known, labels at hand";
    case Event::kRouteUseless: return "route useless";
    case Event::kNoRoute: return "no route";
    case Event::kAllReserved: return "all reserved";
    case Event::kAllHeld: return "all held";
    case Event::kAllCommitted: return "all committed";
    case Event::kAllMade: return "all made";
    case Event::kAllTakenOver: return "all taken over";
    case Event::kAllTakenOverOldDown: return "all taken over, old path down";
    case Event::kHopRefused: return "hop refused";
    case Event::kCommitAsked: return "commit asked";
    case Event::kRaiseAsked: return "raise asked";
    case Event::kLowerAsked: return "lower asked";
    case Event::kAllRaised: return "all raised";
    case Event::kAllModified: return "all modified";
    case Event::kReleaseAsked: return "release asked";
    case Event::kTaken: return "taken";
    case Event::kReturned: return "returned";
    case Event::kAllRemoved: return "all removed";
    case Event::kAllRemovedTryNext: return "all removed, try next";
    case Event::kTimeout: return "timeout";
    case Event::kTimeoutTryNext: return "timeout, try next";
  }
  return "unknown event";
}

constexpr std::string_view to_string(Action action) {
  switch (action) {
    case Action::kFindRoute: return "find a route";
    case Action::kReserveHops: return "reserve hops";
    case Action::kCommitEveryHop: return "commit every hop";
    case Action::kAnswerConnected: return "answer connected";
    case Action::kAnswerHeld: return "answer held";
    case Action::kAnswerRefused: return "answer refused";
    case Action::kAnswerReleased: return "answer released";
    case Action::kRemoveEveryHop: return "remove every hop";
    case Action::kOweThenAnswerRefused: return "owe, answer refused";
    case Action::kOweThenAnswerReleased: return "owe, answer released";
    case Action::kOweThenFindRoute: return "owe, find a route";
    case Action::kRaiseEveryHop: return "raise every hop";
    case Action::kLowerEveryHop: return "lower every hop";
    case Action::kRestoreEveryHop: return "restore every hop";
    case Action::kAnswerModified: return "answer modified";
    case Action::kAnswerNotModified: return "answer not modified";
    case Action::kOweThenAnswerModified: return "owe, answer modified";
    case Action::kOweThenAnswerNotModified: return "owe, answer not modified";
    case Action::kBreakOffThenRemoveEveryHop: return "break off, remove every hop";
    case Action::kTakeOver: return "take over";
    case Action::kGoOver: return "go over to the new path";
    case Action::kGoOverThenRemoveEveryHop: return "go over, remove every old hop";
  }
  return "unknown action";
}

// How often each event came in each state.
using Occurrences = std::array<std::array<std::uint64_t, kEvents>, kStates>;

}  // namespace xbind::cmgr
