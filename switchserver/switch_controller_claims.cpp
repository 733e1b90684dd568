// SwitchController: hops that managers claim after a restart, and what the switch has of them.
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/planted.hpp"
#include "switchserver/hop_answers.hpp"
#include "switchserver/rebuilt_hops.hpp"
#include "switchserver/switch_controller.hpp"
#include "switchserver/unclaimed_entries.hpp"

namespace xbind {

namespace {

constexpr int kRebuildRoundsMax = 16;  // of the hops of a page; each settles at least one

}  // namespace

// ===== the switch against the ledger =====

// The hop with these labels is gone, and so is its entry, which is still in `unclaimed_` before the
// last page of claims. Another entry that nobody claims may begin at the same input, or end at the
// same output.
void SwitchController::block_again(const CrossConnect& gone) {
  const CrossConnect untold{gone.input_port, gone.input_label, PortId{}, Label{}};
  auto own = std::find(unclaimed_.begin(), unclaimed_.end(), gone);
  if (own == unclaimed_.end()) own = std::find(unclaimed_.begin(), unclaimed_.end(), untold);
  if (own != unclaimed_.end()) unclaimed_.erase(own);
  for_each_entry_on(unclaimed_, gone.input_port, gone.input_label,
                    [&](const CrossConnect& entry) { ledger_.block(entry); });
  block_output_again(gone.output_port, gone.output_label);
}

void SwitchController::block_output_again(PortId port, Label label) {
  const auto place = ledger_.labels().output_label(port, label);
  if (!place || place->holder > LabelHolder::kFree) return;
  for (const CrossConnect& entry : unclaimed_) {
    if (entry.output_port == port && entry.output_label == label && !is_claimed(ledger_, entry)) {
      ledger_.block(entry);
    }
  }
}

// Compares the chosen hops with `unclaimed_`, which has every entry that may be theirs, and changes
// the switch where it differs. Leaves the entries in `unclaimed_` that no hop claims.
template <class Which>
void SwitchController::match(Which which) {
  const std::vector<CrossConnect>& there = unclaimed_;
  // The input has an entry that no hop claims: an add would become its branch. The audit reports
  // it.
  const auto would_branch = [&](const CrossConnect& wanted) {
    bool stranger = false;
    for_each_entry_on(
        unclaimed_, wanted.input_port, wanted.input_label,
        [&](const CrossConnect& entry) { stranger = stranger || !is_claimed(ledger_, entry); });
    return stranger;
  };
  // Hops that are being removed and absent from the table are gone; do this before their lower
  // hops.
  ledger_.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (record.state() != HopFsm::State::kLeaving || !which(record)) return;
    const CrossConnect wanted = ledger_.hops().cross_connect(record);
    const CrossConnect untold{wanted.input_port, wanted.input_label, PortId{}, Label{}};
    const bool in_table = std::binary_search(there.begin(), there.end(), wanted) ||
                          std::binary_search(there.begin(), there.end(), untold);
    if (!in_table) finish_removal(ref, ledger_.step(ref, HopFsm::Event::kForgotten));
  });
  state_ = State::kUp;
  ledger_.hops().for_each([&](HopRef ref, const HopRecord&) {
    HopRecord& record = ledger_.hop(ref);
    if (!which(record)) return;
    record.claim = HopClaim::kCompared;
    if (ledger_.stacks().above(ref)) return;
    const CrossConnect wanted = ledger_.hops().cross_connect(record);
    const bool in_table = std::binary_search(there.begin(), there.end(), wanted);
    if (HopFsm::delete_due(record.state())) {
      ++counters_.cleaned;
      send_remove(ref);
    } else if (record.settled()) {
      if (!in_table && !would_branch(wanted) && !planted(Bug::kNotPutBack)) {
        put_back_or_move(ref);
      } else if (in_table && HopFsm::stale(record.state())) {
        reassert(ref);
      }
    }
  });
  // Hops of claims that are not complete are still to be compared.
  std::erase_if(unclaimed_,
                [&](const CrossConnect& entry) { return is_claimed(ledger_, entry, true); });
}

// Changes the switch, whose whole table is given, to match the ledger.
void SwitchController::match_ledger(const std::vector<CrossConnect>& table) {
  unclaimed_ = table;
  std::sort(unclaimed_.begin(), unclaimed_.end());
  match([](const HopRecord&) { return true; });
  unclaimed_.shrink_to_fit();
  block_entries(unclaimed_, ledger_);
  settling_.table_read(now_);
  settle_uncertain();  // a manager may have been forgotten while the switch was away
  rounds_.switch_up(ledger_.ports().present().size(), now_);
}

// ===== claims =====

