// How long a SwitchServer that has started with an empty ledger waits for managers to claim their
// hops. The time begins when the switch's table has been read for the first time. The waiting ends
// when every manager in the SwitchServer's file has claimed all its hops, or when the time is over.
// Without a file the SwitchServer waits for the whole time.
//
// A manager in the file stays awaited when the time is over. To attach, or to claim some hops, ends
// nothing: a manager of a later epoch knows all only when it has read the other ledgers, and may
// end before.
//
// Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"

namespace xbind {

// A manager that has attached, with the highest epoch that it has attached with, and how often its
// epochs have been renewed (core/manager_epochs.hpp).
struct KnownManager {
  std::string name;
  Epoch epoch;
  std::uint64_t renewals = 0;  // of its epochs (core/manager_epochs.hpp)
  // While its claims were awaited, the switch has lost its table, too: what is not there may have
  // been set up.
  bool table_lost = false;

  friend bool operator==(const KnownManager&, const KnownManager&) = default;
};

class Settling {
 public:
  Settling(const std::optional<std::vector<KnownManager>>& known, Duration wait) : wait_(wait) {
    all_known_ = known.has_value();
    if (!known) return;
    for (const KnownManager& manager : *known) {
      awaited_.insert(manager.name);
      if (manager.table_lost) table_lost_.insert(manager.name);
    }
  }

  bool pending() const { return !over_ && (!all_known_ || !awaited_.empty()); }
  // Whether an entry that nobody claims may be a known manager's, which is still silent.
  bool unsure() const { return pending() || !awaited_.empty(); }
  // Whether it is known which managers there were.
  bool all_known() const { return all_known_; }
  // Whether nobody else can claim anything.
  bool all_claimed() const { return all_known_ && awaited_.empty(); }
  // When the waiting ends in any case, or kNever.
  TimePoint deadline() const { return pending() ? deadline_ : kNever; }
  const std::set<std::string, std::less<>>& awaited() const { return awaited_; }

  // Whether the switch has lost nothing since the manager's hops were last known here: what its
  // table lacks was removed, or never set up. False while the table has not been read.
  bool table_kept(std::string_view manager) const {
    return deadline_ != kNever && kept_ && !table_lost(manager);
  }
  // KnownManager::table_lost
  bool table_lost(std::string_view manager) const { return table_lost_.contains(manager); }

  // The switch is there. `kept`: driver::Up::kept.
  void switch_up(bool kept) {
    kept_ = kept_ && kept;
    if (!kept) table_lost_.insert(awaited_.begin(), awaited_.end());
  }
  // The switch's table has been read.
  void table_read(TimePoint now) {
    if (deadline_ == kNever) deadline_ = now + wait_;
  }
  // The manager has claimed all its hops, or is forgotten.
  void done(std::string_view manager) {
    if (const auto found = awaited_.find(manager); found != awaited_.end()) awaited_.erase(found);
    if (const auto lost = table_lost_.find(manager); lost != table_lost_.end()) {
      table_lost_.erase(lost);
    }
  }
  void on_time(TimePoint now) { over_ = over_ || now >= deadline_; }

 private:
  Duration wait_;
  bool all_known_ = true;
  bool over_ = false;
  bool kept_ = true;
  TimePoint deadline_ = kNever;
  std::set<std::string, std::less<>> awaited_;
  std::set<std::string, std::less<>> table_lost_;  // of awaited_
};

}  // namespace xbind
