// SwitchController: managers and their commands.
#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

#include "core/ahead.hpp"
#include "core/log.hpp"
#include "core/planted.hpp"
#include "switchserver/hop_answers.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

// ===== managers =====

Result<ManagerIndex> SwitchController::attached(std::string_view manager) const {
  const auto index = ledger_.managers().find(manager);
  if (!index || !sessions_[index->value()].attached) {
    return fail(ErrorCode::kNotFound, "manager {} is not attached", manager);
  }
  return *index;
}

Result<SwitchController::Attachment> SwitchController::attach(std::string_view manager,
                                                              Epoch epoch) {
  const bool known = ledger_.managers().find(manager).has_value();
  if (epoch.value() > kManagerEpochMax) {
    return fail(ErrorCode::kBadInput, "manager {} came with epoch {}, but {} is the last one",
                manager, epoch, kManagerEpochMax);
  }
  auto index = ledger_.manager(manager);
  if (!index && index.error().code == ErrorCode::kExhausted && make_room_for_manager()) {
    index = ledger_.manager(manager);
  }
  if (!index) return tl::make_unexpected(index.error());
  if (sessions_.size() <= index->value()) sessions_.resize(index->value() + std::size_t{1});
  Session& session = sessions_[index->value()];
  if (!known) session = {};  // reuses the place of a forgotten name
  if (epoch < session.epoch && !planted(Bug::kOldEpochAccepted)) {
    ++counters_.fenced;
    return tl::make_unexpected(
        Error{ErrorCode::kFenced,
              fmt::format("manager {} is fenced: it came with epoch {}, but epoch {} is known",
                          manager, epoch, session.epoch),
              session.epoch.value()});
  }
  if (session.attached) end_session(*index);
  std::erase_if(rests_, [&](const Rest& rest) { return rest.manager == *index; });
  session.attached = true;
  session.epoch = epoch;
  ledger_.open_session(*index);
  if (planted(Bug::kAttachEndsWait)) settling_.done(manager);
  return Attachment{ledger_.ports().present(),
                    ledger_.labels().list(LabelHolder::kQuarantine, *index),
                    ledger_.managers().hops(*index) + uncertain_of(*index),
                    claims_awaited(*index),
                    settling_.table_kept(manager),
                    entries_of_nobody()};
}

// Names of strangers that attached once must not keep out a new manager for ever. A name is given
// up only if nothing of it is left: no hop, no label, nothing that it may claim.
bool SwitchController::make_room_for_manager() {
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    const ManagerIndex index{static_cast<std::uint16_t>(i)};
    const std::string& name = ledger_.managers().name(index);
    if (sessions_[i].attached || uncertain_of(index) != 0 || settling_.awaited().contains(name) ||
        ledger_.managers().hops(index) != 0 || ledger_.labels().has_labels(index)) {
      continue;
    }
    log::sessions.info("manager {} has nothing here; its name is forgotten to make room", name);
    std::erase_if(rests_, [&](const Rest& rest) { return rest.manager == index; });
    ledger_.forget_manager(index);
    return true;
  }
  return false;
}

ManagerEpochs SwitchController::epochs_of(std::string_view manager) const {
  const auto index = ledger_.managers().find(manager);
  if (!index || index->value() >= sessions_.size()) return {};
  std::set<std::uint64_t> used;
  ledger_.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (record.manager != *index) return;
    used.insert(epoch_of(record.key.connection));
    used.insert(epoch_of(ledger_.extras().shown_id(ref)));
    if (used.size() > kEpochsListedMax + 1) used.erase(std::prev(used.end()));
  });
  for (const auto& [key, hop] : uncertain_) {
    if (key.first == *index) used.insert(epoch_of(key.second.connection));
  }
  used.erase(0);  // of hops without another id
  std::vector<std::uint64_t> listed(used.begin(), used.end());
  listed.resize(std::min(listed.size(), kEpochsListedMax));
  const Session& session = sessions_[index->value()];
  return epochs_at_switch(session.epoch, session.renewals, std::move(listed));
}

Result<void> SwitchController::renew_epoch(std::string_view manager, Epoch newest) {
  if (newest == Epoch{} || newest.value() > kManagerEpochMax) {
    return fail(ErrorCode::kBadInput, "epoch {} is not in 1 to {}", newest, kManagerEpochMax);
  }
  const auto index = ledger_.managers().find(manager);
  if (!index || index->value() >= sessions_.size()) return {};
  Session& session = sessions_[index->value()];
  if (session.attached) {
    return fail(ErrorCode::kBadInput, "manager {} is attached, with epoch {}", manager,
                session.epoch);
  }
  log::sessions.warn("the epochs of manager {} are renewed: {} after {}", manager, newest,
                     session.epoch);
  session.epoch = newest;
  ++session.renewals;
  return {};
}

