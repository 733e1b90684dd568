#include "switchserver/controller/contract_changes.hpp"

#include <utility>

#include "switchserver/controller/hop_answers.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind::controller {

void ContractChanges::modify(Place place, ManagerIndex manager, const HopModify& wanted) {
  std::uint32_t waiters = Answers::kNil;
  parts_.answers.wait(waiters, place);
  change(waiters, manager, wanted, parts_.link.up());
}

// `reachable`: whether a request that is sent now may reach the switch.
void ContractChanges::change(std::uint32_t waiters, ManagerIndex manager, const HopModify& wanted,
                             bool reachable) {
  Ledger& ledger = parts_.ledger;
  const auto refuse = [&](const HopResult& refused) {
    parts_.answers.answer_all(waiters, refused);
  };
  const auto ref = ledger.hops().find(manager, wanted.key);
  HopRecord* const record = ref ? &ledger.hop(*ref) : nullptr;
  if (record != nullptr && HopFsm::being_sent(record->state())) {
    auto open = open_.find(*ref);
    if (open == open_.end()) {
      ledger.step(*ref, HopFsm::Event::kQueued);
      // The hop is being put back: treat that as a change to its present contract.
      const HopModify now{wanted.key, ledger.extras().revision(*ref), record->demand,
                          record->contract()};
      open = open_.emplace(*ref, Change{now, now.revision, now.demand, now.contract}).first;
    }
    return queue_behind(open->second, waiters, wanted);
  }
  if (!reachable && record != nullptr && !wanted.demand.fits_within(record->demand)) {
    return refuse(refusal(wanted, Cause::kSwitchUnreachable));
  }
  if (record != nullptr && wanted.revision > ledger.extras().revision(*ref)) {
    const TrafficContract had = record->contract();
    const bool more =
        !wanted.demand.fits_within(record->demand) ||
        (wanted.contract.category == had.category && asks_for_more(had, wanted.contract));
    const CrossConnect has = ledger.hops().cross_connect(*record);
    // The room may be that of a hop which is still to be claimed.
    if (more &&
        (parts_.claims.awaited_at(has.input_port) || parts_.claims.awaited_at(has.output_port))) {
      return refuse(refusal(wanted, Cause::kSwitchUnreachable));
    }
  }
  const bool news = record != nullptr &&
                    (wanted.contract != record->contract() || HopFsm::stale(record->state()));
  // A hop from which another has taken over is in no switch, so no request is needed.
  if (news && reachable && record->settled() && !ledger.stacks().above(*ref)) {
    return send(*ref, waiters, wanted);
  }
  const Admission admission = ledger.modify(manager, wanted);
  if (!admission.admitted()) {
    parts_.exchange.note_shortage(manager, admission);
    return refuse(refusal(wanted, admission));
  }
  // The commit of a reservation will carry the contract.
  if (news && record->stage() != HopStage::kReserved) ledger.step(*ref, HopFsm::Event::kNotSent);
  ++(admission.repeated ? parts_.counters.repeats : parts_.counters.modifies);
  parts_.answers.answer_all(waiters, success(wanted));
}

// Queues a modify while the switch is being sent another contract, or the present one again.
void ContractChanges::queue_behind(Change& open, std::uint32_t waiters, const HopModify& wanted) {
  const bool requested =
      open.waiters != Answers::kNil;  // false: the hop is being put back unchanged
  if (wanted == open.wanted) {
    ++parts_.counters.repeats;
    if (requested) {
      parts_.answers.join(open.waiters, waiters);
    } else {
      parts_.answers.answer_all(waiters, success(wanted));
    }
    return;
  }
  if (open.next && wanted == *open.next) {
    ++parts_.counters.repeats;
    parts_.answers.join(open.next_waiters, waiters);
    return;
  }
  const std::uint32_t newest = open.next ? open.next->revision : open.wanted.revision;
  if (wanted.revision <= newest) {
    HopResult stale = refusal(wanted, Cause::kStale, wanted.revision);
    stale.free = newest;
    parts_.answers.answer_all(waiters, stale);
    return;
  }
  if (open.next) {
    HopResult stale = refusal(*open.next, Cause::kStale, open.next->revision);
    stale.free = wanted.revision;
    parts_.answers.answer_all(open.next_waiters, stale);
  }
  open.next = wanted;
  open.next_waiters = waiters;
}

