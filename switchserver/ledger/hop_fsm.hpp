// A hop at its switch: the pure table of what is asked of the switch for it, and of what the
// switch's answers mean. The ledger keeps the state (HopRecord), the controller performs the
// actions.
//
//                 commit, take over        added
//     ┌──────────┐            ┌────────┐          ┌─────┐
//     │ reserved ├───────────▶│ adding ├─────────▶│ set │◀──────────────┐ added
//     └────┬─────┘            └─┬────┬─┘          └┬──┬─┘               │
//          │ forgotten          │    │ refused     │  │ send, change ┌──┴──────┐
//          ▼                    │    ▼             │  └─────────────▶│ sending │
//        gone                   │  gone            │                 └──┬──────┘
//                               │                  │ removal asked      │ removal asked
//               removal asked   ▼                  ▼                    │
//            ┌────────────────────┐  add      ┌─────────┐               │
//            │ leaving, add open  ├──────────▶│ leaving │               │
//            └─┬──────────────▲───┘  answered └─┬─────▲─┘               │
//              │ delete, back │                 │     │ delete failed   │
//              ▼              └─────────────────┼─────┼─────────────────┘
//            ┌────────────────────┐  add        ▼     │
//            │ deleting, add open ├──────────▶┌───────┴──┐ deleted
//            └─┬──────────────────┘  answered │ deleting ├────────────▶ gone
//              │ deleted, absent              └──────────┘
//              ▼
//            ┌────────────────────┐  add answered
//            │ deleted, add open  ├───────────────────────▶ gone
//            └────────────────────┘
//
// *stale* instead of *set*: the switch may lack the cross-connect, or have another contract. A hop
// becomes stale by what could not be sent to the switch (kNotSent), and by an add that was not
// confirmed. It is sent again when that is possible.
//
// The switch is asked in order, and may answer an add and the delete sent behind it in either
// order. A delete "absent" deleted nothing: then the hop below, from which this one took over, was
// lost as well, and is put back once this one has gone.
//
// Whether a hop stands above or below is no state here (hop_stacks.hpp). It chooses the event.
// Below others nothing is sent for a hop, and it is forgotten where a live one would be removed.
// Above an earlier one it takes over where one without it is committed, and moves the cross-connect
// back where one without it deletes. A later generation may be claimed at any time, so a hop may be
// forgotten in every state: the switch's answer then finds no hop.
//
// Whether a claimed hop has been compared with the switch's table is a machine of its own
// (HopClaim): a claim makes it, the comparison ends it, and each of the two happens whatever the
// state here is. No pair of the two is impossible, but these: a claim begins only in the states
// that claimed() returns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/audit.hpp"

namespace xbind {

// The end of a claim: see above.
enum class HopClaim : std::uint8_t {
  kCompared,  // or never claimed
  kAwaited,   // claimed, and not yet compared with the switch's table
};

struct HopFsm {
  static constexpr std::string_view kName = "hop at its switch";

  enum class State : std::uint8_t {
    kReserved,        // the switch knows nothing of it
    kAdding,          // the first add, or the move from the hop below, is open
    kAddingStale,     // the same, and the contract has changed since
    kSet,             // the switch has confirmed it as it is, or has confirmed a hop above
    kStale,           // committed; the switch may lack it or have another contract
    kSending,         // committed; an add of what the switch should have already is open
    kSendingStale,    // the same; it was stale before, and is if the add changes nothing
    kChanging,        // committed; an add with another contract is open
    kChangingStale,   // the same; it was stale before
    kLeaving,         // to be removed; nothing is open: it waits, or the switch has refused
    kLeavingAdding,   // to be removed; an add is open, and no delete
    kDeleting,        // a delete, or the move back to the hop below, is open
    kDeletingAdding,  // the same, and the add sent before it
    kDeletedAdding,   // the delete was answered first; the add sent before it is open
    kAbsentAdding,    // the same; the delete found nothing
    kGone,            // the record ends
  };
  static constexpr std::size_t kStates = static_cast<std::size_t>(State::kGone) + 1;

  enum class Event : std::uint8_t {
    // The ledger has taken a command.
    kCommit,        // a setup or the commit of a reservation
    kTakeOver,      // the same; it takes over from the hop below
    kNotSent,       // a change that cannot be sent now, or a port that began anew
    kSendAgain,     // the switch is to get again what it should have
    kChange,        // the switch is to get another contract
    kQueued,        // a modify came while an add was being sent again
    kRemovalAsked,  // of a live hop, or one that waits for those above
    kForgotten,  // gone without the switch: a reservation, a superseded hop, one not in the table
    kDelete,     // the removal can be sent
    kMoveBack,   // the same; the hop below gets the cross-connect back
    // The switch's answers.
    kAdded,
    kAddRefused,     // nothing has changed
    kAddUnanswered,  // in time; or an answer that does not say what the switch has now
    kAddLost,        // the switch has gone away
    kChangeUndone,   // it refused a contract of more: the earlier one stands
    kAddAgain,       // the driver wants the add once more
    kDeleted,
    kDeletedNothing,  // it was absent
    kDeleteFailed,    // refused, unanswered, or the switch has gone away
    kDeleteAgain,     // the driver wants the delete once more
  };
  static constexpr std::size_t kEvents = static_cast<std::size_t>(Event::kDeleteAgain) + 1;

