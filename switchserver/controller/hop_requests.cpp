// What is asked of the switch for one hop, and removals. The answers: hop_requests_answers.cpp.
#include "switchserver/controller/hop_requests.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/planted.hpp"
#include "switchserver/controller/hop_answers.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind::controller {

// ===== requests =====

void HopRequests::send_add(HopRef ref) {
  Ledger& ledger = parts_.ledger;
  HopRecord& record = ledger.hop(ref);
  ledger.touch(record);
  parts_.link.add(ledger.hops().cross_connect(record), record.contract(),
                  SwitchLink::cookie(ref, record, Request::kAdd));
}

void HopRequests::send_move(HopRef ref, const CrossConnect& from) {
  Ledger& ledger = parts_.ledger;
  HopRecord& record = ledger.hop(ref);
  ledger.touch(record);
  moves_.insert_or_assign(ref, from);
  parts_.link.move(from, ledger.hops().cross_connect(record), record.contract(),
                   SwitchLink::cookie(ref, record, Request::kAdd));
}

void HopRequests::send_remove(HopRef ref) {
  HopRecord& record = parts_.ledger.hop(ref);
  const HopRecord* const to = live_below(parts_.ledger, ref);
  const auto event = to != nullptr ? HopFsm::Event::kMoveBack : HopFsm::Event::kDelete;
  parts_.ledger.step(ref, record, event);
  if (!planted(Bug::kHopDeleteNotSent)) send_delete(ref, record, to);
}

// `to`: the hop below to which the cross-connect is moved back; null: it is deleted.
void HopRequests::send_delete(HopRef ref, const HopRecord& record, const HopRecord* to) {
  const HopTable& hops = parts_.ledger.hops();
  const driver::Cookie cookie = SwitchLink::cookie(ref, record, Request::kRemove);
  if (to != nullptr) {
    ++parts_.counters.moved_back;
    parts_.link.move(hops.cross_connect(record), hops.cross_connect(*to), to->contract(), cookie);
  } else {
    parts_.link.remove(hops.cross_connect(record), cookie);
  }
}

void HopRequests::put_back(HopRef ref) {
  ++parts_.counters.put_back;
  parts_.ledger.step(ref, HopFsm::Event::kSendAgain);
  send_add(ref);
}

void HopRequests::put_back_or_move(HopRef ref, const std::vector<CrossConnect>& table) {
  const HopStacks& stacks = parts_.ledger.stacks();
  for (auto at = stacks.below(ref); at; at = stacks.below(*at)) {
    const CrossConnect earlier = parts_.ledger.hops().cross_connect(*at);
    if (!std::binary_search(table.begin(), table.end(), earlier)) continue;
    ++parts_.counters.put_back;
    parts_.ledger.step(ref, HopFsm::Event::kSendAgain);
    return send_move(ref, earlier);
  }
  put_back(ref);
}

void HopRequests::reassert(HopRef ref) {
  ++parts_.counters.reasserted;
  parts_.ledger.step(ref, HopFsm::Event::kSendAgain);
  send_add(ref);
}

// ===== removals =====

void HopRequests::request_removal(HopRef ref) {
  const Ledger& ledger = parts_.ledger;
  if (!HopFsm::delete_due(ledger.hops().hop(ref).state())) return;
  HopRef top = ref;
  while (const auto above = ledger.stacks().above(top)) top = *above;
  if (top == ref || HopFsm::delete_due(ledger.hops().hop(top).state())) send_remove(top);
}

