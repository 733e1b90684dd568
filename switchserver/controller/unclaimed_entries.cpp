#include "switchserver/controller/unclaimed_entries.hpp"

namespace xbind {

bool is_claimed(const Ledger& ledger, const CrossConnect& entry, bool and_compared) {
  bool found = false;
  ledger.users().for_each_on_input(
      entry.input_port, entry.input_label, [&](HopRef, const HopRecord& record) {
        const bool same =
            ledger.hops().cross_connect(record) == entry || entry.output_port == PortId{};
        found = found || (same && !(and_compared && record.claim == HopClaim::kAwaited));
      });
  return found;
}

void block_entries(const std::vector<CrossConnect>& entries, Ledger& ledger) {
  ledger.unblock_all();
  for (const CrossConnect& entry : entries) ledger.block(entry);
}

std::vector<CrossConnect> entries_on_inputs_of(const std::vector<CrossConnect>& entries,
                                               const Ledger& ledger, ManagerIndex manager,
                                               std::size_t most) {
  std::vector<CrossConnect> found;
  for (const CrossConnect& entry : entries) {
    if (found.size() == most) break;
    bool own = false;
    ledger.users().for_each_on_input(
        entry.input_port, entry.input_label,
        [&](HopRef, const HopRecord& record) { own = own || record.manager == manager; });
    if (own && !is_claimed(ledger, entry)) found.push_back(entry);
  }
  return found;
}

bool drop_absent(const std::vector<CrossConnect>& table, std::vector<CrossConnect>& entries) {
  if (entries.empty()) return false;
  std::vector<CrossConnect> there = table;
  std::sort(there.begin(), there.end());
  return std::erase_if(entries, [&](const CrossConnect& entry) {
           return !std::binary_search(there.begin(), there.end(), entry);
         }) != 0;
}

bool may_be_among(const CrossConnect& wanted, const std::vector<CrossConnect>& entries) {
  const auto agrees = [](Label known, Label there) { return !known.present() || known == there; };
  return std::ranges::any_of(entries, [&](const CrossConnect& entry) {
    const bool output = entry.output_port == PortId{} ||  // it is not reported (version 1.1)
                        (entry.output_port == wanted.output_port &&
                         agrees(wanted.output_label, entry.output_label));
    return output && entry.input_port == wanted.input_port &&
           agrees(wanted.input_label, entry.input_label);
  });
}

std::optional<LedgerHop> completed(const LedgerHop& claimed,
                                   const std::vector<CrossConnect>& entries) {
  const CrossConnect& wanted = claimed.cross_connect;
  const bool input = wanted.input_label.present();
  const bool output = wanted.output_label.present();
  if (claimed.stage != HopStage::kRemoving || (input && output)) return claimed;
  if (!input && !output) return std::nullopt;
  const auto fits = [&](const CrossConnect& entry) {
    return entry.input_port == wanted.input_port && entry.output_port == wanted.output_port &&
           (!input || entry.input_label == wanted.input_label) &&
           (!output || entry.output_label == wanted.output_label);
  };
  const auto found = std::find_if(entries.begin(), entries.end(), fits);
  // One of several may be another call's.
  const bool only = found != entries.end() && std::none_of(found + 1, entries.end(), fits);
  if (!only) return std::nullopt;
  LedgerHop hop = claimed;
  hop.cross_connect = *found;
  return hop;
}

}  // namespace xbind
