// HopRequests: the answers of the switch.
#include <utility>

#include "core/check.hpp"
#include "switchserver/controller/hop_answers.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind::controller {

void HopRequests::expect_soon(driver::Cookie cookie) const {
  const Ledger& ledger = parts_.ledger;
  const HopRecord* const record = ledger.hops().find_hop(SwitchLink::hop_of(cookie));
  if (record == nullptr) return;
  ledger.labels().prefetch(*record);
  const bool removal = SwitchLink::request_of(cookie) == Request::kRemove;
  if (removal) ledger.hops().prefetch_place(record->manager, record->key);
  parts_.answers.prefetch(removal ? record->remove_waiters : record->commit_waiters);
}

void HopRequests::on_done(const driver::Done& done) {
  const HopRef ref = SwitchLink::hop_of(done.cookie);
  const Request request = SwitchLink::request_of(done.cookie);
  Ledger& ledger = parts_.ledger;
  HopRecord* const record = ledger.find_hop(ref);
  parts_.link.answered(done.cause);
  const bool open = record != nullptr && done.cookie == SwitchLink::cookie(ref, *record, request) &&
                    (request == Request::kAdd      ? HopFsm::add_open(record->state())
                     : request == Request::kRemove ? HopFsm::delete_open(record->state())
                                                   : false);
  if (!open) {
    ++parts_.counters.unexpected_answers;
  } else if (done.again && request == Request::kAdd && record->stage() != HopStage::kRemoving) {
    ledger.step(ref, HopFsm::Event::kAddAgain);
    const auto moving = moves_.find(ref);
    if (moving == moves_.end()) {
      send_add(ref);
    } else {
      send_move(ref, CrossConnect{moving->second});
    }
  } else if (done.again && request == Request::kRemove) {
    ledger.step(ref, HopFsm::Event::kDeleteAgain);
    send_delete(ref, *record, live_below(ledger, ref));
  } else if (request == Request::kAdd) {
    on_added(ref, *record, done.cause, done.failure_code);
  } else {
    on_removed(ref, *record, done);
  }
}

void HopRequests::on_added(HopRef ref, HopRecord& record, Cause cause, std::uint8_t failure_code) {
  Ledger& ledger = parts_.ledger;
  SwitchCounters& counters = parts_.counters;
  const std::optional<HopRef> below = ledger.stacks().below(ref);
  if (!moves_.empty() && moves_.erase(ref) != 0 && cause == Cause::kNone) ++counters.taken_over;
  ledger.touch(record);

  if (parts_.changes.has(ref)) {
    parts_.changes.on_answer(ref, cause, failure_code);
    if (record.stage() == HopStage::kCommitted) return advance(below);
  }
  const HopFsm::Action action = ledger.step(ref, record, answer_of(cause));
  std::uint32_t waiters = std::exchange(record.commit_waiters, Answers::kNil);
  if (cause == Cause::kNone) {
    if (waiters != Answers::kNil) ++counters.commits;  // nobody waits for a hop that is put back
    parts_.answers.answer_all(waiters, success(record, HopAction::kCommit));
  } else {
    parts_.answers.answer_all(waiters,
                              refusal(record.key, HopAction::kCommit, cause, failure_code));
  }
  switch (action) {
    case HopFsm::Action::kConnect: return advance(below);
    case HopFsm::Action::kConnectAndSend:
      advance(below);
      if (parts_.link.up()) reassert(ref);
      return;
    case HopFsm::Action::kNoteNotSent: ++counters.put_back_refused; [[fallthrough]];
    case HopFsm::Action::kNoteSent: return advance(below);
    case HopFsm::Action::kUndo: return undo_refused(ref);
    case HopFsm::Action::kCleanUp: ++counters.cleaned; return send_remove(ref);
    case HopFsm::Action::kOweRemoval: return refuse_waiting(below, cause, failure_code);
    case HopFsm::Action::kEnd:
    case HopFsm::Action::kEndAndRestore: return finish_removal(ref, record, action);
    case HopFsm::Action::kAnswerAdd: return;  // the removal is under way
    case HopFsm::Action::kNothing:
    case HopFsm::Action::kSendAdd:
    case HopFsm::Action::kSendMove:
    case HopFsm::Action::kSendDelete:
    case HopFsm::Action::kSendMoveBack:
    case HopFsm::Action::kRefuseRemoval: break;
  }
  XB_CHECK(false, ref, HopFsm::name(action));  // no answer to an add
}

// The switch refused the commit. The hop that it was to take over from stays as before.
void HopRequests::undo_refused(HopRef ref) {
  Ledger& ledger = parts_.ledger;
  const auto below = ledger.stacks().below(ref);
  const HopRecord& record = ledger.hop(ref);
  const ManagerIndex manager = record.manager;
  const bool unasked = record.earlier_session && parts_.sessions.is_attached(manager);
  const HopResult done = removal_of(ref, record);
  note_end(record);
  ledger.undo(ref);
  if (unasked) parts_.outputs.unasked.push_back({ledger.managers().name(manager), done});
  if (!below) return;
  const HopRecord& live = ledger.hop(*below);
  if (live.state() == HopFsm::State::kStale && parts_.link.reachable()) put_back(*below);
  advance(below);
}

void HopRequests::on_removed(HopRef ref, HopRecord& record, const driver::Done& done) {
  Ledger& ledger = parts_.ledger;
  ledger.touch(record);
  const HopFsm::Action action =
      ledger.step(ref, record,
                  done.absent                  ? HopFsm::Event::kDeletedNothing
                  : done.cause == Cause::kNone ? HopFsm::Event::kDeleted
                                               : HopFsm::Event::kDeleteFailed);
  if (action == HopFsm::Action::kRefuseRemoval) {  // the next removal sends the request again
    std::uint32_t waiters = std::exchange(record.remove_waiters, Answers::kNil);
    parts_.answers.answer_all(
        waiters, refusal(record.key, HopAction::kRemove, done.cause, done.failure_code));
    refuse_waiting(ledger.stacks().below(ref), done.cause, done.failure_code);
  } else if (action != HopFsm::Action::kNothing) {
    finish_removal(ref, record, action);
  }
}

void HopRequests::switch_down() {
  Ledger& ledger = parts_.ledger;
  ledger.hops().for_each([&](HopRef ref, const HopRecord&) {
    HopRecord& record = ledger.hop(ref);
    if (HopFsm::add_open(record.state())) on_added(ref, record, Cause::kSwitchUnreachable, 0);
    if (HopFsm::delete_open(record.state())) {
      driver::Done lost;
      lost.cause = Cause::kSwitchUnreachable;
      on_removed(ref, record, lost);
    }
    ++record.ticket;
  });
}

}  // namespace xbind::controller
