// SwitchController: requests to the switch for one hop, and for hops that take over from one
// another.
#include <algorithm>
#include <utility>

#include "core/planted.hpp"
#include "switchserver/hop_answers.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

void SwitchController::send_add(HopRef ref) {
  const HopRecord& record = ledger_.hop(ref);
  ledger_.touch(ref);
  driver_.add(ledger_.hops().cross_connect(record), record.contract(),
              cookie(ref, record, Request::kAdd));
  queued_ = true;
}

// Moves the existing cross-connect `from` to this hop's output.
void SwitchController::send_move(HopRef ref, const CrossConnect& from) {
  const HopRecord& record = ledger_.hop(ref);
  ledger_.touch(ref);
  moves_.insert_or_assign(ref, from);
  const CrossConnect to = ledger_.hops().cross_connect(record);
  driver_.move(from, to.output_port, to.output_label, record.contract(),
               cookie(ref, record, Request::kAdd));
  queued_ = true;
}

// A hop that has taken over moves the cross-connect back to the hop below, unless that one is also
// being removed: then the cross-connect is deleted.
void SwitchController::send_remove(HopRef ref) {
  const HopRecord* const to = live_below(ledger_, ref);
  ledger_.step(ref, to != nullptr ? HopFsm::Event::kMoveBack : HopFsm::Event::kDelete);
  if (!planted(Bug::kHopDeleteNotSent)) send_delete(ref, to);
}

void SwitchController::send_delete(HopRef ref, const HopRecord* to) {
  const HopRecord& record = ledger_.hop(ref);
  if (to != nullptr) {
    ++counters_.moved_back;
    const CrossConnect back = ledger_.hops().cross_connect(*to);
    driver_.move(ledger_.hops().cross_connect(record), back.output_port, back.output_label,
                 to->contract(), cookie(ref, record, Request::kRemove));
  } else {
    driver_.remove(ledger_.hops().cross_connect(record), cookie(ref, record, Request::kRemove));
  }
  queued_ = true;
}

// The switch refused the commit. The hop that it was to take over from stays as before.
void SwitchController::undo_refused(HopRef ref) {
  const auto below = ledger_.stacks().below(ref);
  const HopRecord& record = ledger_.hop(ref);
  const ManagerIndex manager = record.manager;
  const bool unasked = ledger_.hop(ref).earlier_session && sessions_[manager.value()].attached;
  const HopResult done = removal_of(ref);
  note_end(record);
  ledger_.undo(ref);
  if (unasked) outputs_.unasked.push_back({ledger_.managers().name(manager), done});
  if (!below) return;
  const HopRecord& live = ledger_.hop(*below);
  if (live.state() == HopFsm::State::kStale && reachable()) put_back(*below);
  advance(below);
}

// Something above this hop has changed. If this hop is being removed, it may be superseded now and
// is then gone; or it is live again, and the switch is requested to remove it.
void SwitchController::advance(std::optional<HopRef> below) {
  if (!below) return;
  if (ledger_.hop(*below).state() != HopFsm::State::kLeaving) return;
  if (ledger_.stacks().superseded(*below)) {
    finish_removal(*below, ledger_.step(*below, HopFsm::Event::kForgotten));
  } else if (ledger_.stacks().above(*below)) {
    return;
  } else if (reachable()) {
    send_remove(*below);
  } else {  // removed when the switch is back
    refuse_waiting(below, Cause::kSwitchUnreachable, 0);
  }
}

// Refuses the removals that wait at lower hops for a request that was just refused.
void SwitchController::refuse_waiting(std::optional<HopRef> below, Cause cause,
                                      std::uint8_t failure_code) {
  for (; below; below = ledger_.stacks().below(*below)) {
    HopRecord& record = ledger_.hop(*below);
    std::uint32_t waiters = std::exchange(record.remove_waiters, kNil);
    answer_all(waiters, refusal(record.key, HopAction::kRemove, cause, failure_code));
  }
}

// The switch has lost this hop, or still has the hop from which it took over in its place.
void SwitchController::put_back_or_move(HopRef ref) {
  for (auto at = ledger_.stacks().below(ref); at; at = ledger_.stacks().below(*at)) {
    const CrossConnect earlier = ledger_.hops().cross_connect(*at);
    if (!std::binary_search(unclaimed_.begin(), unclaimed_.end(), earlier)) continue;
    ++counters_.put_back;
    ledger_.step(ref, HopFsm::Event::kSendAgain);
    return send_move(ref, earlier);
  }
  put_back(ref);
}

// The result of a removal. It names the label that now rests in the manager's quarantine, unless
// another hop uses that label.
HopResult SwitchController::removal_of(HopRef ref) const {
  HopResult done = success(ledger_.hops().hop(ref), HopAction::kRemove);
  if (ledger_.users().shares_output(ref)) done.output_label = {};
  return done;
}

}  // namespace xbind
