#include "cmgr/parts/switch_debts.hpp"

#include <algorithm>

#include "core/planted.hpp"

namespace xbind::cmgr {

void SwitchDebts::owe(SwitchIndex index, HopKey key, Debt debt, TimePoint now) {
  OfSwitch& of = *switches_[index.value()];
  if (!of.debts.emplace(key, std::move(debt)).second) return;
  ++owed_;
  ++made_;
  of.retry(now);
}

bool SwitchDebts::hold_until_removed(SwitchIndex index, const HopKey& key,
                                     const std::shared_ptr<OwedLabel>& label) {
  OfSwitch& of = *switches_[index.value()];
  const auto debt = of.debts.find(key);
  if (debt == of.debts.end()) return false;
  std::vector<std::shared_ptr<OwedLabel>>& labels = debt->second.labels;
  if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  return true;
}

bool SwitchDebts::not_paid(SwitchIndex index, HopKey key, TimePoint now) {
  OfSwitch& of = *switches_[index.value()];
  const auto debt = of.debts.find(key);
  if (debt == of.debts.end()) return false;
  debt->second.under_way = false;
  of.retry(now);
  return true;
}

void SwitchDebts::owe_change(SwitchIndex index, HopModify change, TimePoint now) {
  OfSwitch& of = *switches_[index.value()];
  OwedChange& owed = of.changes[change.key];
  owed.under_way = false;
  owed.change = std::move(change);
  of.retry(now);
  count_change(owed);
}

void SwitchDebts::owe_change_at_once(SwitchIndex index, HopModify change, TimePoint now) {
  OfSwitch& of = *switches_[index.value()];
  if (!queues_.at(index).link || queues_.full(index)) {
    owe_change(index, std::move(change), now);
    return;
  }
  OwedChange& owed = of.changes[change.key];
  owed.under_way = true;
  owed.change = change;
  queues_.queue(index, std::move(change), now);
}

bool SwitchDebts::change_answered(SwitchIndex index, const HopResult& result, TimePoint now) {
  OfSwitch& of = *switches_[index.value()];
  const auto owed = of.changes.find(result.key);
  if (owed == of.changes.end() || owed->second.change.revision != result.revision) return false;
  const Cause cause = result.cause;
  const bool settled = cause == Cause::kNone || cause == Cause::kStale ||
                       cause == Cause::kUnknownConnection || cause == Cause::kBeingReleased;
  if (!settled) {
    owed->second.under_way = false;
    count_change(owed->second);
    of.retry(now);
    return true;
  }
  uncount_change(owed->second);
  of.changes.erase(owed);
  return true;
}

void SwitchDebts::forgive_change(SwitchIndex index, const HopKey& key) {
  OfSwitch& of = *switches_[index.value()];
  if (of.changes.empty()) return;
  const auto owed = of.changes.find(key);
  if (owed == of.changes.end()) return;
  uncount_change(owed->second);
  of.changes.erase(owed);
}

bool SwitchDebts::pay(SwitchIndex index, HopKey key, Label resting, TimePoint now) {
  OfSwitch& of = *switches_[index.value()];
  const auto debt = of.debts.find(key);
  if (debt == of.debts.end()) return false;
  const PortId output_port = debt->second.cross_connect.output_port;
  std::vector<std::shared_ptr<OwedLabel>> labels = std::move(debt->second.labels);
  const std::weak_ptr<const void> waited_for = debt->second.before;
  const bool goes_first = debt->second.before != nullptr;
  of.debts.erase(debt);
  if (goes_first && waited_for.expired()) pay_soon(now);
  --owed_;
  ++paid_;
  bool known = !resting.present();
  for (auto& label : labels) {
    const bool own = label->at == index && label->port == output_port;
    if (known && own && !label->in_quarantine && label->attachment == 0) {
      label_unclear(index, now);
    }
    if (!known && label->at == index && label->port == output_port && label->label == resting) {
      label->in_quarantine = known = true;
    }
    if (label.use_count() == 1) caches_.give_back(*label, now);
  }
  if (of.unclear) of.due = now;
  // A reservation took it, but its answer reached no connection: no other hop ever got this label.
  if (!known) caches_.return_label(index, output_port, resting, now);
  return true;
}

std::vector<std::shared_ptr<OwedLabel>> SwitchDebts::owed_labels(SwitchIndex index) const {
  std::vector<std::shared_ptr<OwedLabel>> labels;
  for (const auto& of : switches_) {
    for (const auto& [key, debt] : of->debts) {
      for (const auto& label : debt.labels) {
        if (label->at == index) labels.push_back(label);
      }
    }
  }
  return labels;
}

std::optional<SwitchIndex> SwitchDebts::keeps_labels_of(SwitchIndex at, PortId port) const {
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

std::vector<HopKey> SwitchDebts::keys(SwitchIndex index) const {
  std::vector<HopKey> keys;
  for (const auto& [key, debt] : switches_[index.value()]->debts) keys.push_back(key);
  for (const auto& [key, change] : switches_[index.value()]->changes) keys.push_back(key);
  return keys;
}

void SwitchDebts::append_keys(SwitchIndex index, ConnectionId connection,
                              std::vector<HopKey>& keys) const {
  const OfSwitch& of = *switches_[index.value()];
  const auto append = [&](const auto& owed) {
    for (auto one = owed.lower_bound(HopKey{connection, {}, 0, 0});
         one != owed.end() && one->first.connection == connection; ++one) {
      keys.push_back(one->first);
    }
  };
  append(of.debts);
  append(of.changes);
}

void SwitchDebts::session_over(SwitchIndex index) {
  OfSwitch& of = *switches_[index.value()];
  of.due = kNever;
  for (auto& [key, debt] : of.debts) debt.under_way = false;
  if (planted(Bug::kDebtDropped)) owed_ -= std::exchange(of.debts, {}).size();
  for (auto& [key, owed] : of.changes) {
    owed.under_way = false;
    count_change(owed);
  }
}

void SwitchDebts::send(SwitchIndex index, TimePoint now) {
  OfSwitch& of = *switches_[index.value()];
  SwitchLine& line = queues_.at(index);
  of.due = kNever;
  for (auto& [key, debt] : of.debts) {
    if (debt.under_way || !debt.after.expired()) continue;
    if (line.queue.full()) {
      of.due = now + kRetry;
      break;
    }
    debt.under_way = true;
    line.queue.add(key, now);
  }
  for (auto& [key, owed] : of.changes) {
    if (owed.under_way) continue;
    if (line.queue.full()) {
      of.due = now + kRetry;
      break;
    }
    owed.under_way = true;
    line.queue.add(owed.change, now);
  }
  line.queue.flush_now(now);
  queues_.send_due(line, now, true);
}

}  // namespace xbind::cmgr
