// The life of one connection, as a pure question with an answer.
//
//                  kRouteKnown            kAllReserved            kAllCommitted
//   ┌─────────┐ (labels missing)  ┌───────────┐      ┌────────────┐        ┌───────────┐
//   │ Routing ├──────────────────▶│ Reserving ├─────▶│ Committing ├───────▶│ Connected │
//   └────┬────┘                   └─────┬─────┘      └──▲──┬──────┘        └─────┬─────┘
//        │   kRouteKnownLabelsAtHand    │               │  │                    │ kReleaseAsked
//        ├──────────────────────────────┼───────────────┘  │                    ▼
//        │ kNoRoute                     │ kHopRefused      │ kHopRefused  ┌───────────┐
//        │                              │ kTimeout         │ kTimeout     │ Releasing │
//        ▼                              ▼                  ▼              └─────┬─────┘
//      (gone, refused)               ┌──────────────────────┐                   │ kAllRemoved
//                                    │       Undoing        │                   │ kTimeout (owed)
//                                    └──────────┬───────────┘                   ▼
//                                               │ kAllRemoved             (gone, released)
//                                               │ kTimeout (owed)
//                                               ▼
//                                         (gone, refused)
//
// A wait that can last has a named timer: Reserving and Committing the hop timer, Undoing and
// Releasing the undo timer, Routing the route timer (cmgr/config.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xbind::cmgr {

enum class State : std::uint8_t {
  kRouting,     // waits for RouteObject
  kReserving,   // phase one: waits for labels the cache did not have
  kCommitting,  // phase two: every hop is told at once
  kConnected,
  kUndoing,    // a hop refused or did not answer: the others are being removed
  kReleasing,  // the client asked for it
  kGone,       // answered and forgotten
};

enum class Event : std::uint8_t {
  kRouteKnown,              // the path is known, some label is missing
  kRouteKnownLabelsAtHand,  // the path is known, the caches had every label
  kNoRoute,
  kAllReserved,
  kAllCommitted,
  kHopRefused,
  kReleaseAsked,
  kAllRemoved,
  kTimeout,  // of the state's own timer
};

enum class Action : std::uint8_t {
  kReserveMissing,
  kCommitEveryHop,
  kAnswerConnected,
  kAnswerRefused,
  kAnswerReleased,
  kRemoveEveryHop,
  kOweThenAnswerRefused,  // hops that did not confirm become debts
  kOweThenAnswerReleased,
};

struct Step {
  State next;
  Action action;
};

// Pure. Nothing when `event` has no meaning in `state`: the caller counts it and does nothing.
constexpr std::optional<Step> step(State state, Event event) {
  switch (state) {
    case State::kRouting:
      if (event == Event::kRouteKnown) return Step{State::kReserving, Action::kReserveMissing};
      if (event == Event::kRouteKnownLabelsAtHand)
        return Step{State::kCommitting, Action::kCommitEveryHop};
      if (event == Event::kNoRoute || event == Event::kTimeout)
        return Step{State::kGone, Action::kAnswerRefused};
      break;
    case State::kReserving:
      if (event == Event::kAllReserved) return Step{State::kCommitting, Action::kCommitEveryHop};
      if (event == Event::kHopRefused || event == Event::kTimeout)
        return Step{State::kUndoing, Action::kRemoveEveryHop};
      break;
    case State::kCommitting:
      if (event == Event::kAllCommitted) return Step{State::kConnected, Action::kAnswerConnected};
      if (event == Event::kHopRefused || event == Event::kTimeout)
        return Step{State::kUndoing, Action::kRemoveEveryHop};
      break;
    case State::kConnected:
      if (event == Event::kReleaseAsked) return Step{State::kReleasing, Action::kRemoveEveryHop};
      break;
    case State::kUndoing:
      if (event == Event::kAllRemoved) return Step{State::kGone, Action::kAnswerRefused};
      if (event == Event::kTimeout) return Step{State::kGone, Action::kOweThenAnswerRefused};
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
    case State::kCommitting: return "committing";
    case State::kConnected: return "connected";
    case State::kUndoing: return "undoing";
    case State::kReleasing: return "releasing";
    case State::kGone: return "gone";
  }
  return "unknown state";
}

}  // namespace xbind::cmgr
