// Changes the contract of a connection that is up: the pure table that Modify (modify.hpp)
// performs.
//
//                         kLowerAsked
//         ┌───────────────────────────────────────────┐
//         │                                           ▼
//     ┌───┴───┐ kRaiseAsked ┌─────────┐ kAllRaised ┌──────────┐ kAllModified
//     │ Asked ├────────────▶│ Raising ├───────────▶│ Lowering ├───────────────▶ modified
//     └───────┘             └─┬─────┬─┘            └──────────┘ kTimeout (owed)
//                 kHopRefused │     │ kAllModified
//                 kTimeout    │     └─────────────────────────────────────────▶ modified
//                             ▼
//                       ┌───────────┐ kAllModified
//                       │ Restoring ├─────────────────────────────────────────▶ refused
//                       └───────────┘ kTimeout (owed)
//
// A change has two steps, so that undoing it cannot be refused. First every hop gets the greater of
// old and new in each component (Raising), then the new contract (Lowering). When a hop refuses the
// first step the old contract is put back (Restoring), which needs no more than was reserved
// before. kReleaseAsked breaks off every state: the client gets the refusal "being released".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cmgr/procedures/events.hpp"

namespace xbind::cmgr {

struct ModifyFsm {
  static constexpr std::string_view kName = "modify";

  enum class State : std::uint8_t {
    kAsked,      // not begun
    kRaising,    // every hop reserves the greater of the old and the new contract
    kLowering,   // every hop gets the new contract, which is nowhere greater
    kRestoring,  // a hop refused: the others get the old contract back
    kOver,       // answered
  };
  static constexpr std::size_t kStates = static_cast<std::size_t>(State::kOver) + 1;

  enum class Action : std::uint8_t {
    kRaiseHops,
    kLowerHops,
    kRestoreHops,
    kAnswerModified,
    kAnswerNotModified,
    kOweThenAnswerModified,  // owed changes are repeated until they are confirmed
    kOweThenAnswerNotModified,
    kBreakOff,
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
        if (event == Event::kRaiseAsked) return Step{State::kRaising, Action::kRaiseHops};
        if (event == Event::kLowerAsked) return Step{State::kLowering, Action::kLowerHops};
        break;
      case State::kRaising:
        if (event == Event::kAllModified) return Step{State::kOver, Action::kAnswerModified};
        if (event == Event::kAllRaised) return Step{State::kLowering, Action::kLowerHops};
        if (event == Event::kHopRefused || event == Event::kTimeout)
          return Step{State::kRestoring, Action::kRestoreHops};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kBreakOff};
        break;
      case State::kLowering:
        if (event == Event::kAllModified) return Step{State::kOver, Action::kAnswerModified};
        if (event == Event::kTimeout) return Step{State::kOver, Action::kOweThenAnswerModified};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kBreakOff};
        break;
      case State::kRestoring:
        if (event == Event::kAllModified) return Step{State::kOver, Action::kAnswerNotModified};
        if (event == Event::kTimeout) return Step{State::kOver, Action::kOweThenAnswerNotModified};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kBreakOff};
        break;
      case State::kOver: break;
    }
    return std::nullopt;
  }

  // The timer that guards the state.
  static constexpr Timer timer(State state) {
    switch (state) {
      case State::kAsked: return Timer::kNone;
      case State::kRaising: return Timer::kHop;
      case State::kLowering: return Timer::kHop;
      case State::kRestoring: return Timer::kHop;
      case State::kOver: return Timer::kNone;
    }
    return Timer::kNone;
  }

  static constexpr std::string_view name(State state) {
    switch (state) {
      case State::kAsked: return "asked";
      case State::kRaising: return "raising";
      case State::kLowering: return "lowering";
      case State::kRestoring: return "restoring";
      case State::kOver: return "over";
    }
    return "unknown state";
  }
  static constexpr std::string_view name(Action action) {
    switch (action) {
      case Action::kRaiseHops: return "raise hops";
      case Action::kLowerHops: return "lower hops";
      case Action::kRestoreHops: return "restore hops";
      case Action::kAnswerModified: return "answer modified";
      case Action::kAnswerNotModified: return "answer not modified";
      case Action::kOweThenAnswerModified: return "owe then answer modified";
      case Action::kOweThenAnswerNotModified: return "owe then answer not modified";
      case Action::kBreakOff: return "break off";
    }
    return "unknown action";
  }
};

static_assert(!ModifyFsm::step(ModifyFsm::State::kLowering, Event::kHopRefused));

}  // namespace xbind::cmgr