Result<ClaimsTaken> SwitchController::claim(std::string_view name, const HopClaims& page,
                                            TimePoint now) {
  const auto manager = attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  if (!up()) return fail(ErrorCode::kUnreachable, "the switch of {} is not up", options_.name);
  now_ = now;
  std::vector<std::uint32_t> owners;
  for (const HopOwner& owner : page.owners) owners.push_back(ledger_.owners().take(owner));
  ClaimsTaken taken;
  for (const LedgerHop& claimed : page.hops) {
    if (claimed.rebuilt) continue;
    claim(*manager, claimed, claimed.owner < owners.size() ? owners[claimed.owner] : kNoOwner,
          taken);
  }
  claim_rebuilt(*manager, page, owners, taken);
  for (const std::uint32_t owner : owners) ledger_.owners().release(owner);
  for (const PortLabels& port : page.resting) {
    for (const Label label : port.labels) {
      ledger_.grants().claim_resting(*manager, port.port, label);
    }
  }
  if (!page.last) return taken;
  if (std::exchange(sessions_[manager->value()].compare, false)) {
    match([&](const HopRecord& record) {
      return record.manager == *manager && record.claim == HopClaim::kAwaited;
    });
  }
  if (page.all) note_claimed_all(*manager);
  flush();
  taken.quarantined = ledger_.labels().list(LabelHolder::kQuarantine, *manager);
  taken.unclaimed = entries_on_inputs_of(unclaimed_, ledger_, *manager, kHopsPerPage);
  taken.unclaimed_entries = entries_of_nobody();
  return taken;
}

void SwitchController::claim(ManagerIndex manager, const LedgerHop& claimed, std::uint32_t owner,
                             ClaimsTaken& taken) {
  const bool removing = claimed.stage == HopStage::kRemoving;
  const bool uncertain = removing && !claimed.settled && !settling_.all_claimed();
  if (uncertain && !ledger_.hops().find(manager, claimed.key)) {
    // Nobody can claim what is not there. Without a file of managers the wait has an end: then the
    // entry stays.
    if (!settling_.unsure() || !may_be_among(claimed.cross_connect, unclaimed_)) return;
    if (uncertain_.size() < options_.ledger.hops_max) {
      uncertain_.insert_or_assign({manager, claimed.key}, claimed);
    } else {
      ++counters_.claims_refused;
      taken.refused.push_back(
          refusal(claimed.key, HopAction::kCommit, Cause::kBusy, uncertain_.size() + 1));
    }
    return;
  }
  const auto hop = completed(claimed, unclaimed_);
  if (hop) enter(manager, *hop, owner, taken);
}

bool SwitchController::enter(ManagerIndex manager, const LedgerHop& hop, std::uint32_t owner,
                             ClaimsTaken& taken) {
  const Admission admission = ledger_.claim(manager, hop, owner);
  if (admission.admitted()) {
    if (!admission.repeated) {
      ++counters_.claims;
      if (hop.held) ledger_.note_hold_end(admission.hop, now_ + hop.hold_left);
    }
    bool& compare = sessions_[manager.value()].compare;
    compare = compare || ledger_.hop(admission.hop).claim == HopClaim::kAwaited;
    return true;
  }
  // One to be removed is gone if the switch lacks its entry, or if another hop has that entry: two
  // setups, one after the other, may have had one label.
  const bool gone = hop.stage == HopStage::kRemoving &&
                    (!std::binary_search(unclaimed_.begin(), unclaimed_.end(), hop.cross_connect) ||
                     is_claimed(ledger_, hop.cross_connect));
  if (!gone) {
    ++counters_.claims_refused;
    taken.refused.push_back(refusal(hop.key, HopAction::kCommit, admission));
  }
  return false;
}

