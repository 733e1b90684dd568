// SwitchDesk: removals and changes that a switch is owed.
#include <algorithm>
#include <utility>

#include "cmgr/parts/switch_desk.hpp"

namespace xbind::cmgr {

void SwitchDesk::owe(SwitchIndex index, HopKey key, Debt debt, TimePoint now) {
  Switch& at = *switches_[index.value()];
  if (!at.debts.emplace(key, std::move(debt)).second) return;
  ++owed_;
  ++counters_.debts_made;
  at.debts_due = std::min(at.debts_due, now + kDebtRetry);
}

bool SwitchDesk::hold_until_removed(SwitchIndex index, const HopKey& key,
                                    const std::shared_ptr<OwedLabel>& label) {
  Switch& at = *switches_[index.value()];
  const auto debt = at.debts.find(key);
  if (debt == at.debts.end()) return false;
  std::vector<std::shared_ptr<OwedLabel>>& labels = debt->second.labels;
  if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  return true;
}

bool SwitchDesk::not_paid(SwitchIndex index, HopKey key, TimePoint now) {
  Switch& at = *switches_[index.value()];
  const auto debt = at.debts.find(key);
  if (debt == at.debts.end()) return false;
  debt->second.under_way = false;
  at.debts_due = std::min(at.debts_due, now + kDebtRetry);
  return true;
}

void SwitchDesk::owe_change(SwitchIndex index, HopModify change, TimePoint now) {
  Switch& at = *switches_[index.value()];
  OwedChange& owed = at.changes[change.key];
  owed.under_way = false;
  owed.change = std::move(change);
  at.debts_due = std::min(at.debts_due, now + kDebtRetry);
  count_change(owed);
}

void SwitchDesk::owe_change_at_once(SwitchIndex index, HopModify change, TimePoint now) {
  Switch& at = *switches_[index.value()];
  if (!at.link || at.queue.full()) {
    owe_change(index, std::move(change), now);
    return;
  }
  OwedChange& owed = at.changes[change.key];
  owed.under_way = true;
  owed.change = change;
  queue(index, std::move(change), now);
}

bool SwitchDesk::change_answered(SwitchIndex index, const HopResult& result, TimePoint now) {
  Switch& at = *switches_[index.value()];
  const auto owed = at.changes.find(result.key);
  if (owed == at.changes.end() || owed->second.change.revision != result.revision) return false;
  const Cause cause = result.cause;
  const bool settled = cause == Cause::kNone || cause == Cause::kStale ||
                       cause == Cause::kUnknownConnection || cause == Cause::kBeingReleased;
  if (!settled) {
    owed->second.under_way = false;
    count_change(owed->second);
    at.debts_due = std::min(at.debts_due, now + kDebtRetry);
    return true;
  }
  uncount_change(owed->second);
  at.changes.erase(owed);
  return true;
}

void SwitchDesk::forgive_change(SwitchIndex index, const HopKey& key) {
  Switch& at = *switches_[index.value()];
  if (at.changes.empty()) return;
  const auto owed = at.changes.find(key);
  if (owed == at.changes.end()) return;
  uncount_change(owed->second);
  at.changes.erase(owed);
}

bool SwitchDesk::pay(SwitchIndex index, HopKey key, Label resting, TimePoint now) {
  Switch& at = *switches_[index.value()];
  const auto debt = at.debts.find(key);
  if (debt == at.debts.end()) return false;
  const PortId output_port = debt->second.cross_connect.output_port;
  std::vector<std::shared_ptr<OwedLabel>> labels = std::move(debt->second.labels);
  const std::weak_ptr<const void> waited_for = debt->second.before;
  const bool goes_first = debt->second.before != nullptr;
  at.debts.erase(debt);
  if (goes_first && waited_for.expired()) pay_soon(now);
  --owed_;
  ++counters_.debts_paid;
  bool known = !resting.present();
  for (auto& label : labels) {
    const bool own = label->at == index && label->port == output_port;
    if (known && own && !label->in_quarantine && label->attachment == 0) {
      label_unclear(index, now);
    }
    if (!known && label->at == index && label->port == output_port && label->label == resting) {
      label->in_quarantine = known = true;
    }
    if (label.use_count() == 1) give_back(*label, now);
  }
  if (at.unclear) at.debts_due = now;
  // A reservation took it, but its answer reached no connection: no other hop ever got this label.
  if (!known) return_label(index, output_port, resting, now);
  return true;
}

std::vector<std::shared_ptr<OwedLabel>> SwitchDesk::owed_labels(SwitchIndex index) const {
  std::vector<std::shared_ptr<OwedLabel>> labels;
  for (const auto& at : switches_) {
    for (const auto& [key, debt] : at->debts) {
      for (const auto& label : debt.labels) {
        if (label->at == index) labels.push_back(label);
      }
    }
  }
  return labels;
}

std::optional<SwitchIndex> SwitchDesk::keeps_labels_of(SwitchIndex at, PortId port) const {
  const auto of_the_port = [&](const std::shared_ptr<OwedLabel>& label) {
    return label->at == at && label->port == port;
  };
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const SwitchIndex other{static_cast<std::uint16_t>(i)};
    if (other == at) continue;
    for (const auto& [key, debt] : switches_[i]->debts) {
      if (std::ranges::any_of(debt.labels, of_the_port)) return other;
    }
  }
  return std::nullopt;
}

std::vector<HopKey> SwitchDesk::debts(SwitchIndex index) const {
  std::vector<HopKey> keys;
  for (const auto& [key, debt] : switches_[index.value()]->debts) keys.push_back(key);
  for (const auto& [key, change] : switches_[index.value()]->changes) keys.push_back(key);
  return keys;
}

void SwitchDesk::debts_of(SwitchIndex index, ConnectionId connection,
                          std::vector<HopKey>& keys) const {
  const Switch& at = *switches_[index.value()];
  const auto append = [&](const auto& owed) {
    for (auto one = owed.lower_bound(HopKey{connection, {}, 0, 0});
         one != owed.end() && one->first.connection == connection; ++one) {
      keys.push_back(one->first);
    }
  };
  append(at.debts);
  append(at.changes);
}

void SwitchDesk::send_debts(Switch& at, TimePoint now) {
  at.debts_due = kNever;
  for (auto& [key, debt] : at.debts) {
    if (debt.under_way || !debt.after.expired()) continue;
    if (at.queue.full()) {
      at.debts_due = now + kDebtRetry;
      break;
    }
    debt.under_way = true;
    at.queue.add(key, now);
  }
  for (auto& [key, owed] : at.changes) {
    if (owed.under_way) continue;
    if (at.queue.full()) {
      at.debts_due = now + kDebtRetry;
      break;
    }
    owed.under_way = true;
    at.queue.add(owed.change, now);
  }
  at.queue.flush_now(now);
  send_due(at, now, true);
}

}  // namespace xbind::cmgr