  enum class Action : std::uint8_t {
    kNothing,
    kSendAdd,
    kSendMove,  // from the hop below, or from where the switch has the cross-connect
    kSendDelete,
    kSendMoveBack,
    kConnect,         // answer "committed"; a removal below may go on
    kConnectAndSend,  // the same, then send what has changed
    kUndo,            // answer the refusal; labels and bandwidth return; the hop below is live
    kCleanUp,         // answer that it failed, and delete what the switch may have
    kOweRemoval,      // answer that it failed; deleted when the switch is back
    kNoteSent,        // a removal below may go on
    kNoteNotSent,     // the same, and count it
    kAnswerAdd,       // answer what waits for the commit; the removal is under way
    kEnd,             // answer "removed"; the hop below may be live again
    kEndAndRestore,   // the same; the hop below is put back
    kRefuseRemoval,   // answer that the removal failed, also below
  };

  struct Step {
    State next;
    Action action;

    friend bool operator==(const Step&, const Step&) = default;
  };

  // Pure. nullopt: the pair cannot occur.
  static constexpr std::optional<Step> step(State state, Event event) {
    if (event == Event::kForgotten && state != State::kGone) {
      return Step{State::kGone, state == State::kLeaving ? Action::kEnd : Action::kNothing};
    }
    switch (state) {
      case State::kReserved:
        if (event == Event::kCommit) return Step{State::kAdding, Action::kSendAdd};
        if (event == Event::kTakeOver) return Step{State::kAdding, Action::kSendMove};
        break;
      case State::kAdding:
        if (event == Event::kNotSent) return Step{State::kAddingStale, Action::kNothing};
        if (event == Event::kAdded) return Step{State::kSet, Action::kConnect};
        return not_added(state, event);
      case State::kAddingStale:
        if (event == Event::kNotSent) return Step{state, Action::kNothing};
        if (event == Event::kAdded) return Step{State::kStale, Action::kConnectAndSend};
        return not_added(state, event);
      case State::kSet:
        if (event == Event::kSendAgain) return Step{State::kSending, Action::kSendAdd};
        if (event == Event::kChange) return Step{State::kChanging, Action::kSendAdd};
        return at_rest(event);
      case State::kStale:
        if (event == Event::kSendAgain) return Step{State::kSendingStale, Action::kSendAdd};
        if (event == Event::kChange) return Step{State::kChangingStale, Action::kSendAdd};
        return at_rest(event);
      case State::kSending:
        if (event == Event::kQueued) return Step{State::kChanging, Action::kNothing};
        return sent(state, event);
      case State::kSendingStale:
        if (event == Event::kQueued) return Step{State::kChangingStale, Action::kNothing};
        return sent(state, event);
      case State::kChanging:
        if (event == Event::kChangeUndone) return Step{State::kSet, Action::kNoteSent};
        return sent(state, event);
      case State::kChangingStale:
        if (event == Event::kChangeUndone) return Step{State::kStale, Action::kNoteSent};
        return sent(state, event);
      case State::kLeaving:
        if (event == Event::kRemovalAsked) return Step{state, Action::kNothing};
        if (event == Event::kDelete) return Step{State::kDeleting, Action::kSendDelete};
        if (event == Event::kMoveBack) return Step{State::kDeleting, Action::kSendMoveBack};
        break;
      case State::kLeavingAdding:
        if (event == Event::kRemovalAsked) return Step{state, Action::kNothing};
        if (event == Event::kDelete) return Step{State::kDeletingAdding, Action::kSendDelete};
        if (event == Event::kMoveBack) return Step{State::kDeletingAdding, Action::kSendMoveBack};
        if (answers_add(event)) return Step{State::kLeaving, Action::kAnswerAdd};
        break;
      case State::kDeleting:
        if (event == Event::kDeleted) return Step{State::kGone, Action::kEnd};
        if (event == Event::kDeletedNothing) return Step{State::kGone, Action::kEndAndRestore};
        if (event == Event::kDeleteFailed) return Step{State::kLeaving, Action::kRefuseRemoval};
        return delete_open(state, event);
      case State::kDeletingAdding:
        if (event == Event::kDeleted) return Step{State::kDeletedAdding, Action::kNothing};
        if (event == Event::kDeletedNothing) return Step{State::kAbsentAdding, Action::kNothing};
        if (event == Event::kDeleteFailed)
          return Step{State::kLeavingAdding, Action::kRefuseRemoval};
        if (answers_add(event)) return Step{State::kDeleting, Action::kAnswerAdd};
        return delete_open(state, event);
      case State::kDeletedAdding: return deleted_first(state, event, Action::kEnd);
      case State::kAbsentAdding: return deleted_first(state, event, Action::kEndAndRestore);
      case State::kGone: break;
    }
    return std::nullopt;
  }

