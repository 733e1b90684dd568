// The setup of a call: the pure table that Setup (setup.hpp) performs.
//
//       kRouteUseless
//         ┌────┐          kRouteKnown ┌───────────┐ kAllReserved
//         ▼    │        ┌────────────▶│ Reserving ├───────────┐
//     ┌────────┴┐       │             └─────┬─────┘           ▼
//     │ Routing ├───────┤                   │          ┌────────────┐ kAllCommitted
//     └─▲──┬────┘       └───────────────────┼─────────▶│ Committing ├──────────────▶ connected
//       │  │ kNoRoute      kRouteKnown-     │          └─────┬──────┘
//       │  │ kTimeout      LabelsAtHand     │ kHopRefused    │ kHopRefused
//       │  ▼                                ▼ kTimeout       ▼ kTimeout
//       │ refused                        ┌────────────────────┐ kAllRemoved
//       └────────────────────────────────┤      Undoing       ├─────────────▶ refused
//              kAllRemovedTryNext        └────────────────────┘ kTimeout (owed)
//              kTimeoutTryNext (owed)
//
// Crankback: when another route may avoid the element that refused, Undoing leads to Routing again
// (bounded by Config::crankbacks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cmgr/procedures/events.hpp"

namespace xbind::cmgr {

struct SetupFsm {
  static constexpr std::string_view kName = "setup";

  enum class State : std::uint8_t {
    kRouting,     // waits for RouteObject
    kReserving,   // phase one: waits for labels that the caches did not have
    kCommitting,  // phase two: all hops are committed at once
    kUndoing,     // a hop refused or did not answer: the others are being removed
    kOver,        // answered: connected, or refused and forgotten
  };
  static constexpr std::size_t kStates = static_cast<std::size_t>(State::kOver) + 1;

  enum class Action : std::uint8_t {
    kFindRoute,
    kReserveHops,
    kCommitHops,
    kConnect,
    kRefuse,
    kRemoveHops,
    kOweThenRefuse,  // hops that did not confirm their removal become debts
    kOweThenFindRoute,
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
      case State::kRouting:
        if (event == Event::kRouteKnown) return Step{State::kReserving, Action::kReserveHops};
        if (event == Event::kRouteKnownLabelsAtHand)
          return Step{State::kCommitting, Action::kCommitHops};
        if (event == Event::kRouteUseless) return Step{State::kRouting, Action::kFindRoute};
        if (event == Event::kNoRoute || event == Event::kTimeout)
          return Step{State::kOver, Action::kRefuse};
        break;
      case State::kReserving:
        if (event == Event::kAllReserved) return Step{State::kCommitting, Action::kCommitHops};
        if (event == Event::kHopRefused || event == Event::kTimeout)
          return Step{State::kUndoing, Action::kRemoveHops};
        break;
      case State::kCommitting:
        if (event == Event::kAllCommitted) return Step{State::kOver, Action::kConnect};
        if (event == Event::kHopRefused || event == Event::kTimeout)
          return Step{State::kUndoing, Action::kRemoveHops};
        break;
      case State::kUndoing:
        if (event == Event::kAllRemoved) return Step{State::kOver, Action::kRefuse};
        if (event == Event::kAllRemovedTryNext) return Step{State::kRouting, Action::kFindRoute};
        if (event == Event::kTimeout) return Step{State::kOver, Action::kOweThenRefuse};
        if (event == Event::kTimeoutTryNext)
          return Step{State::kRouting, Action::kOweThenFindRoute};
        break;
      case State::kOver: break;
    }
    return std::nullopt;
  }

  // The timer that guards the state.
  static constexpr Timer timer(State state) {
    switch (state) {
      case State::kRouting: return Timer::kRoute;
      case State::kReserving: return Timer::kHop;
      case State::kCommitting: return Timer::kHop;
      case State::kUndoing: return Timer::kUndo;
      case State::kOver: return Timer::kNone;
    }
    return Timer::kNone;
  }

  static constexpr std::string_view name(State state) {
    switch (state) {
      case State::kRouting: return "routing";
      case State::kReserving: return "reserving";
      case State::kCommitting: return "committing";
      case State::kUndoing: return "undoing";
      case State::kOver: return "over";
    }
    return "unknown state";
  }
  static constexpr std::string_view name(Action action) {
    switch (action) {
      case Action::kFindRoute: return "find route";
      case Action::kReserveHops: return "reserve hops";
      case Action::kCommitHops: return "commit hops";
      case Action::kConnect: return "connect";
      case Action::kRefuse: return "refuse";
      case Action::kRemoveHops: return "remove hops";
      case Action::kOweThenRefuse: return "owe then refuse";
      case Action::kOweThenFindRoute: return "owe then find route";
    }
    return "unknown action";
  }
};

static_assert(!SetupFsm::step(SetupFsm::State::kOver, Event::kTimeout));
static_assert(SetupFsm::step(SetupFsm::State::kCommitting, Event::kHopRefused)->next ==
              SetupFsm::State::kUndoing);

}  // namespace xbind::cmgr
