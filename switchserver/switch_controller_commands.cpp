// SwitchController: the commands of managers.
#include <algorithm>
#include <utility>

#include "core/ahead.hpp"
#include "core/log.hpp"
#include "core/planted.hpp"
#include "switchserver/hop_answers.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

Result<void> SwitchController::apply(std::string_view name, const HopBatch& batch, Token token,
                                     TimePoint now) {
  const auto manager = attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  now_ = now;
  ++counters_.batches;
  // Applies to setups only. An immediate refusal of another command would overtake the answer to an
  // earlier change of the hop; managers rely on answers in the order of their commands.
  const bool room = open_batches_ < options_.open_batches_max;
  const std::uint32_t index = open_batch(*manager, token, batch.commands());
  if (!batch.traced.empty()) batches_[index].traced = trace::ConnectionSet(batch.traced);
  wanted_.clear();

  // The share declared with a batch already applies to its own setups.
  for (const PortDemand& declared : batch.declared) {
    ledger_.grants().declare(*manager, declared.port, declared.labels);
  }
  owners_.clear();
  for (const HopOwner& owner : batch.owners) owners_.push_back(ledger_.owners().take(owner));
  Place place{index, 0};
  for (const HopModify& wanted : batch.modifies) {
    modify(place, *manager, wanted);
    ++place.position;
  }
  const HopTable& hops = ledger_.hops();
  const auto place_of = [&](const auto& command) { hops.prefetch_place(*manager, command.key); };
  Ahead removals(batch.removals, place_of,
                 [&](const HopRemoval& removal) { hops.prefetch(*manager, removal.key); });
  Ahead setups(batch.setups, place_of, [&](const HopSetup& setup) {
    hops.prefetch(*manager, setup.key);
    ledger_.labels().prefetch(setup);
  });
  std::size_t removed = 0;
  for (std::size_t applied = 0; applied <= batch.setups.size(); ++applied) {
    const bool rest = applied == batch.setups.size();
    for (; removed < batch.removals.size() && (rest || batch.removals[removed].after <= applied);
         ++removed) {
      removals.step_to(removed);
      remove(place, *manager, batch.removals[removed].key);
      ++place.position;
    }
    if (rest) break;
    setups.step_to(applied);
    const HopSetup& setup = batch.setups[applied];
    if (room) {
      set_up(place, *manager, setup);
    } else {
      answer(place, refusal(setup.key, action_of(setup), Cause::kBusy, open_batches_));
    }
    ++place.position;
  }
  for (const std::uint32_t owner : owners_) ledger_.owners().release(owner);
  take_back(*manager, batch);
  grant_wanted(*manager, batches_[index].out);
  close_one(index);  // the answer that open_batch() counted for this function
  if (now >= reread_at_) read_table();
  flush();
  return {};
}

Result<void> SwitchController::execute(std::string_view name, const HopBatch& batch, Token token,
                                       TimePoint now) {
  auto applied = apply(name, batch, token, now);
  if (applied) ++counters_.executes;
  return applied;
}

void SwitchController::set_up(Place place, ManagerIndex manager, const HopSetup& setup) {
  const HopAction action = action_of(setup);
  if (!up()) {
    const auto reserved = ledger_.hops().find(manager, setup.key);
    if (setup.commit && reserved && ledger_.hop(*reserved).stage() == HopStage::kReserved) {
      ledger_.undo(*reserved);  // a refused commit leaves nothing of its hop
    }
    answer(place, refusal(setup.key, action, Cause::kSwitchUnreachable));
    return;
  }
  if (!admits_new(setup.input_port, setup.output_port) &&
      !ledger_.hops().find(manager, setup.key)) {
    return answer(place, refusal(setup.key, action, Cause::kSwitchUnreachable));
  }
  const Admission admission = ledger_.set_up(manager, setup, owner_of(setup));
  if (!admission.admitted()) {
    note_shortage(manager, admission);
    answer(place, refusal(setup.key, action, admission));
    return;
  }
  HopRecord& record = ledger_.hop(admission.hop);
  if (admission.repeated) {
    ++counters_.repeats;
    if (record.stage() == HopStage::kCommitting) {
      wait(record.commit_waiters, place);
    } else {
      answer(place, success(record, action));
    }
    return;
  }
  Wanted& wanted = wanted_of(setup.output_port);
  if (!setup.last()) wanted.labels += setup.labels_wanted;
  wanted.quota += setup.quota_wanted;
  if (!setup.commit) {
    ++counters_.reserves;
    if (setup.held) {
      ledger_.note_hold_end(admission.hop, now_ + std::chrono::milliseconds{setup.hold_ms});
    }
    answer(place, success(record, action));
    return;
  }
  wait(record.commit_waiters, place);
  const auto below = ledger_.stacks().below(admission.hop);
  if (below && !planted(Bug::kMovedByAdding)) {
    send_move(admission.hop, ledger_.hops().cross_connect(*below));
  } else {
    send_add(admission.hop);
  }
}