void ContractChanges::send(HopRef ref, std::uint32_t waiters, const HopModify& wanted) {
  Ledger& ledger = parts_.ledger;
  HopRecord& record = ledger.hop(ref);
  Change change{wanted, ledger.extras().revision(ref), record.demand, record.contract()};
  HopModify booked = wanted;
  booked.demand = greater(record.demand, wanted.demand);
  const Admission admission = ledger.modify(record.manager, booked, true);
  if (!admission.admitted()) {
    parts_.exchange.note_shortage(record.manager, admission);
    parts_.answers.answer_all(waiters, refusal(wanted, admission));
    return;
  }
  if (admission.repeated) ++parts_.counters.repeats;
  change.refusable =
      booked.demand != change.had || asks_for_more(change.had_contract, wanted.contract);
  change.waiters = waiters;
  open_.emplace(ref, std::move(change));
  ++parts_.counters.contracts_told;
  ledger.step(ref, HopFsm::Event::kChange);
  parts_.hops.send_add(ref);
}

// Its hop has begun to end before the change was over.
void ContractChanges::refuse_released(Change& change) {
  const std::uint64_t generation = change.wanted.key.generation.value();
  parts_.answers.answer_all(change.waiters,
                            refusal(change.wanted, Cause::kBeingReleased, generation));
  if (!change.next) return;
  parts_.answers.answer_all(change.next_waiters,
                            refusal(*change.next, Cause::kBeingReleased, generation));
}

void ContractChanges::forget(HopRef ref) {
  if (open_.empty()) return;
  if (const auto open = open_.find(ref); open != open_.end()) {
    refuse_released(open_.extract(open).mapped());
  }
}

void ContractChanges::describe(HopRef ref, LedgerHop& hop) const {
  const auto open = open_.find(ref);
  if (open == open_.end()) return;
  const Change& change = open->second;
  hop.demand = change.refusable ? change.had : change.wanted.demand;
  hop.contract = change.refusable ? change.had_contract : change.wanted.contract;
}

// The hop may be in removal by now.
void ContractChanges::on_answer(HopRef ref, Cause cause, std::uint8_t failure_code) {
  Change change = std::move(open_.extract(ref).mapped());
  Ledger& ledger = parts_.ledger;
  HopRecord& record = ledger.hop(ref);
  const HopModify& wanted = change.wanted;
  if (cause != Cause::kNone) {
    ++(change.waiters != Answers::kNil ? parts_.counters.contracts_refused
                                       : parts_.counters.put_back_refused);
  }
  if (record.stage() != HopStage::kCommitted) {
    return refuse_released(change);
  }
  const bool undone = cause != Cause::kNone && change.refusable;
  if (undone) {
    ledger.settle(ref, change.had_revision, change.had, change.had_contract);
    // After a refusal nothing has changed; without an answer the contract is unknown.
    ledger.step(ref,
                cause == Cause::kSwitchRefused ? HopFsm::Event::kChangeUndone : answer_of(cause));
    parts_.answers.answer_all(change.waiters, refusal(wanted, cause, failure_code));
  } else {
    ledger.settle(ref, wanted.revision, wanted.demand, wanted.contract);
    ledger.step(ref, answer_of(cause));
    if (change.waiters != Answers::kNil) ++parts_.counters.modifies;
    parts_.answers.answer_all(change.waiters, success(wanted));
  }
  if (!change.next) return;
  const bool reachable = parts_.link.up() && cause != Cause::kSwitchUnreachable;
  this->change(change.next_waiters, record.manager, *change.next, reachable);
}

}  // namespace xbind::controller
