// Moves a connection that is up to another path (make before break): the pure table that Reroute
// (reroute.hpp) performs. path_change.hpp relates each hop of the new path to the old one.
//
// The new path is set up:
//
//       kRouteUseless
//         ┌────┐       kRouteKnown ┌───────────┐ kAllReserved
//         ▼    │     ┌────────────▶│ Reserving ├──────────┐
//     ┌────────┴┐    │             └─────┬─────┘          ▼
//     │ Routing ├────┤                   │           ┌────────┐ kAllCommitted
//     └─▲──┬────┘    └───────────────────┼──────────▶│ Making ├──────────────▶ SwitchingOver
//       │  │ kNoRoute   kRouteKnown-     │           └───┬────┘
//       │  │ kTimeout   LabelsAtHand     │ kHopRefused   │ kHopRefused
//       │  ▼                             ▼ kTimeout      ▼ kTimeout
//       │ given up                     ┌───────────────────┐ kAllRemoved
//       └──────────────────────────────┤      Undoing      ├──────────────▶ given up
//           kAllRemovedTryNext         └───────────────────┘ kTimeout (owed)
//           kTimeoutTryNext (owed)
//
// The connection goes over to it:
//
//     ┌───────────────┐ kAllTakenOver ┌───────────┐ kTimeout ┌─────────────┐ kAllRemoved
//     │ SwitchingOver ├──────────────▶│ Lingering ├─────────▶│ RemovingOld ├──────────────▶ done
//     └──┬─────────┬──┘               └───────────┘          └──────▲──────┘ kTimeout (owed)
//        │         │ kAllTakenOverOldDown                           │
//        │         └────────────────────────────────────────────────┘
//        │ kHopRefused
//        ▼ kTimeout
//     ┌─────────────┐ kAllRemoved
//     │ LeadingBack ├────────────▶ Undoing
//     └──▲───┬──────┘
//        └───┘ kSomeNotRemoved, kTimeout
//
// Making commits the new hops except those that take over from an old one; SwitchingOver commits
// these. From Lingering on the procedure owns the old path's hops. They stay for a moment, for the
// cells in transit there, unless that path is down.
//
// When a take-over fails, the hops that may have taken over are removed first (LeadingBack), so
// that cells return to the old path before the new one is removed. It is unknown where a switch
// that cannot be reached sends the cells: until it has confirmed, the whole new path stays.
//
// kReleaseAsked ends every state: the hops are removed with the others of the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cmgr/procedures/events.hpp"

namespace xbind::cmgr {

struct RerouteFsm {
  static constexpr std::string_view kName = "re-route";

  enum class State : std::uint8_t {
    kRouting,        // waits for RouteObject
    kReserving,      // phase one: waits for labels that the caches did not have
    kMaking,         // the hops that do not take over are being committed
    kSwitchingOver,  // the hops where the new path leaves the old one are being committed
    kLingering,      // cells take the new path; the old one stays for a moment
    kLeadingBack,    // hops that took over are being removed before the others
    kUndoing,        // the new hops are being removed
    kRemovingOld,    // the old hops are being removed
    kOver,
  };
  static constexpr std::size_t kStates = static_cast<std::size_t>(State::kOver) + 1;