void SwitchController::remove(Place place, ManagerIndex manager, const HopKey& key) {
  const auto ref = ledger_.hops().find(manager, key);
  const Cause unreachable = up() ? Cause::kNone : Cause::kSwitchUnreachable;
  if (!ref) {
    const bool waits = waits_for_others(manager, key);
    return answer(
        place, refusal(key, HopAction::kRemove, waits ? Cause::kSwitchUnreachable : unreachable));
  }
  HopRecord& record = ledger_.hop(*ref);
  if (ledger_.goes_at_once(*ref)) return answer(place, remove_at_once(*ref));
  ledger_.begin_removal(*ref);
  if (!up()) return answer(place, refusal(key, HopAction::kRemove, unreachable));
  if (planted(Bug::kRemovalAnsweredEarly)) {
    answer(place, removal_of(*ref));
  } else {
    wait(record.remove_waiters, place);
  }
  request_removal(*ref);
}

// Of a hop that goes_at_once(). Answers of the switch to what is open for it will find no hop:
// whoever waits for them is answered now, and nothing is left for the next hop in that record.
HopResult SwitchController::remove_at_once(HopRef ref) {
  HopRecord& record = ledger_.hop(ref);
  const HopKey key = record.key;
  const HopResult done = removal_of(ref);
  const auto below = ledger_.stacks().below(ref);
  std::uint32_t commits = std::exchange(record.commit_waiters, kNil);
  std::uint32_t removals = std::exchange(record.remove_waiters, kNil);
  if (record.stage() != HopStage::kReserved) note_end(record);
  ledger_.begin_removal(ref);
  moves_.erase(ref);
  const std::uint64_t generation = key.generation.value();
  if (const auto open = changes_.find(ref); open != changes_.end()) {
    answer_released(changes_.extract(open).mapped());
  }
  answer_all(commits, refusal(key, HopAction::kCommit, Cause::kBeingReleased, generation));
  answer_all(removals, done);
  advance(below);
  ++counters_.removes;
  return done;
}

// The removal follows what is under way above; a request that the switch refused is sent again.
void SwitchController::request_removal(HopRef ref) {
  if (!HopFsm::delete_due(ledger_.hop(ref).state())) return;
  HopRef top = ref;
  while (const auto above = ledger_.stacks().above(top)) top = *above;
  if (HopFsm::delete_due(ledger_.hop(top).state())) send_remove(top);
}

// ===== exchange of labels and quotas =====

SwitchController::Wanted& SwitchController::wanted_of(PortId port) {
  const auto same = std::find_if(wanted_.begin(), wanted_.end(),
                                 [&](const Wanted& wanted) { return wanted.port == port; });
  return same != wanted_.end() ? *same : wanted_.emplace_back(Wanted{port, 0, {}});
}

// Grants the labels and quota that the accepted setups want, as far as they are free.
void SwitchController::grant_wanted(ManagerIndex manager, HopResultBatch& out) {
  std::size_t left = options_.labels_per_grant_max;
  for (const Wanted& wanted : wanted_) {
    if (wanted.labels != 0 || wanted.quota != Resources{}) {
      Grant granted = grant_some(manager, wanted.port, std::min(wanted.labels, left), wanted.quota);
      left -= granted.labels.size();
      if (!granted.labels.empty()) {
        out.granted.push_back({wanted.port, std::move(granted.labels)});
      }
      if (granted.quota != Resources{}) out.quota_granted.push_back({wanted.port, granted.quota});
    }
    recalls_.check_low(ledger_, manager, wanted.port, now_);
  }
}

