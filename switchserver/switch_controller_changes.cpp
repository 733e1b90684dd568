// SwitchController: modifies, and how the switch is informed of them.
#include <utility>

#include "core/check.hpp"
#include "switchserver/hop_answers.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

void SwitchController::modify(Place place, ManagerIndex manager, const HopModify& modify) {
  std::uint32_t waiters = kNil;
  wait(waiters, place);
  change(waiters, manager, modify, up());
}

// `reachable`: whether a request that is sent now may reach the switch.
void SwitchController::change(std::uint32_t waiters, ManagerIndex manager, const HopModify& wanted,
                              bool reachable) {
  const auto refuse = [&](const HopResult& refused) { answer_all(waiters, refused); };
  const auto ref = ledger_.hops().find(manager, wanted.key);
  HopRecord* const record = ref ? &ledger_.hop(*ref) : nullptr;
  if (record != nullptr && HopFsm::being_sent(record->state())) {
    auto open = changes_.find(*ref);
    if (open == changes_.end()) {
      ledger_.step(*ref, HopFsm::Event::kQueued);
      // The hop is being put back: treat that as a change to its present contract.
      const HopModify now{wanted.key, ledger_.extras().revision(*ref), record->demand,
                          record->contract()};
      open = changes_.emplace(*ref, Change{now, now.revision, now.demand, now.contract}).first;
    }
    return queue_behind(open->second, waiters, wanted);
  }
  if (!reachable && record != nullptr && !wanted.demand.fits_within(record->demand)) {
    return refuse(refusal(wanted, Cause::kSwitchUnreachable));
  }
  if (record != nullptr && wanted.revision > ledger_.extras().revision(*ref)) {
    const TrafficContract had = record->contract();
    const bool more =
        !wanted.demand.fits_within(record->demand) ||
        (wanted.contract.category == had.category && asks_for_more(had, wanted.contract));
    const CrossConnect has = ledger_.hops().cross_connect(*record);
    // The room may be that of a hop which is still to be claimed.
    if (more && (waits_for_claims(has.input_port) || waits_for_claims(has.output_port))) {
      return refuse(refusal(wanted, Cause::kSwitchUnreachable));
    }
  }
  const bool news = record != nullptr &&
                    (wanted.contract != record->contract() || HopFsm::stale(record->state()));
  // A hop from which another has taken over is in no switch, so no request is needed.
  if (news && reachable && record->settled() && !ledger_.stacks().above(*ref)) {
    return send_contract(*ref, waiters, wanted);
  }
  const Admission admission = ledger_.modify(manager, wanted);
  if (!admission.admitted()) {
    note_shortage(manager, admission);
    return refuse(refusal(wanted, admission));
  }
  // The commit of a reservation will carry the contract.
  if (news && record->stage() != HopStage::kReserved) ledger_.step(*ref, HopFsm::Event::kNotSent);
  ++(admission.repeated ? counters_.repeats : counters_.modifies);
  answer_all(waiters, success(wanted));
}

// Queues a modify while the switch is being sent another contract, or the present one again.
void SwitchController::queue_behind(Change& open, std::uint32_t waiters, const HopModify& wanted) {
  const bool requested = open.waiters != kNil;  // false: the hop is being put back unchanged
  if (wanted == open.wanted) {
    ++counters_.repeats;
    if (requested) {
      join(open.waiters, waiters);
    } else {
      answer_all(waiters, success(wanted));
    }
    return;
  }
  if (open.next && wanted == *open.next) {
    ++counters_.repeats;
    join(open.next_waiters, waiters);
    return;
  }
  const std::uint32_t newest = open.next ? open.next->revision : open.wanted.revision;
  if (wanted.revision <= newest) {
    HopResult stale = refusal(wanted, Cause::kStale, wanted.revision);
    stale.free = newest;
    answer_all(waiters, stale);
    return;
  }
  if (open.next) {
    HopResult stale = refusal(*open.next, Cause::kStale, open.next->revision);
    stale.free = wanted.revision;
    answer_all(open.next_waiters, stale);
  }
  open.next = wanted;
  open.next_waiters = waiters;
}

void SwitchController::send_contract(HopRef ref, std::uint32_t waiters, const HopModify& wanted) {
  HopRecord& record = ledger_.hop(ref);
  Change change{wanted, ledger_.extras().revision(ref), record.demand, record.contract()};
  HopModify booked = wanted;
  booked.demand = greater(record.demand, wanted.demand);
  const Admission admission = ledger_.modify(record.manager, booked, true);
  if (!admission.admitted()) {
    note_shortage(record.manager, admission);
    answer_all(waiters, refusal(wanted, admission));
    return;
  }
  if (admission.repeated) ++counters_.repeats;
  change.refusable =
      booked.demand != change.had || asks_for_more(change.had_contract, wanted.contract);
  change.waiters = waiters;
  changes_.emplace(ref, std::move(change));
  ++counters_.contracts_told;
  ledger_.step(ref, HopFsm::Event::kChange);
  send_add(ref);
}

// Its hop has begun to end before the change was over.
void SwitchController::answer_released(Change& change) {
  const std::uint64_t generation = change.wanted.key.generation.value();
  answer_all(change.waiters, refusal(change.wanted, Cause::kBeingReleased, generation));
  if (!change.next) return;
  answer_all(change.next_waiters, refusal(*change.next, Cause::kBeingReleased, generation));
}

// The switch has answered, or never will. The hop may be in removal by now.
void SwitchController::on_contract_answer(HopRef ref, Cause cause, std::uint8_t failure_code) {
  Change change = std::move(changes_.extract(ref).mapped());
  HopRecord& record = ledger_.hop(ref);
  const HopModify& wanted = change.wanted;
  if (cause != Cause::kNone) {
    ++(change.waiters != kNil ? counters_.contracts_refused : counters_.put_back_refused);
  }
  if (record.stage() != HopStage::kCommitted) {
    return answer_released(change);
  }
  const bool undone = cause != Cause::kNone && change.refusable;
  if (undone) {
    ledger_.settle(ref, change.had_revision, change.had, change.had_contract);
    // After a refusal nothing has changed; without an answer the contract is unknown.
    ledger_.step(ref,
                 cause == Cause::kSwitchRefused ? HopFsm::Event::kChangeUndone : answer_of(cause));
    answer_all(change.waiters, refusal(wanted, cause, failure_code));
  } else {
    ledger_.settle(ref, wanted.revision, wanted.demand, wanted.contract);
    ledger_.step(ref, answer_of(cause));
    if (change.waiters != kNil) ++counters_.modifies;
    answer_all(change.waiters, success(wanted));
  }
  if (!change.next) return;
  const bool reachable = up() && cause != Cause::kSwitchUnreachable;
  this->change(change.next_waiters, record.manager, *change.next, reachable);
}

}  // namespace xbind