// An entry is taken for a hop only if it fits no other one: which call an entry serves is not
// guessed. Those that are known wholly come first, so that their entries are no alternatives.
void SwitchController::claim_rebuilt(ManagerIndex manager, const HopClaims& page,
                                     const std::vector<std::uint32_t>& owners, ClaimsTaken& taken) {
  std::vector<RebuiltHop> waiting;
  for (const LedgerHop& claimed : page.hops) {
    if (claimed.rebuilt) waiting.push_back({&claimed, {}});
  }
  if (waiting.empty()) return;
  const EntryIndex entries(unclaimed_);
  const auto free = [&](const CrossConnect& entry) { return !is_claimed(ledger_, entry); };
  const auto take = [&](const RebuiltHop& one) {
    LedgerHop hop = *one.claimed;
    hop.cross_connect = *one.fit.taken;
    const std::uint32_t owner = hop.owner < owners.size() ? owners[hop.owner] : kNoOwner;
    if (!enter(manager, hop, owner, taken)) return;
    // The switch does not say where the entry leads: to add it again might make a branch.
    if (one.fit.untold)
      ledger_.hop(*ledger_.hops().find(manager, hop.key)).claim = HopClaim::kCompared;
  };
  // A hop of the same leg has that input, and an entry of its own in the switch. Of hops that took
  // over from one another only one has; these two would count as such, and the lower one's entry
  // would stay when both are removed. One of them is a leaf's.
  const auto refuse_second = [&](RebuiltHop& one) {
    if (!one.fit.taken) return;
    const HopKey& key = one.claimed->key;
    bool second = false;
    ledger_.users().for_each_on_input(
        one.fit.taken->input_port, one.fit.taken->input_label,
        [&](HopRef ref, const HopRecord& record) {
          const bool same_leg = record.manager == manager && record.key.leg == key.leg &&
                                record.key.connection == key.connection;
          if (!same_leg || ledger_.stacks().above(ref)) return;
          second = second || record.claim == HopClaim::kCompared ||
                   std::ranges::binary_search(unclaimed_, ledger_.hops().cross_connect(record));
        });
    if (second) one.fit = {{}, false, Cause::kIncomplete, 2};
  };
  std::erase_if(waiting, [&](RebuiltHop& one) {
    if (ledger_.hops().find(manager, one.claimed->key)) return true;  // a repetition
    one.fit = entries.fit_for(*one.claimed, free);
    if (planted(Bug::kRebuiltUnseen) && one.fit.cause == Cause::kNotConnected) {
      one.fit.taken = one.claimed->cross_connect;
    }
    refuse_second(one);
    if (!one.fit.taken || !is_whole(one.claimed->cross_connect)) return false;
    take(one);
    return true;
  });
  for (int round = 0; round < kRebuildRoundsMax; ++round) {
    for (RebuiltHop& one : waiting) one.fit = entries.fit_for(*one.claimed, free);
    refuse_contested(waiting);
    const auto taken_now = std::erase_if(waiting, [&](RebuiltHop& one) {
      refuse_second(one);
      if (one.fit.taken) take(one);
      return one.fit.taken.has_value();
    });
    if (taken_now == 0) break;
  }
  for (const RebuiltHop& one : waiting) {
    ++counters_.claims_refused;
    taken.refused.push_back(
        refusal(one.claimed->key, HopAction::kCommit, one.fit.cause, one.fit.asked));
  }
}

void SwitchController::note_claimed_all(ManagerIndex manager) {
  sessions_[manager.value()].claimed_all = true;
  settling_.done(ledger_.managers().name(manager));
  settle_uncertain();
}

// Once every manager has claimed its hops, entries that are left belong to the uncertain ones.
void SwitchController::settle_uncertain() {
  if (settling_.unsure() || uncertain_.empty()) return;
  ClaimsTaken ignored;
  for (const auto& [whose, hop] : std::exchange(uncertain_, {})) {
    claim(whose.first, hop, kNoOwner, ignored);
  }
  match([](const HopRecord& record) {
    return record.claim == HopClaim::kAwaited && record.stage() == HopStage::kRemoving;
  });
}

// Its entry may be another manager's. When that has claimed it, or it has gone, nothing is to be
// removed any more.
bool SwitchController::waits_for_others(ManagerIndex manager, const HopKey& key) {
  if (uncertain_.empty()) return false;
  const auto hop = uncertain_.find({manager, key});
  if (hop == uncertain_.end()) return false;
  if (!up() || may_be_among(hop->second.cross_connect, unclaimed_)) return true;
  uncertain_.erase(hop);
  return false;
}

// The ledger was lost, and hops of that name may be missing in it. If it is not known which
// managers there were, what the switch has kept is all that there was.
bool SwitchController::claims_awaited(ManagerIndex manager) const {
  if (settling_.all_known()) {
    return settling_.awaited().contains(ledger_.managers().name(manager));
  }
  const bool all_seen =
      up() && settling_.table_kept(ledger_.managers().name(manager)) && unclaimed_.empty();
  return !sessions_[manager.value()].claimed_all && !all_seen;
}

std::uint64_t SwitchController::entries_of_nobody() const {
  if (!up() || (settling_.pending() && !unclaimed_.empty())) return kEntriesUnknown;
  return std::min<std::uint64_t>(unclaimed_.size(), kEntriesUnknown - 1);
}

void SwitchController::end_settling(TimePoint now) {
  settling_.on_time(now);
  if (!settling_.unsure() && !uncertain_.empty()) {
    log::gsmp.warn(
        "{} removals that were never confirmed are given up: it is not known which managers may "
        "have these labels",
        uncertain_.size());
    uncertain_.clear();
  }
  if (unclaimed_.empty()) return;
  std::string awaited = "it is not known which managers there were";
  if (!settling_.awaited().empty()) {
    awaited = fmt::format("not all claimed: {}", fmt::join(settling_.awaited(), ", "));
  }
  log::gsmp.warn("{} cross-connects have not been claimed in time, and stay; {}", unclaimed_.size(),
                 awaited);
}

std::vector<KnownManager> SwitchController::known_managers() const {
  std::vector<KnownManager> known;
  for (std::size_t i = 0; i < std::min(sessions_.size(), ledger_.managers().size()); ++i) {
    const ManagerIndex index{static_cast<std::uint16_t>(i)};
    const std::string& name = ledger_.managers().name(index);
    if (name.empty() || ledger_.managers().forgotten(index)) continue;
    known.push_back({.name = name,
                     .epoch = sessions_[i].epoch,
                     .renewals = sessions_[i].renewals,
                     .table_lost = settling_.table_lost(name)});
  }
  return known;
}

}  // namespace xbind
