#include "switchserver/controller/table_match.hpp"

#include <algorithm>

#include "core/planted.hpp"
#include "switchserver/controller/parts.hpp"
#include "switchserver/controller/unclaimed_entries.hpp"

namespace xbind::controller {

void TableMatch::entry_gone(const CrossConnect& gone) {
  const CrossConnect untold{gone.input_port, gone.input_label, PortId{}, Label{}};
  auto own = std::find(unclaimed_.begin(), unclaimed_.end(), gone);
  if (own == unclaimed_.end()) own = std::find(unclaimed_.begin(), unclaimed_.end(), untold);
  if (own != unclaimed_.end()) unclaimed_.erase(own);
  for_each_entry_on(unclaimed_, gone.input_port, gone.input_label,
                    [&](const CrossConnect& entry) { parts_.ledger.block(entry); });
  block_output_again(gone.output_port, gone.output_label);
}

void TableMatch::block_output_again(PortId port, Label label) {
  Ledger& ledger = parts_.ledger;
  const auto place = ledger.labels().output_label(port, label);
  if (!place || place->holder > LabelHolder::kFree) return;
  for (const CrossConnect& entry : unclaimed_) {
    if (entry.output_port == port && entry.output_label == label && !is_claimed(ledger, entry)) {
      ledger.block(entry);
    }
  }
}

// Compares the chosen hops with `unclaimed_`, which has every entry that may be theirs, and changes
// the switch where it differs. Leaves the entries in `unclaimed_` that no hop claims.
template <class Which>
void TableMatch::match(Which which) {
  const std::vector<CrossConnect>& there = unclaimed_;
  Ledger& ledger = parts_.ledger;
  HopRequests& hops = parts_.hops;
  // The input has an entry that no hop claims: an add would become its branch. The audit reports
  // it.
  const auto would_branch = [&](const CrossConnect& wanted) {
    bool stranger = false;
    for_each_entry_on(
        unclaimed_, wanted.input_port, wanted.input_label,
        [&](const CrossConnect& entry) { stranger = stranger || !is_claimed(ledger, entry); });
    return stranger;
  };
  // Hops that are being removed and absent from the table are gone; do this before their lower
  // hops.
  ledger.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (record.state() != HopFsm::State::kLeaving || !which(record)) return;
    const CrossConnect wanted = ledger.hops().cross_connect(record);
    const CrossConnect untold{wanted.input_port, wanted.input_label, PortId{}, Label{}};
    const bool in_table = std::binary_search(there.begin(), there.end(), wanted) ||
                          std::binary_search(there.begin(), there.end(), untold);
    if (!in_table) hops.forget(ref);
  });
  parts_.link.set_state(SwitchLink::State::kUp);
  ledger.hops().for_each([&](HopRef ref, const HopRecord&) {
    HopRecord& record = ledger.hop(ref);
    if (!which(record)) return;
    record.claim = HopClaim::kCompared;
    if (ledger.stacks().above(ref)) return;
    const CrossConnect wanted = ledger.hops().cross_connect(record);
    const bool in_table = std::binary_search(there.begin(), there.end(), wanted);
    if (HopFsm::delete_due(record.state())) {
      ++parts_.counters.cleaned;
      hops.send_remove(ref);
    } else if (record.settled()) {
      if (!in_table && !would_branch(wanted) && !planted(Bug::kNotPutBack)) {
        hops.put_back_or_move(ref, there);
      } else if (in_table && HopFsm::stale(record.state())) {
        hops.reassert(ref);
      }
    }
  });
  // Hops of claims that are not complete are still to be compared.
  std::erase_if(unclaimed_,
                [&](const CrossConnect& entry) { return is_claimed(ledger, entry, true); });
}

void TableMatch::match_all(const std::vector<CrossConnect>& table) {
  unclaimed_ = table;
  std::sort(unclaimed_.begin(), unclaimed_.end());
  match([](const HopRecord&) { return true; });
  unclaimed_.shrink_to_fit();
  block_entries(unclaimed_, parts_.ledger);
}

void TableMatch::match_claimed_by(ManagerIndex manager) {
  match([&](const HopRecord& record) {
    return record.manager == manager && record.claim == HopClaim::kAwaited;
  });
}

void TableMatch::match_owed() {
  match([](const HopRecord& record) {
    return record.claim == HopClaim::kAwaited && record.stage() == HopStage::kRemoving;
  });
}

void TableMatch::stray_removed(const CrossConnect& gone) {
  std::erase(unclaimed_, gone);
  block_entries(unclaimed_, parts_.ledger);
}

void TableMatch::drop_absent_from(const std::vector<CrossConnect>& table) {
  if (drop_absent(table, unclaimed_)) block_entries(unclaimed_, parts_.ledger);
}

std::uint64_t TableMatch::count_unclaimed() const {
  if (!parts_.link.up() || (parts_.settling.pending() && !unclaimed_.empty())) {
    return kEntriesUnknown;
  }
  return std::min<std::uint64_t>(unclaimed_.size(), kEntriesUnknown - 1);
}

}  // namespace xbind::controller
