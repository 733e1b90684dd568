// The entries that the driver has added to a switch of version 1.1, which has no message to list
// its table, and the open requests that change them.
//
// An entry stays until a delete or move of it succeeds, or until the switch has restarted without
// it. After a move with unknown outcome either place may be the right one, so both are listed.
//
// Bounded by the entries of the ledger and by the session's window. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/path.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind {

class AddedEntries {
 public:
  // An adjacency is established; `kept`: the switch has kept its connections.
  void adjacency_up(bool kept) {
    ++adjacency_;
    if (!kept) added_.clear();
  }

  // A request of this cookie, if done, removes `gone` and adds `there`. No label: none.
  void open(driver::Cookie cookie, const CrossConnect& gone, const CrossConnect& there) {
    open_[cookie] = {gone, there};
  }
  bool nothing_open() const { return open_.empty(); }
  // A request has been answered, or never will be. Unknown cookies are ignored.
  void done(const driver::Done& done);

  // The switch has reported whether anything enters at an input. Appends its entries to `entries`:
  // the known ones, or one without an output if `active` and none is known. Forgets entries that
  // the switch lost in a restart.
  void seen(PortId port, Label label, bool active, std::vector<CrossConnect>& entries);

 private:
  struct Change {
    CrossConnect gone;
    CrossConnect there;
  };

  // With the adjacency that added or last saw them.
  std::map<CrossConnect, std::uint64_t> added_;
  std::uint64_t adjacency_ = 0;  // number of adjacencies so far
  std::unordered_map<driver::Cookie, Change> open_;
};

}  // namespace xbind