void SwitchController::detach(std::string_view manager) {
  if (const auto index = attached(manager)) end_session(*index);
}

void SwitchController::end_session(ManagerIndex manager) {
  sessions_[manager.value()].attached = false;
  for (Batch& batch : batches_) {
    if (batch.manager == manager) batch.wanted = false;
  }
  recalls_.session_ended(manager);
  ledger_.lapse(manager);
  rests_.push_back({manager});
  ++counters_.lapses;
}

void SwitchController::end_rests(TimePoint now) {
  for (; !rests_.empty() && now >= rests_.front().until; rests_.pop_front()) {
    ledger_.end_rest(rests_.front().manager);
  }
}

Result<std::uint64_t> SwitchController::forget(std::string_view manager) {
  const auto index = ledger_.managers().find(manager);
  if (!index) return fail(ErrorCode::kNotFound, "no manager {} is known", manager);
  if (sessions_[index->value()].attached) {
    return fail(ErrorCode::kBadInput, "manager {} is attached", manager);
  }
  std::erase_if(rests_, [&](const Rest& rest) { return rest.manager == *index; });
  // No manager will repeat these removals. If the switch still has such a cross-connect, the audit
  // reports it as stray.
  std::erase_if(uncertain_, [&](const auto& entry) { return entry.first.first == *index; });
  if (up()) {
    note_claimed_all(*index);
    flush();
  } else {
    settling_.done(manager);
  }
  return ledger_.forget_manager(*index);
}

Result<std::uint64_t> SwitchController::clear_hops(std::string_view manager,
                                                   ConnectionId connection, TimePoint now,
                                                   std::vector<ClearedCall>* calls) {
  const auto index = ledger_.managers().find(manager);
  if (!index) return 0;
  if (sessions_[index->value()].attached) {
    return fail(ErrorCode::kBadInput, "manager {} is attached", manager);
  }
  now_ = now;
  std::vector<HopRef> cleared;
  ledger_.hops().for_each([&](HopRef ref, const HopRecord& record) {
    const bool meant = connection == ConnectionId{} || record.key.connection == connection ||
                       ledger_.extras().shown_id(ref) == connection;
    if (record.manager == *index && meant) cleared.push_back(ref);
  });
  // Hops that take over from others go before those.
  std::sort(cleared.begin(), cleared.end(), [&](HopRef a, HopRef b) {
    return ledger_.hop(a).key.generation > ledger_.hop(b).key.generation;
  });
  // While a call moves to another path, it has two first hops.
  std::set<ConnectionId> noted;
  const auto note = [&](HopRef ref) {
    const HopRecord& hop = ledger_.hop(ref);
    if (calls == nullptr || !hop.first() || hop.key.leg != 0) return;
    if (hop.stage() == HopStage::kRemoving) return;  // was noted when its removal began
    const ConnectionId shown = ledger_.extras().shown_id(ref);
    const ConnectionId id = shown != ConnectionId{} ? shown : hop.key.connection;
    if (noted.insert(id).second) calls->push_back({id, hop.request, ledger_.hops().owner_of(hop)});
  };
  std::uint64_t left = 0;
  for (const HopRef ref : cleared) {
    if (ledger_.find_hop(ref) == nullptr) continue;  // it went with another one
    note(ref);
    if (ledger_.goes_at_once(ref)) {
      remove_at_once(ref);
      continue;
    }
    ledger_.begin_removal(ref);
    if (up()) request_removal(ref);
    ++left;
  }
  flush();
  return left;
}

std::vector<SwitchController::ManagerHoldings> SwitchController::holdings() const {
  std::vector<ManagerHoldings> all;
  const ManagerTable& table = ledger_.managers();
  for (std::size_t i = 0; i < std::min(sessions_.size(), table.size()); ++i) {
    const ManagerIndex index{static_cast<std::uint16_t>(i)};
    const KnownManager known{table.name(index), sessions_[i].epoch};
    if (known.name.empty()) continue;
    all.push_back({known, sessions_[i].attached, table.forgotten(index), table.hops(index)});
  }
  return all;
}

// ===== commands =====

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