  // The state as managers see it (idl/switch_server.idl).
  static constexpr HopStage stage(State state) {
    switch (state) {
      case State::kReserved: return HopStage::kReserved;
      case State::kAdding:
      case State::kAddingStale: return HopStage::kCommitting;
      case State::kSet:
      case State::kStale:
      case State::kSending:
      case State::kSendingStale:
      case State::kChanging:
      case State::kChangingStale: return HopStage::kCommitted;
      case State::kLeaving:
      case State::kLeavingAdding:
      case State::kDeleting:
      case State::kDeletingAdding:
      case State::kDeletedAdding:
      case State::kAbsentAdding:
      case State::kGone: return HopStage::kRemoving;
    }
    return HopStage::kRemoving;
  }
  // Where a claimed hop begins; a manager claims none that is being committed. `settled`: the
  // manager knows the contract in the switch.
  static constexpr State claimed(HopStage stage, bool settled) {
    if (stage == HopStage::kReserved) return State::kReserved;
    if (stage == HopStage::kRemoving) return State::kLeaving;
    return settled ? State::kSet : State::kStale;
  }

  static constexpr bool add_open(State state) {
    return state == State::kAdding || state == State::kAddingStale || being_sent(state) ||
           state == State::kLeavingAdding || state == State::kDeletingAdding ||
           state == State::kDeletedAdding || state == State::kAbsentAdding;
  }
  static constexpr bool delete_open(State state) {
    return state == State::kDeleting || state == State::kDeletingAdding;
  }
  // A removal that no delete is open for, or has been.
  static constexpr bool delete_due(State state) {
    return state == State::kLeaving || state == State::kLeavingAdding;
  }
  // Committed, and the switch is being sent an add.
  static constexpr bool being_sent(State state) {
    return state == State::kSending || state == State::kSendingStale || state == State::kChanging ||
           state == State::kChangingStale;
  }
  // Committed, and nothing is open.
  static constexpr bool settled(State state) {
    return state == State::kSet || state == State::kStale;
  }
  // The switch may have another contract than the ledger, or lack the hop.
  static constexpr bool stale(State state) {
    return state == State::kAddingStale || state == State::kStale ||
           state == State::kSendingStale || state == State::kChangingStale;
  }

  static constexpr std::string_view name(State state) {
    switch (state) {
      case State::kReserved: return "reserved";
      case State::kAdding: return "adding";
      case State::kAddingStale: return "adding, stale";
      case State::kSet: return "set";
      case State::kStale: return "stale";
      case State::kSending: return "sending";
      case State::kSendingStale: return "sending, stale";
      case State::kChanging: return "changing";
      case State::kChangingStale: return "changing, stale";
      case State::kLeaving: return "leaving";
      case State::kLeavingAdding: return "leaving, add open";
      case State::kDeleting: return "deleting";
      case State::kDeletingAdding: return "deleting, add open";
      case State::kDeletedAdding: return "deleted, add open";
      case State::kAbsentAdding: return "absent, add open";
      case State::kGone: return "gone";
    }
    return "unknown state";
  }
  static constexpr std::string_view name(Event event) {
    switch (event) {
      case Event::kCommit: return "commit";
      case Event::kTakeOver: return "take over";
      case Event::kNotSent: return "changed, not sent";
      case Event::kSendAgain: return "send again";
      case Event::kChange: return "change contract";
      case Event::kQueued: return "modify came";
      case Event::kRemovalAsked: return "removal asked";
      case Event::kForgotten: return "forgotten";
      case Event::kDelete: return "removal can be sent";
      case Event::kMoveBack: return "move back can be sent";
      case Event::kAdded: return "added";
      case Event::kAddRefused: return "add refused";
      case Event::kAddUnanswered: return "add not answered";
      case Event::kAddLost: return "switch gone, add open";
      case Event::kChangeUndone: return "change refused, undone";
      case Event::kAddAgain: return "add wanted again";
      case Event::kDeleted: return "deleted";
      case Event::kDeletedNothing: return "nothing to delete";
      case Event::kDeleteFailed: return "delete failed";
      case Event::kDeleteAgain: return "delete wanted again";
    }
    return "unknown event";
  }
  static constexpr std::string_view name(Action action) {
    switch (action) {
      case Action::kNothing: return "nothing";
      case Action::kSendAdd: return "send add";
      case Action::kSendMove: return "send move";
      case Action::kSendDelete: return "send delete";
      case Action::kSendMoveBack: return "send move back";
      case Action::kConnect: return "answer committed";
      case Action::kConnectAndSend: return "answer committed, send again";
      case Action::kUndo: return "undo, answer refusal";
      case Action::kCleanUp: return "answer failure, delete";
      case Action::kOweRemoval: return "answer failure, delete later";
      case Action::kNoteSent: return "note sent";
      case Action::kNoteNotSent: return "note not sent";
      case Action::kAnswerAdd: return "answer the commit";
      case Action::kEnd: return "end";
      case Action::kEndAndRestore: return "end, put back below";
      case Action::kRefuseRemoval: return "refuse removal";
    }
    return "unknown action";
  }