  enum class Action : std::uint8_t {
    kFindRoute,
    kReserveHops,
    kCommitHops,
    kTakeOver,
    kGoOver,  // the new hops become the connection's, the procedure gets the old ones
    kGoOverThenRemoveHops,
    kLeadBack,
    kWait,
    kLeadBackAgain,
    kGiveUp,
    kRemoveHops,
    kOweThenGiveUp,  // hops that did not confirm their removal become debts
    kOweThenFindRoute,
    kFinish,
    kOweThenFinish,
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
      case State::kRouting:
        if (event == Event::kRouteKnown) return Step{State::kReserving, Action::kReserveHops};
        if (event == Event::kRouteKnownLabelsAtHand)
          return Step{State::kMaking, Action::kCommitHops};
        if (event == Event::kRouteUseless) return Step{State::kRouting, Action::kFindRoute};
        if (event == Event::kNoRoute || event == Event::kTimeout)
          return Step{State::kOver, Action::kGiveUp};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kReserving:
        if (event == Event::kAllReserved) return Step{State::kMaking, Action::kCommitHops};
        if (event == Event::kHopRefused || event == Event::kTimeout)
          return Step{State::kUndoing, Action::kRemoveHops};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kMaking:
        if (event == Event::kAllCommitted) return Step{State::kSwitchingOver, Action::kTakeOver};
        if (event == Event::kHopRefused || event == Event::kTimeout)
          return Step{State::kUndoing, Action::kRemoveHops};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kSwitchingOver:
        if (event == Event::kAllTakenOver) return Step{State::kLingering, Action::kGoOver};
        if (event == Event::kAllTakenOverOldDown)
          return Step{State::kRemovingOld, Action::kGoOverThenRemoveHops};
        if (event == Event::kHopRefused || event == Event::kTimeout)
          return Step{State::kLeadingBack, Action::kLeadBack};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kLingering:
        if (event == Event::kTimeout) return Step{State::kRemovingOld, Action::kRemoveHops};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kLeadingBack:
        if (event == Event::kAllRemoved) return Step{State::kUndoing, Action::kRemoveHops};
        if (event == Event::kSomeNotRemoved) return Step{State::kLeadingBack, Action::kWait};
        if (event == Event::kTimeout) return Step{State::kLeadingBack, Action::kLeadBackAgain};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kUndoing:
        if (event == Event::kAllRemoved) return Step{State::kOver, Action::kGiveUp};
        if (event == Event::kAllRemovedTryNext) return Step{State::kRouting, Action::kFindRoute};
        if (event == Event::kTimeout) return Step{State::kOver, Action::kOweThenGiveUp};
        if (event == Event::kTimeoutTryNext)
          return Step{State::kRouting, Action::kOweThenFindRoute};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
        break;
      case State::kRemovingOld:
        if (event == Event::kAllRemoved) return Step{State::kOver, Action::kFinish};
        if (event == Event::kTimeout) return Step{State::kOver, Action::kOweThenFinish};
        if (event == Event::kReleaseAsked) return Step{State::kOver, Action::kFold};
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
      case State::kMaking: return Timer::kHop;
      case State::kSwitchingOver: return Timer::kHop;
      case State::kLingering: return Timer::kBreak;
      case State::kLeadingBack: return Timer::kUndo;
      case State::kUndoing: return Timer::kUndo;
      case State::kRemovingOld: return Timer::kUndo;
      case State::kOver: return Timer::kNone;
    }
    return Timer::kNone;
  }

  static constexpr std::string_view name(State state) {
    switch (state) {
      case State::kRouting: return "routing";
      case State::kReserving: return "reserving";
      case State::kMaking: return "making";
      case State::kSwitchingOver: return "switching over";
      case State::kLingering: return "lingering";
      case State::kLeadingBack: return "leading back";
      case State::kUndoing: return "undoing";
      case State::kRemovingOld: return "removing old";
      case State::kOver: return "over";
    }
    return "unknown state";
  }
  static constexpr std::string_view name(Action action) {
    switch (action) {
      case Action::kFindRoute: return "find route";
      case Action::kReserveHops: return "reserve hops";
      case Action::kCommitHops: return "commit hops";
      case Action::kTakeOver: return "take over";
      case Action::kGoOver: return "go over";
      case Action::kGoOverThenRemoveHops: return "go over then remove hops";
      case Action::kLeadBack: return "lead back";
      case Action::kWait: return "wait";
      case Action::kLeadBackAgain: return "lead back again";
      case Action::kGiveUp: return "give up";
      case Action::kRemoveHops: return "remove hops";
      case Action::kOweThenGiveUp: return "owe then give up";
      case Action::kOweThenFindRoute: return "owe then find route";
      case Action::kFinish: return "finish";
      case Action::kOweThenFinish: return "owe then finish";
      case Action::kFold: return "fold";
    }
    return "unknown action";
  }
};

static_assert(!RerouteFsm::step(RerouteFsm::State::kMaking, Event::kAllTakenOver));

}  // namespace xbind::cmgr
