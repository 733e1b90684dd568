// Entries of a switch's table that no hop claims, ascending, against the ledger. Without state.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/audit.hpp"
#include "switchserver/ledger/ledger.hpp"

namespace xbind {

// Whether a hop has the entry. One whose output the switch cannot report (version 1.1) belongs to
// the hop on its input. `and_compared`: and the hop has been compared with the table.
bool is_claimed(const Ledger& ledger, const CrossConnect& entry, bool and_compared = false);

// Visits the entries that begin at this input.
template <class Visitor>
void for_each_entry_on(const std::vector<CrossConnect>& entries, PortId port, Label label,
                       Visitor&& visit) {
  const CrossConnect from{port, label, PortId{0}, Label{}};
  for (auto at = std::lower_bound(entries.begin(), entries.end(), from);
       at != entries.end() && at->input_port == port && at->input_label == label; ++at) {
    visit(*at);
  }
}

// Makes these the entries whose labels the ledger blocks.
void block_entries(const std::vector<CrossConnect>& entries, Ledger& ledger);

// Those on inputs of the manager's hops; at most `most`.
std::vector<CrossConnect> entries_on_inputs_of(const std::vector<CrossConnect>& entries,
                                               const Ledger& ledger, ManagerIndex manager,
                                               std::size_t most);

// Drops what a newer table does not have: somebody else has removed it. Returns whether that is
// anything.
bool drop_absent(const std::vector<CrossConnect>& table, std::vector<CrossConnect>& entries);

// Whether the switch may have such a cross-connect among these entries; labels and outputs that are
// not known agree with any.
bool may_be_among(const CrossConnect& wanted, const std::vector<CrossConnect>& entries);

// The claim with the labels that a hop to be removed lacks. Nothing: the switch has no such entry,
// so that the hop is removed; or it has several, which stay.
std::optional<LedgerHop> completed(const LedgerHop& claimed,
                                   const std::vector<CrossConnect>& entries);

}  // namespace xbind
