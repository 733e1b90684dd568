// Adds a destination to a connection that is up, or drops one: the pure table that Leaf (leaf.hpp)
// performs.
//
//       kRouteUseless
//         ┌────┐          kRouteKnown ┌───────────┐ kAllReserved
//         ▼    │        ┌────────────▶│ Reserving ├───────────┐
//     ┌────────┴┐       │             └─────┬─────┘           ▼
//     │ Routing ├───────┤                   │          ┌────────────┐ kAllCommitted
//     └─▲──┬────┘       └───────────────────┼─────────▶│ Committing ├──────────────▶ joined
//       │  │ kNoRoute      kRouteKnown-     │          └─────┬──────┘
//       │  │ kTimeout      LabelsAtHand     │ kHopRefused    │ kHopRefused
//       │  ▼                                ▼ kTimeout       ▼ kTimeout
//       │ refused                        ┌────────────────────┐ kAllRemoved
//       └────────────────────────────────┤      Undoing       ├─────────────▶ refused
//              kAllRemovedTryNext        └────────────────────┘ kTimeout (owed)
//              kTimeoutTryNext (owed)
//
//     ┌────────┐ kDropAsked ┌──────────┐ kAllRemoved, kTimeout (owed)
//     │ Asked  ├───────────▶│ Dropping ├─────────────────────────────▶ dropped
//     └────────┘            └──────────┘
//
// kReleaseAsked ends every state but Over: the leaf's hops are removed with the others of the
// connection, and its client gets the refusal "being released".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cmgr/procedures/events.hpp"

namespace xbind::cmgr {

struct LeafFsm {
  static constexpr std::string_view kName = "leaf";

  enum class State : std::uint8_t {
    kAsked,       // to be dropped; not begun
    kRouting,     // waits for RouteObject
    kReserving,   // phase one: waits for labels that the caches did not have
    kCommitting,  // phase two: all hops of the leaf are committed at once
    kUndoing,     // a hop refused or did not answer: the others are being removed
    kDropping,    // all hops of the leaf are being removed
    kOver,        // answered
  };
  static constexpr std::size_t kStates = static_cast<std::size_t>(State::kOver) + 1;

  enum class Action : std::uint8_t {
    kFindRoute,
    kReserveHops,
    kCommitHops,
    kJoin,  // the hops become part of the connection
    kRefuse,
    kRemoveHops,
    kOweThenRefuse,  // hops that did not confirm their removal become debts
    kOweThenFindRoute,
    kAnswerDropped,
    kOweThenAnswerDropped,
    kFold,  // the hops return to the connection, to be removed with the others
  };

  struct Step {
    State next;
    Action action;

    friend bool operator==(const Step&, const Step&) = default;
  };

  // Pure. Returns nullopt when `event` has no meaning in `state`: the caller counts it and does
  // nothing.
  static constexpr std::optional<Step> step(State state, Event event) {
    switch (state) {
      case State::kAsked:
        if (event == Event::kDropAsked) return Step{State::kDropping, Action::kRemoveHops};
        break;
      case State::kRouting:
        if (event == Event::kRouteKnown) return Step{State::kReserving, Action::kReserveHops};
        if (event == Event::kRouteKnownLabelsAtHand)
          return Step{State::kCommitting, Action::kCommitHops};
        if (event == Event::kRouteUseless) return Step{State::kRouting, Action::kFindRoute};
        if (event == Event::kNoRoute || event == Event::kTimeout)
          return Step{State::kOver, Action::kRefuse};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kReserving:
        if (event == Event::kAllReserved) return Step{State::kCommitting, Action::kCommitHops};
        if (event == Event::kHopRefused || event == Event::kTimeout)
          return Step{State::kUndoing, Action::kRemoveHops};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kCommitting:
        if (event == Event::kAllCommitted) return Step{State::kOver, Action::kJoin};
        if (event == Event::kHopRefused || event == Event::kTimeout)
          return Step{State::kUndoing, Action::kRemoveHops};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kUndoing:
        if (event == Event::kAllRemoved) return Step{State::kOver, Action::kRefuse};
        if (event == Event::kAllRemovedTryNext) return Step{State::kRouting, Action::kFindRoute};
        if (event == Event::kTimeout) return Step{State::kOver, Action::kOweThenRefuse};
        if (event == Event::kTimeoutTryNext)
          return Step{State::kRouting, Action::kOweThenFindRoute};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kDropping:
        if (event == Event::kAllRemoved) return Step{State::kOver, Action::kAnswerDropped};
        if (event == Event::kTimeout) return Step{State::kOver, Action::kOweThenAnswerDropped};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kOver: break;
    }
    return std::nullopt;
  }

  // The timer that guards the state.
  static constexpr Timer timer(State state) {
    switch (state) {
      case State::kAsked: return Timer::kNone;
      case State::kRouting: return Timer::kRoute;
      case State::kReserving: return Timer::kHop;
      case State::kCommitting: return Timer::kHop;
      case State::kUndoing: return Timer::kUndo;
      case State::kDropping: return Timer::kUndo;
      case State::kOver: return Timer::kNone;
    }
    return Timer::kNone;
  }

  static constexpr std::string_view name(State state) {
    switch (state) {
      case State::kAsked: return "asked";
      case State::kRouting: return "routing";
      case State::kReserving: return "reserving";
      case State::kCommitting: return "committing";
      case State::kUndoing: return "undoing";
      case State::kDropping: return "dropping";
      case State::kOver: return "over";
    }
    return "unknown state";
  }
  static constexpr std::string_view name(Action action) {
    switch (action) {
      case Action::kFindRoute: return "find route";
      case Action::kReserveHops: return "reserve hops";
      case Action::kCommitHops: return "commit hops";
      case Action::kJoin: return "join";
      case Action::kRefuse: return "refuse";
      case Action::kRemoveHops: return "remove hops";
      case Action::kOweThenRefuse: return "owe then refuse";
      case Action::kOweThenFindRoute: return "owe then find route";
      case Action::kAnswerDropped: return "answer dropped";
      case Action::kOweThenAnswerDropped: return "owe then answer dropped";
      case Action::kFold: return "fold";
    }
    return "unknown action";
  }
};

static_assert(!LeafFsm::step(LeafFsm::State::kRouting, Event::kDropAsked));

}  // namespace xbind::cmgr