SwitchController::Grant SwitchController::grant_some(ManagerIndex manager, PortId port,
                                                     std::size_t labels, Resources quota) {
  Grant granted;
  if (waits_for_claims(port)) return granted;
  const GrantRoom room = ledger_.grants().grant_room(manager, port, {labels, quota});
  if (labels != room.labels || quota != room.quota) ++counters_.grants_bounded;
  labels = static_cast<std::size_t>(room.labels);
  quota = room.quota;
  const auto missing = ledger_.grants().grant_labels(manager, port, labels, granted.labels);
  counters_.labels_granted += granted.labels.size();
  if (missing.share != 0) note_over_share(port);
  granted.quota = ledger_.grants().grant_quota(manager, port, quota);
  const PortRecall rest{port,
                        static_cast<std::uint32_t>(missing.free),
                        {quota.cells_per_s - granted.quota.cells_per_s,
                         quota.buffer_cells - granted.quota.buffer_cells}};
  if (rest.labels != 0 || rest.quota != Resources{}) {
    recalls_.short_of(ledger_, manager, rest, now_);
  }
  return granted;
}

// Recalls what other managers could have spared to avoid this refusal. Bandwidth is recalled only
// if it would suffice; otherwise they would give up their quotas for nothing.
void SwitchController::note_shortage(ManagerIndex manager, const Admission& refused) {
  if (refused.cause == Cause::kOverShare) note_over_share(refused.port);
  PortRecall missing{refused.port, refused.labels_missing, refused.quota_missing};
  if (missing.quota != Resources{} &&
      !missing.quota.fits_within(RecallDesk::unused_of_others(ledger_, manager, refused.port))) {
    missing.quota = {};
  }
  if (missing.labels != 0 || missing.quota != Resources{}) {
    log::labels.debug("manager {} finds {} labels and {} cells/s too few at port {}",
                      ledger_.managers().name(manager), missing.labels, missing.quota.cells_per_s,
                      missing.port);
    recalls_.short_of(ledger_, manager, missing, now_);
  }
}

void SwitchController::note_over_share(PortId port) {
  ++counters_.over_share;
  recalls_.check_shares(ledger_, port, now_);
}

void SwitchController::take_back(ManagerIndex manager, const HopBatch& batch) {
  for (const PortLabels& returned : batch.returned) take_back(manager, returned);
  for (const PortQuota& returned : batch.quota_returned) {
    take_back(manager, returned.port, returned.quota);
  }
  for (const PortDemand& declared : batch.declared) {
    recalls_.check_shares(ledger_, declared.port, now_);
  }
}

void SwitchController::take_back(ManagerIndex manager, const PortLabels& returned) {
  for (const Label label : returned.labels) {
    if (ledger_.grants().return_label(manager, returned.port, label)) {
      ++counters_.labels_returned;
      if (!unclaimed_.empty()) block_output_again(returned.port, label);
    } else {
      ++counters_.returned_not_held;
    }
  }
}

void SwitchController::take_back(ManagerIndex manager, PortId port, Resources quota) {
  if (!ledger_.grants().return_quota(manager, port, quota)) ++counters_.quota_not_held;
}

Result<SwitchController::Grant> SwitchController::grant(std::string_view name, PortId port,
                                                        std::size_t labels, Resources quota,
                                                        TimePoint now) {
  const auto manager = attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  if (!up()) return fail(ErrorCode::kUnreachable, "the switch of {} is not up", options_.name);
  if (!ledger_.ports().has(port)) {
    return fail(ErrorCode::kNotFound, "{} has no port {}", options_.name, port);
  }
  now_ = now;
  Grant granted =
      grant_some(*manager, port, std::min(labels, options_.labels_per_grant_max), quota);
  recalls_.check_low(ledger_, *manager, port, now);
  return granted;
}

Result<void> SwitchController::give_back(std::string_view name, const PortLabels& labels,
                                         Resources quota) {
  const auto manager = attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  take_back(*manager, labels);
  take_back(*manager, labels.port, quota);
  return {};
}

}  // namespace xbind
