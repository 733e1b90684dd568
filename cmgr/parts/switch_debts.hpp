// What a manager owes to switches: removals that could not be delivered or were not answered in
// time, and contracts that committed hops have not confirmed. Both are sent again until they are
// answered, in whatever session.
//
// Not thread-safe; owned by SwitchDesk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/switch_caches.hpp"
#include "cmgr/parts/switch_queues.hpp"
#include "cmgr/parts/timers.hpp"
#include "core/audit.hpp"

namespace xbind::cmgr {

// A removal that could not be delivered or was not answered in time.
struct Debt {
  CrossConnect cross_connect;                      // of the hop; labels that no answer named: none
  std::uint16_t hop_count = 0;                     // of its leg
  bool confirmed = false;                          // the hop had been committed
  bool under_way = false;                          // sent in this session, not answered yet
  std::vector<std::shared_ptr<OwedLabel>> labels;  // released when no debt refers to them
  // An order among removals of one connection: no debt with `after` is sent before all debts with
  // the same `before` have been paid.
  std::shared_ptr<const void> before{};
  std::weak_ptr<const void> after{};
};

// A contract that a committed hop could not be sent in time, or a handover.
struct OwedChange {
  HopModify change;
  bool under_way = false;
  bool counted = false;  // among the debts; false: a handover that was sent at once
};

class SwitchDebts {
 public:
  // The pause before owed removals are sent again after the switch answered that they are
  // impossible. Within a session each removal is answered once, so a removal under way is never
  // repeated. Otherwise the first answer might be that of the repeat, which finds nothing and
  // cannot name the label.
  static constexpr Duration kRetry = kManagerTimers["debt-retry"];

  // Both must outlive it.
  SwitchDebts(SwitchQueues& queues, SwitchCaches& caches) : queues_(queues), caches_(caches) {}

  // For a line that has been added to the queues.
  void add_switch() { switches_.push_back(std::make_unique<OfSwitch>()); }

  // ----- removals -----
  void owe(SwitchIndex at, HopKey key, Debt debt, TimePoint now);
  // The hop has been removed after all. Returns whether the removal was owed. `resting`: the label
  // that the SwitchServer reports as quarantined by this removal.
  bool pay(SwitchIndex at, HopKey key, Label resting, TimePoint now);
  // The removal failed: the switch cannot be reached. False: it is not owed.
  bool not_paid(SwitchIndex at, HopKey key, TimePoint now);
  // The label is not released before that removal is confirmed. False: it is not owed.
  bool hold_until_removed(SwitchIndex at, const HopKey& key,
                          const std::shared_ptr<OwedLabel>& label);
  // A removal found nothing, and the label of an earlier epoch that the hop had may be free, cached
  // or in quarantine there: once no debt is under way the session is given up, because an
  // attachment says which.
  void label_unclear(SwitchIndex at, TimePoint now) {
    switches_[at.value()]->unclear = true;
    switches_[at.value()]->due = now;
  }
  // The labels of that switch that debts (at any switch) refer to.
  std::vector<std::shared_ptr<OwedLabel>> owed_labels(SwitchIndex at) const;
  // A switch that owes removals, which keep labels of the port from being used again. The first one
  // found; looks at all debts.
  std::optional<SwitchIndex> keeps_labels_of(SwitchIndex at, PortId port) const;
  // Visits the removals that are owed to that switch: visit(HopKey, Debt).
  template <class Visitor>
  void for_each(SwitchIndex at, Visitor&& visit) const {
    for (const auto& [key, debt] : switches_[at.value()]->debts) visit(key, debt);
  }

  // ----- changes of contract -----
  // Sent again until it is confirmed, or forgiven because the hop is sent a newer contract.
  void owe_change(SwitchIndex at, HopModify change, TimePoint now);
  // The same, sent at once if the switch is attached.
  void owe_change_at_once(SwitchIndex at, HopModify change, TimePoint now);
  // The answer to a change of that hop with that revision. False: it is not owed (any more).
  bool change_answered(SwitchIndex at, const HopResult& result, TimePoint now);
  bool owes_change(SwitchIndex at, const HopKey& key) const {
    return switches_[at.value()]->changes.contains(key);
  }
  // Drops an owed change.
  void forgive_change(SwitchIndex at, const HopKey& key);

  // ----- both -----
  std::size_t owed() const { return owed_; }
  bool none_at(SwitchIndex at) const {
    return switches_[at.value()]->debts.empty() && switches_[at.value()]->changes.empty();
  }
  std::vector<HopKey> keys(SwitchIndex at) const;
  // Appends those of one connection.
  void append_keys(SwitchIndex at, ConnectionId connection, std::vector<HopKey>& keys) const;
  // Sends what is owed at the next tick, without the pause of kRetry.
  void pay_soon(TimePoint now) {
    for (const auto& of : switches_) {
      if (!of->debts.empty() || !of->changes.empty()) of->due = now;
    }
  }
  void session_begins(SwitchIndex at) { switches_[at.value()]->unclear = false; }
  void session_over(SwitchIndex at);
  // Queues everything owed there that is not under way, and sends it. The switch must be attached.
  void send(SwitchIndex at, TimePoint now);
  // When send() is to be called next.
  TimePoint due(SwitchIndex at) const { return switches_[at.value()]->due; }
  // See label_unclear().
  bool must_attach_again(SwitchIndex at) const {
    return switches_[at.value()]->unclear && switches_[at.value()]->debts.empty();
  }
  void add_to(DeskCounters& sum) const {
    sum.debts_made += made_;
    sum.debts_paid += paid_;
  }

 private:
  struct OfSwitch {
    std::map<HopKey, Debt> debts;
    std::map<HopKey, OwedChange> changes;
    TimePoint due = kNever;
    bool unclear = false;

    void retry(TimePoint now) { due = std::min(due, now + kRetry); }
  };

  void count_change(OwedChange& owed) {
    if (std::exchange(owed.counted, true)) return;
    ++owed_;
    ++made_;
  }
  void uncount_change(const OwedChange& owed) {
    if (!owed.counted) return;
    --owed_;
    ++paid_;
  }

  SwitchQueues& queues_;
  SwitchCaches& caches_;
  std::vector<std::unique_ptr<OfSwitch>> switches_;  // by SwitchIndex
  std::size_t owed_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t paid_ = 0;
};

}  // namespace xbind::cmgr