 private:
  static constexpr bool answers_add(Event event) {
    return event == Event::kAdded || event == Event::kAddRefused ||
           event == Event::kAddUnanswered || event == Event::kAddLost;
  }
  static constexpr std::optional<Step> not_added(State state, Event event) {
    if (event == Event::kAddAgain) return Step{state, Action::kSendAdd};
    if (event == Event::kAddRefused) return Step{State::kGone, Action::kUndo};
    if (event == Event::kAddUnanswered) return Step{State::kLeaving, Action::kCleanUp};
    if (event == Event::kAddLost) return Step{State::kLeaving, Action::kOweRemoval};
    if (event == Event::kRemovalAsked) return Step{State::kLeavingAdding, Action::kNothing};
    return std::nullopt;
  }
  static constexpr std::optional<Step> at_rest(Event event) {
    if (event == Event::kNotSent) return Step{State::kStale, Action::kNothing};
    if (event == Event::kRemovalAsked) return Step{State::kLeaving, Action::kNothing};
    return std::nullopt;
  }
  static constexpr std::optional<Step> sent(State state, Event event) {
    if (event == Event::kAddAgain) return Step{state, Action::kSendAdd};
    if (event == Event::kAdded) return Step{State::kSet, Action::kNoteSent};
    if (answers_add(event)) return Step{State::kStale, Action::kNoteNotSent};
    if (event == Event::kRemovalAsked) return Step{State::kLeavingAdding, Action::kNothing};
    return std::nullopt;
  }
  static constexpr std::optional<Step> deleted_first(State state, Event event, Action end) {
    if (event == Event::kRemovalAsked) return Step{state, Action::kNothing};
    if (answers_add(event)) return Step{State::kGone, end};
    return std::nullopt;
  }
  static constexpr std::optional<Step> delete_open(State state, Event event) {
    if (event == Event::kRemovalAsked) return Step{state, Action::kNothing};
    if (event == Event::kDeleteAgain) return Step{state, Action::kSendDelete};
    return std::nullopt;
  }
};

static_assert(!HopFsm::step(HopFsm::State::kReserved, HopFsm::Event::kAdded));

// HopFsm::step() of every pair, for the hot path.
struct HopRow {
  static constexpr std::uint8_t kImpossible = 0xff;
  HopFsm::State next = HopFsm::State::kGone;
  std::uint8_t action = kImpossible;
};
inline constexpr auto kHopRows = [] {
  std::array<std::array<HopRow, HopFsm::kEvents>, HopFsm::kStates> rows{};
  for (std::size_t state = 0; state < HopFsm::kStates; ++state) {
    for (std::size_t event = 0; event < HopFsm::kEvents; ++event) {
      const auto step =
          HopFsm::step(static_cast<HopFsm::State>(state), static_cast<HopFsm::Event>(event));
      if (step) rows[state][event] = {step->next, static_cast<std::uint8_t>(step->action)};
    }
  }
  return rows;
}();

// How often each event has come in each state.
struct HopOccurrences {
  std::array<std::array<std::uint64_t, HopFsm::kEvents>, HopFsm::kStates> rows{};

  std::uint64_t& at(HopFsm::State state, HopFsm::Event event) {
    return rows[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
  }
  std::uint64_t at(HopFsm::State state, HopFsm::Event event) const {
    return rows[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
  }
  void add(const HopOccurrences& other) {
    for (std::size_t state = 0; state < rows.size(); ++state) {
      for (std::size_t event = 0; event < rows[state].size(); ++event) {
        rows[state][event] += other.rows[state][event];
      }
    }
  }
  friend bool operator==(const HopOccurrences&, const HopOccurrences&) = default;
};

}  // namespace xbind
