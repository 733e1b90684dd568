// The release of a connection: the pure table that Release (release.hpp) performs.
//
//     ┌──────────┐ kAllRemoved
//     │ Removing ├───────────────────▶ released
//     └──────────┘ kTimeout (owed)
//
// A release is never refused: an unconfirmed removal becomes a debt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cmgr/procedures/events.hpp"

namespace xbind::cmgr {

struct ReleaseFsm {
  static constexpr std::string_view kName = "release";

  enum class State : std::uint8_t {
    kRemoving,  // all hops are being removed
    kOver,      // answered and forgotten
  };
  static constexpr std::size_t kStates = static_cast<std::size_t>(State::kOver) + 1;

  enum class Action : std::uint8_t {
    kAnswerReleased,
    kOweThenAnswerReleased,  // hops that did not confirm their removal become debts
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
      case State::kRemoving:
        if (event == Event::kAllRemoved) return Step{State::kOver, Action::kAnswerReleased};
        if (event == Event::kTimeout) return Step{State::kOver, Action::kOweThenAnswerReleased};
        break;
      case State::kOver: break;
    }
    return std::nullopt;
  }

  // The timer that guards the state.
  static constexpr Timer timer(State state) {
    switch (state) {
      case State::kRemoving: return Timer::kUndo;
      case State::kOver: return Timer::kNone;
    }
    return Timer::kNone;
  }

  static constexpr std::string_view name(State state) {
    switch (state) {
      case State::kRemoving: return "removing";
      case State::kOver: return "over";
    }
    return "unknown state";
  }
  static constexpr std::string_view name(Action action) {
    switch (action) {
      case Action::kAnswerReleased: return "answer released";
      case Action::kOweThenAnswerReleased: return "owe then answer released";
    }
    return "unknown action";
  }
};

static_assert(!ReleaseFsm::step(ReleaseFsm::State::kOver, Event::kTimeout));

}  // namespace xbind::cmgr
