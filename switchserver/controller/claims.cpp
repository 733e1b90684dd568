#include "switchserver/controller/claims.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/log.hpp"
#include "core/manager_epochs.hpp"
#include "core/planted.hpp"
#include "switchserver/controller/hop_answers.hpp"
#include "switchserver/controller/parts.hpp"
#include "switchserver/controller/unclaimed_entries.hpp"

namespace xbind::controller {
namespace {

constexpr int kRebuildRoundsMax = 16;  // of the hops of a page; each settles at least one

}  // namespace

// ===== managers =====

Claims::Claimant& Claims::claimant(ManagerIndex manager) {
  if (claimants_.size() <= manager.value()) claimants_.resize(manager.value() + std::size_t{1});
  return claimants_[manager.value()];
}

void Claims::begin(ManagerIndex manager) { claimant(manager) = {}; }

// The ledger was lost, and hops of that name may be missing in it. If it is not known which
// managers there were, what the switch has kept is all that there was.
bool Claims::awaited_from(ManagerIndex manager) const {
  const Settling& settling = parts_.settling;
  const std::string& name = parts_.ledger.managers().name(manager);
  if (settling.all_known()) return settling.awaited().contains(name);
  const bool all_seen =
      parts_.link.up() && settling.table_kept(name) && parts_.match.unclaimed().empty();
  const bool claimed_all =
      manager.value() < claimants_.size() && claimants_[manager.value()].claimed_all;
  return !claimed_all && !all_seen;
}

void Claims::complete(ManagerIndex manager) {
  claimant(manager).claimed_all = true;
  parts_.settling.done(parts_.ledger.managers().name(manager));
  settle_uncertain();
}

void Claims::forget(ManagerIndex manager) {
  std::erase_if(uncertain_, [&](const auto& entry) { return entry.first.first == manager; });
  if (parts_.link.up()) {
    complete(manager);
  } else {
    parts_.settling.done(parts_.ledger.managers().name(manager));
  }
}

// ===== claims =====

Result<ClaimsTaken> Claims::take(std::string_view name, const HopClaims& page, TimePoint now) {
  Ledger& ledger = parts_.ledger;
  const auto manager = parts_.sessions.attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  if (!parts_.link.up()) {
    return fail(ErrorCode::kUnreachable, "the switch of {} is not up", parts_.options.name);
  }
  parts_.now = now;
  std::vector<std::uint32_t> owners;
  owners.reserve(page.owners.size());
  for (const HopOwner& owner : page.owners) owners.push_back(ledger.owners().take(owner));
  ClaimsTaken taken;
  for (const LedgerHop& claimed : page.hops) {
    if (claimed.rebuilt) continue;
    claim(*manager, claimed, claimed.owner < owners.size() ? owners[claimed.owner] : kNoOwner,
          taken);
  }
  claim_rebuilt(*manager, page, owners, taken);
  for (const std::uint32_t owner : owners) ledger.owners().release(owner);
  for (const PortLabels& port : page.resting) {
    for (const Label label : port.labels) {
      ledger.grants().claim_resting(*manager, port.port, label);
    }
  }
  if (!page.last) return taken;
  if (std::exchange(claimant(*manager).compare, false)) parts_.match.match_claimed_by(*manager);
  if (page.all) complete(*manager);
  parts_.link.flush();
  taken.quarantined = ledger.labels().list(LabelHolder::kQuarantine, *manager);
  taken.unclaimed = entries_on_inputs_of(parts_.match.unclaimed(), ledger, *manager, kHopsPerPage);
  taken.unclaimed_entries = parts_.match.count_unclaimed();
  return taken;
}

void Claims::refuse(const LedgerHop& hop, Cause cause, std::uint64_t asked, ClaimsTaken& taken) {
  ++parts_.counters.claims_refused;
  taken.refused.push_back(refusal(hop.key, HopAction::kCommit, cause, asked));
}

void Claims::claim(ManagerIndex manager, const LedgerHop& claimed, std::uint32_t owner,
                   ClaimsTaken& taken) {
  const Settling& settling = parts_.settling;
  const std::vector<CrossConnect>& unclaimed = parts_.match.unclaimed();
  const bool removing = claimed.stage == HopStage::kRemoving;
  const bool uncertain = removing && !claimed.settled && !settling.all_claimed();
  if (uncertain && !parts_.ledger.hops().find(manager, claimed.key)) {
    // Nobody can claim what is not there. Without a file of managers the wait has an end: then the
    // entry stays.
    if (!settling.unsure() || !may_be_among(claimed.cross_connect, unclaimed)) return;
    if (uncertain_.size() < parts_.options.ledger.hops_max) {
      uncertain_.insert_or_assign({manager, claimed.key}, claimed);
    } else {
      refuse(claimed, Cause::kBusy, uncertain_.size() + 1, taken);
    }
    return;
  }
  const auto hop = completed(claimed, unclaimed);
  if (hop) enter(manager, *hop, owner, taken);
}

bool Claims::enter(ManagerIndex manager, const LedgerHop& hop, std::uint32_t owner,
                   ClaimsTaken& taken) {
  Ledger& ledger = parts_.ledger;
  const Admission admission = ledger.claim(manager, hop, owner);
  if (admission.admitted()) {
    if (!admission.repeated) {
      ++parts_.counters.claims;
      if (hop.held) ledger.note_hold_end(admission.hop, parts_.now + hop.hold_left);
    }
    bool& compare = claimant(manager).compare;
    compare = compare || ledger.hop(admission.hop).claim == HopClaim::kAwaited;
    return true;
  }
  // One to be removed is gone if the switch lacks its entry, or if another hop has that entry: two
  // setups, one after the other, may have had one label.
  const bool gone = hop.stage == HopStage::kRemoving &&
                    (!std::ranges::binary_search(parts_.match.unclaimed(), hop.cross_connect) ||
                     is_claimed(ledger, hop.cross_connect));
  if (!gone) {
    ++parts_.counters.claims_refused;
    taken.refused.push_back(refusal(hop.key, HopAction::kCommit, admission));
  }
  return false;
}

// A hop of the same leg has that input, and an entry of its own in the switch. Of hops that took
// over from one another only one has; these two would count as such, and the lower one's entry
// would stay when both are removed. One of them is a leaf's.
void Claims::refuse_second(ManagerIndex manager, RebuiltHop& one) const {
  if (!one.fit.taken) return;
  const Ledger& ledger = parts_.ledger;
  const HopKey& key = one.claimed->key;
  bool second = false;
  ledger.users().for_each_on_input(
      one.fit.taken->input_port, one.fit.taken->input_label,
      [&](HopRef ref, const HopRecord& record) {
        const bool same_leg = record.manager == manager && record.key.leg == key.leg &&
                              record.key.connection == key.connection;
        if (!same_leg || ledger.stacks().above(ref)) return;
        second = second || record.claim == HopClaim::kCompared ||
                 std::ranges::binary_search(parts_.match.unclaimed(),
                                            ledger.hops().cross_connect(record));
      });
  if (second) one.fit = {{}, false, Cause::kIncomplete, 2};
}

// An entry is taken for a hop only if it fits no other one: which call an entry serves is not
// guessed. Those that are known wholly come first, so that their entries are no alternatives.
void Claims::claim_rebuilt(ManagerIndex manager, const HopClaims& page,
                           const std::vector<std::uint32_t>& owners, ClaimsTaken& taken) {
  std::vector<RebuiltHop> waiting;
  for (const LedgerHop& claimed : page.hops) {
    if (claimed.rebuilt) waiting.push_back({&claimed, {}});
  }
  if (waiting.empty()) return;
  Ledger& ledger = parts_.ledger;
  const EntryIndex entries(parts_.match.unclaimed());
  const auto free = [&](const CrossConnect& entry) { return !is_claimed(ledger, entry); };
  const auto accept = [&](const RebuiltHop& one) {
    LedgerHop hop = *one.claimed;
    hop.cross_connect = *one.fit.taken;
    const std::uint32_t owner = hop.owner < owners.size() ? owners[hop.owner] : kNoOwner;
    if (!enter(manager, hop, owner, taken)) return;
    // The switch does not say where the entry leads: to add it again might make a branch.
    if (one.fit.untold) {
      ledger.hop(*ledger.hops().find(manager, hop.key)).claim = HopClaim::kCompared;
    }
  };
  std::erase_if(waiting, [&](RebuiltHop& one) {
    if (ledger.hops().find(manager, one.claimed->key)) return true;  // a repetition
    one.fit = entries.fit_for(*one.claimed, free);
    if (planted(Bug::kRebuiltUnseen) && one.fit.cause == Cause::kNotConnected) {
      one.fit.taken = one.claimed->cross_connect;
    }
    refuse_second(manager, one);
    if (!one.fit.taken || !is_whole(one.claimed->cross_connect)) return false;
    accept(one);
    return true;
  });
  for (int round = 0; round < kRebuildRoundsMax; ++round) {
    for (RebuiltHop& one : waiting) one.fit = entries.fit_for(*one.claimed, free);
    refuse_contested(waiting);
    const auto taken_now = std::erase_if(waiting, [&](RebuiltHop& one) {
      refuse_second(manager, one);
      if (one.fit.taken) accept(one);
      return one.fit.taken.has_value();
    });
    if (taken_now == 0) break;
  }
  for (const RebuiltHop& one : waiting) refuse(*one.claimed, one.fit.cause, one.fit.asked, taken);
}

void Claims::settle_uncertain() {
  if (parts_.settling.unsure() || uncertain_.empty()) return;
  ClaimsTaken ignored;
  for (const auto& [whose, hop] : std::exchange(uncertain_, {})) {
    claim(whose.first, hop, kNoOwner, ignored);
  }
  parts_.match.match_owed();
}

void Claims::on_time(TimePoint now) {
  Settling& settling = parts_.settling;
  if (now < settling.deadline()) return;
  settling.on_time(now);
  if (!settling.unsure() && !uncertain_.empty()) {
    log::gsmp.warn(
        "{} removals that were never confirmed are given up: it is not known which managers may "
        "have these labels",
        uncertain_.size());
    uncertain_.clear();
  }
  const std::size_t unclaimed = parts_.match.unclaimed().size();
  if (unclaimed == 0) return;
  std::string awaited = "it is not known which managers there were";
  if (!settling.awaited().empty()) {
    awaited = fmt::format("not all claimed: {}", fmt::join(settling.awaited(), ", "));
  }
  log::gsmp.warn("{} cross-connects have not been claimed in time, and stay; {}", unclaimed,
                 awaited);
}

// ===== what has to wait =====

bool Claims::awaited_at(PortId port) const {
  const Settling& settling = parts_.settling;
  return settling.pending() && !planted(Bug::kUnclaimedGranted) &&
         (!settling.awaited().empty() || parts_.ledger.labels().has_unclaimed(port));
}

bool Claims::admits_new(PortId input, PortId output) const {
  return parts_.link.up() && !awaited_at(input) && !awaited_at(output);
}

// Its entry may be another manager's. When that has claimed it, or it has gone, nothing is to be
// removed any more.
bool Claims::waits_for_others(ManagerIndex manager, const HopKey& key) {
  if (uncertain_.empty()) return false;
  const auto hop = uncertain_.find({manager, key});
  if (hop == uncertain_.end()) return false;
  if (!parts_.link.up() || may_be_among(hop->second.cross_connect, parts_.match.unclaimed())) {
    return true;
  }
  uncertain_.erase(hop);
  return false;
}

// ===== uncertain hops =====

std::size_t Claims::uncertain_of(ManagerIndex manager) const {
  return static_cast<std::size_t>(
      std::count_if(uncertain_.begin(), uncertain_.end(),
                    [&](const auto& entry) { return entry.first.first == manager; }));
}

void Claims::add_epochs_of(ManagerIndex manager, std::set<std::uint64_t>& epochs) const {
  for (const auto& [whose, hop] : uncertain_) {
    if (whose.first == manager) epochs.insert(epoch_of(whose.second.connection));
  }
}

// The manager that claimed them may have ended since: the next one has to repeat their removal.
HeldHops Claims::page_of(ManagerIndex manager, std::uint64_t from, std::size_t most,
                         std::vector<std::uint64_t>* places) const {
  HeldHops held;
  std::uint64_t at = kUncertainFrom;
  for (const auto& [whose, hop] : uncertain_) {
    if (whose.first != manager || at++ < from) continue;
    if (held.hops.size() == most) {
      held.next = at - 1;
      break;
    }
    held.hops.push_back(hop);
    held.hops.back().owner = kNoOwner;
    if (places != nullptr) places->push_back(at);
  }
  return held;
}

}  // namespace xbind::controller
