#include "switchserver/controller/commands.hpp"

#include "core/ahead.hpp"
#include "core/planted.hpp"
#include "switchserver/controller/hop_answers.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind::controller {

Result<void> Commands::apply(std::string_view name, const HopBatch& batch, Token token,
                             TimePoint now) {
  const auto manager = parts_.sessions.attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  Ledger& ledger = parts_.ledger;
  Answers& answers = parts_.answers;
  parts_.now = now;
  ++parts_.counters.batches;
  const bool room = answers.open_batches() < parts_.options.open_batches_max;
  const std::uint32_t index = answers.open(*manager, token, batch.commands());
  if (!batch.traced.empty()) answers.trace(index, batch.traced);
  parts_.exchange.begin();

  // The share declared with a batch already applies to its own setups.
  for (const PortDemand& declared : batch.declared) {
    ledger.grants().declare(*manager, declared.port, declared.labels);
  }
  owners_.clear();
  for (const HopOwner& owner : batch.owners) owners_.push_back(ledger.owners().take(owner));
  Place place{index, 0};
  for (const HopModify& wanted : batch.modifies) {
    parts_.changes.modify(place, *manager, wanted);
    ++place.position;
  }
  const HopTable& hops = ledger.hops();
  const auto place_of = [&](const auto& command) { hops.prefetch_place(*manager, command.key); };
  Ahead removals(batch.removals, place_of,
                 [&](const HopRemoval& removal) { hops.prefetch(*manager, removal.key); });
  Ahead setups(batch.setups, place_of, [&](const HopSetup& setup) {
    hops.prefetch(*manager, setup.key);
    ledger.labels().prefetch(setup);
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
      answers.answer(place,
                     refusal(setup.key, action_of(setup), Cause::kBusy, answers.open_batches()));
    }
    ++place.position;
  }
  for (const std::uint32_t owner : owners_) ledger.owners().release(owner);
  parts_.exchange.take_back(*manager, batch);
  parts_.exchange.grant_wanted(*manager, answers.out(index));
  answers.close(index);
  parts_.life.reread_if_due(now);
  parts_.link.flush();
  return {};
}

void Commands::set_up(Place place, ManagerIndex manager, const HopSetup& setup) {
  Ledger& ledger = parts_.ledger;
  Answers& answers = parts_.answers;
  const HopAction action = action_of(setup);
  if (!parts_.link.up()) {
    const auto reserved = ledger.hops().find(manager, setup.key);
    if (setup.commit && reserved && ledger.hop(*reserved).stage() == HopStage::kReserved) {
      ledger.undo(*reserved);  // a refused commit leaves nothing of its hop
    }
    return answers.answer(place, refusal(setup.key, action, Cause::kSwitchUnreachable));
  }
  if (!parts_.claims.admits_new(setup.input_port, setup.output_port) &&
      !ledger.hops().find(manager, setup.key)) {
    return answers.answer(place, refusal(setup.key, action, Cause::kSwitchUnreachable));
  }
  const std::uint32_t owner = setup.owner < owners_.size() ? owners_[setup.owner] : kNoOwner;
  const Admission admission = ledger.set_up(manager, setup, owner);
  if (!admission.admitted()) {
    parts_.exchange.note_shortage(manager, admission);
    return answers.answer(place, refusal(setup.key, action, admission));
  }
  HopRecord& record = ledger.hop(admission.hop);
  if (admission.repeated) {
    ++parts_.counters.repeats;
    if (record.stage() == HopStage::kCommitting) {
      answers.wait(record.commit_waiters, place);
    } else {
      answers.answer(place, success(record, action));
    }
    return;
  }
  parts_.exchange.want(setup);
  if (!setup.commit) {
    ++parts_.counters.reserves;
    if (setup.held) {
      ledger.note_hold_end(admission.hop, parts_.now + std::chrono::milliseconds{setup.hold_ms});
    }
    return answers.answer(place, success(record, action));
  }
  answers.wait(record.commit_waiters, place);
  const auto below = ledger.stacks().below(admission.hop);
  if (below && !planted(Bug::kMovedByAdding)) {
    parts_.hops.send_move(admission.hop, ledger.hops().cross_connect(*below));
  } else {
    parts_.hops.send_add(admission.hop);
  }
}

void Commands::remove(Place place, ManagerIndex manager, const HopKey& key) {
  Ledger& ledger = parts_.ledger;
  Answers& answers = parts_.answers;
  const auto ref = ledger.hops().find(manager, key);
  const bool up = parts_.link.up();
  if (!ref) {
    const bool unknown = up && !parts_.claims.waits_for_others(manager, key);
    return answers.answer(place, refusal(key, HopAction::kRemove,
                                         unknown ? Cause::kNone : Cause::kSwitchUnreachable));
  }
  HopRecord& record = ledger.hop(*ref);
  if (ledger.goes_at_once(*ref)) return answers.answer(place, parts_.hops.remove_at_once(*ref));
  ledger.begin_removal(*ref);
  if (!up) {
    return answers.answer(place, refusal(key, HopAction::kRemove, Cause::kSwitchUnreachable));
  }
  if (planted(Bug::kRemovalAnsweredEarly)) {
    answers.answer(place, parts_.hops.removal_of(*ref, record));
  } else {
    answers.wait(record.remove_waiters, place);
  }
  parts_.hops.request_removal(*ref);
}

std::vector<HopRoom> Commands::would_take(std::string_view manager,
                                          std::span<const HopQuestion> hops) const {
  const auto admits = [&](const HopQuestion& hop) {
    return parts_.claims.admits_new(hop.input_port, hop.output_port);
  };
  std::vector<HopQuestion> admitted;
  for (const HopQuestion& hop : hops) {
    if (admits(hop)) admitted.push_back(hop);
  }
  const auto known = parts_.ledger.managers().find(manager);
  const std::vector<HopRoom> rooms = parts_.ledger.would_take(known.value_or(kNoManager), admitted);
  std::vector<HopRoom> all;
  all.reserve(hops.size());
  auto next = rooms.begin();
  for (const HopQuestion& hop : hops) {
    all.push_back(admits(hop) ? *next++ : HopRoom{.cause = Cause::kSwitchUnreachable});
  }
  return all;
}

}  // namespace xbind::controller
