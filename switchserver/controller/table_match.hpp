// The switch's table against the ledger: after the switch has come, and after a page of claims.
// Keeps the entries that no hop claims; their labels are blocked in the ledger.
//
// What the switch lacks of committed hops is put back, what it has of hops being removed is
// deleted, and a contract that may differ is sent again. Of hops that have taken over from one
// another the table may show either; it is moved, put back or left as the ledger says. Entries that
// the ledger does not know stay.
//
// Time and memory grow with the table and the ledger. One thread; no errors.
#pragma once

#include <cstdint>
#include <vector>

#include "core/audit.hpp"
#include "switchserver/ledger/hop_record.hpp"

namespace xbind::controller {

struct Parts;

class TableMatch {
 public:
  explicit TableMatch(Parts& parts) : parts_(parts) {}

  // Entries of the switch's table that no hop claims, ascending; while the switch is up.
  const std::vector<CrossConnect>& unclaimed() const { return unclaimed_; }
  // See SwitchController::entries_of_nobody().
  std::uint64_t count_unclaimed() const;

  // The switch has come, with this table. It is up then.
  void match_all(const std::vector<CrossConnect>& table);
  // The manager has claimed hops since the last match.
  void match_claimed_by(ManagerIndex manager);
  // Hops to be removed have been claimed since the last match.
  void match_owed();
  void switch_down() { unclaimed_.clear(); }

  // The hop with these labels is gone, and so is its entry, which is still unclaimed before the
  // last page of claims. Another entry that nobody claims may begin at the same input, or end at
  // the same output.
  void entry_gone(const CrossConnect& gone);
  // The label is free again.
  void label_returned(PortId port, Label label) {
    if (!unclaimed_.empty()) block_output_again(port, label);
  }
  // The switch has removed an entry that no hop had.
  void stray_removed(const CrossConnect& gone);
  // A newer table: what it does not have has been removed by somebody else.
  void drop_absent_from(const std::vector<CrossConnect>& table);

 private:
  template <class Which>
  void match(Which which);
  void block_output_again(PortId port, Label label);

  Parts& parts_;
  std::vector<CrossConnect> unclaimed_;
};

}  // namespace xbind::controller