HopResult HopRequests::remove_at_once(HopRef ref) {
  Ledger& ledger = parts_.ledger;
  HopRecord& record = ledger.hop(ref);
  const HopKey key = record.key;
  const HopResult done = removal_of(ref, record);
  const auto below = ledger.stacks().below(ref);
  std::uint32_t commits = std::exchange(record.commit_waiters, Answers::kNil);
  std::uint32_t removals = std::exchange(record.remove_waiters, Answers::kNil);
  if (record.stage() != HopStage::kReserved) note_end(record);
  ledger.begin_removal(ref);
  moves_.erase(ref);
  parts_.changes.forget(ref);
  const std::uint64_t generation = key.generation.value();
  Answers& answers = parts_.answers;
  answers.answer_all(commits, refusal(key, HopAction::kCommit, Cause::kBeingReleased, generation));
  answers.answer_all(removals, done);
  advance(below);
  ++parts_.counters.removes;
  return done;
}

void HopRequests::forget(HopRef ref) {
  HopRecord& record = parts_.ledger.hop(ref);
  finish_removal(ref, record, parts_.ledger.step(ref, record, HopFsm::Event::kForgotten));
}

// `how`: kEnd or kEndAndRestore, the action of the step that has ended the hop.
void HopRequests::finish_removal(HopRef ref, HopRecord& record, HopFsm::Action how) {
  Ledger& ledger = parts_.ledger;
  XB_CHECK(record.commit_waiters == Answers::kNil, ref, HopFsm::name(how));
  std::uint32_t waiters = record.remove_waiters;
  const HopResult done = removal_of(ref, record);
  const ManagerIndex manager = record.manager;
  const bool unasked =
      !parts_.answers.anybody_waits(waiters) && parts_.sessions.is_attached(manager);
  const std::optional<HopRef> below = ledger.stacks().below(ref);
  note_end(record);
  const bool strangers = !parts_.match.unclaimed().empty();
  const CrossConnect gone = strangers ? ledger.hops().cross_connect(record) : CrossConnect{};
  ledger.removed(ref);
  if (strangers) parts_.match.entry_gone(gone);
  ++parts_.counters.removes;
  if (unasked) parts_.outputs.unasked.push_back({ledger.managers().name(manager), done});
  parts_.answers.answer_all(waiters, done);
  if (!below) return;
  const HopRecord& live = ledger.hop(*below);
  const bool lost = how == HopFsm::Action::kEndAndRestore || HopFsm::stale(live.state());
  if (lost && parts_.link.reachable() && live.settled() && !ledger.stacks().above(*below)) {
    put_back(*below);
  }
  advance(below);
}

void HopRequests::note_end(const HopRecord& gone) {
  if (!parts_.reading()) return;
  const HopTable& hops = parts_.ledger.hops();
  parts_.ended.note(hops.cross_connect(gone), hops.clock() + 1);
}

// Something above this hop has changed. If this hop is being removed, it may be superseded now and
// is then gone; or it is live again, and the switch is requested to remove it.
void HopRequests::advance(std::optional<HopRef> below) {
  if (!below) return;
  Ledger& ledger = parts_.ledger;
  if (ledger.hop(*below).state() != HopFsm::State::kLeaving) return;
  if (ledger.stacks().superseded(*below)) {
    forget(*below);
  } else if (ledger.stacks().above(*below)) {
    return;
  } else if (parts_.link.reachable()) {
    send_remove(*below);
  } else {  // removed when the switch is back
    refuse_waiting(below, Cause::kSwitchUnreachable, 0);
  }
}

// Refuses the removals that wait at lower hops for a request that was just refused.
void HopRequests::refuse_waiting(std::optional<HopRef> below, Cause cause,
                                 std::uint8_t failure_code) {
  for (; below; below = parts_.ledger.stacks().below(*below)) {
    HopRecord& record = parts_.ledger.hop(*below);
    std::uint32_t waiters = std::exchange(record.remove_waiters, Answers::kNil);
    parts_.answers.answer_all(waiters,
                              refusal(record.key, HopAction::kRemove, cause, failure_code));
  }
}

HopResult HopRequests::removal_of(HopRef ref, const HopRecord& record) const {
  HopResult done = success(record, HopAction::kRemove);
  if (parts_.ledger.users().shares_output(ref)) done.output_label = {};
  return done;
}

}  // namespace xbind::controller
