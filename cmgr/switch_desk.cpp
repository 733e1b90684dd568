#include "cmgr/switch_desk.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/log.hpp"

namespace xbind::cmgr {
namespace {

// Estimates of what a command takes on the wire, for the session's octet credit.
std::size_t octets_of(const HopBatch& batch) {
  std::size_t octets = 96 + batch.removals.size() * 24;
  for (const HopSetup& setup : batch.setups) {
    octets += 144 + setup.call.client.size() + setup.call.from.size() + setup.call.to.size();
  }
  for (const PortLabels& returned : batch.returned) octets += 8 + returned.labels.size() * 8;
  return octets;
}

}  // namespace

SwitchDesk::SwitchDesk(const Config& config, Peers& peers) : config_(config), peers_(peers) {}

SwitchIndex SwitchDesk::index_of(const std::string& name) {
  const auto [entry, fresh] =
      by_name_.try_emplace(name, static_cast<SwitchIndex>(switches_.size()));
  if (fresh) {
    XB_CHECK(switches_.size() < kSwitches, switches_.size());
    switches_.push_back(std::make_unique<Switch>(
        Switch{name, {}, 0, nullptr, Aggregator{config_.aggregation}, {}, {}, kNever}));
    peers_.attach_switch(name);
  }
  return entry->second;
}

std::optional<SwitchIndex> SwitchDesk::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

void SwitchDesk::attached(SwitchIndex index, SessionId session, std::uint32_t batches_in_flight,
                          const std::vector<PortLabels>& quarantined, TimePoint now) {
  Switch& at = *switches_[index];
  end_session(at);
  at.session = session;
  ++at.attachments;
  at.link = std::make_unique<SwitchSession>(config_.switch_session.agreed(batches_in_flight), now);
  by_session_[session] = index;
  std::size_t quarantine = 0;
  for (const PortLabels& port : quarantined) quarantine += port.labels.size();
  log::info("switchserver {} attached, session {}, {} labels of ours in quarantine there", at.name,
            session, quarantine);
  send_debts(at, now);
}

void SwitchDesk::lost(SwitchIndex index, std::string_view reason) {
  Switch& at = *switches_[index];
  if (at.session.value() == 0) return;
  log::warn("switchserver {}: {}; the session is over", at.name, reason);
  ++counters_.sessions_lost;
  end_session(at);
}

std::optional<SwitchIndex> SwitchDesk::by_session(SessionId session) const {
  const auto found = by_session_.find(session);
  if (found == by_session_.end()) return std::nullopt;
  return found->second;
}

Result<void> SwitchDesk::receive(SwitchIndex index, session::Frame<HopResultBatch> frame,
                                 TimePoint now,
                                 std::vector<std::shared_ptr<const HopResultBatch>>& apply) {
  ++counters_.frames_in;
  Switch& at = *switches_[index];
  return at.link->receive(std::move(frame), now, apply);
}

void SwitchDesk::granted(SwitchIndex index, const PortLabels& labels) {
  LabelCache& into = cache(index, labels.port);
  for (const Label label : labels.labels) into.put(label);
}

void SwitchDesk::queue(SwitchIndex index, HopSetup setup, TimePoint now) {
  Switch& at = *switches_[index];
  ++counters_.commands;
  at.queue.add(std::move(setup), now);
  send_due(at, now);
}

void SwitchDesk::queue(SwitchIndex index, HopKey removal, TimePoint now) {
  Switch& at = *switches_[index];
  ++counters_.commands;
  at.queue.add(removal, now);
  send_due(at, now);
}

LabelCache& SwitchDesk::cache(SwitchIndex index, PortId port) {
  return switches_[index]->caches.try_emplace(port, config_.label_cache_target).first->second;
}

void SwitchDesk::give_back(const OwedLabel& label, TimePoint now) {
  const bool ours = label.attachment == attachment(label.at);
  if (ours && is_attached(label.at)) {
    LabelCache& into = cache(label.at, label.port);
    if (into.wants_back()) {
      into.put(label.label);
      return;
    }
  }
  if (ours || label.in_quarantine) return_label(label.at, label.port, label.label, now);
}

void SwitchDesk::return_label(SwitchIndex index, PortId port, Label label, TimePoint now) {
  Switch& at = *switches_[index];
  // Without a session there is nobody to give it to; the ledger keeps it in quarantine and names it
  // at the next attach.
  if (is_attached(index)) at.queue.give_back(port, label, now);
}

void SwitchDesk::owe(SwitchIndex index, HopKey key, Debt debt, TimePoint now) {
  Switch& at = *switches_[index];
  if (!at.debts.emplace(key, std::move(debt)).second) return;
  ++owed_;
  ++counters_.debts_made;
  at.debts_due = std::min(at.debts_due, now + kDebtRetry);
}

bool SwitchDesk::not_paid(SwitchIndex index, HopKey key, TimePoint now) {
  Switch& at = *switches_[index];
  const auto debt = at.debts.find(key);
  if (debt == at.debts.end()) return false;
  debt->second.under_way = false;
  at.debts_due = std::min(at.debts_due, now + kDebtRetry);
  return true;
}

bool SwitchDesk::pay(SwitchIndex index, HopKey key, Label resting, TimePoint now) {
  Switch& at = *switches_[index];
  const auto debt = at.debts.find(key);
  if (debt == at.debts.end()) return false;
  const PortId output_port = debt->second.output_port;
  std::vector<std::shared_ptr<OwedLabel>> labels = std::move(debt->second.labels);
  at.debts.erase(debt);
  --owed_;
  ++counters_.debts_paid;
  bool known = !resting.present();
  for (auto& label : labels) {
    if (!known && label->at == index && label->port == output_port && label->label == resting) {
      label->in_quarantine = known = true;
    }
    if (label.use_count() == 1) give_back(*label, now);
  }
  // Taken by a reservation whose answer came to nobody: no other hop was ever told of it.
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

void SwitchDesk::flush(TimePoint now) {
  for (const auto& at : switches_) send_due(*at, now);
}

void SwitchDesk::flush_all(TimePoint now) {
  for (const auto& at : switches_) {
    at->queue.flush_now(now);
    send_due(*at, now);
  }
}

std::vector<SwitchIndex> SwitchDesk::tick(TimePoint now) {
  std::vector<SwitchIndex> given_up;
  std::vector<session::Frame<HopBatch>> frames;
  for (SwitchIndex index = 0; index < switches_.size(); ++index) {
    Switch& at = *switches_[index];
    if (!at.link) continue;
    if (at.link->next_deadline() <= now) {
      frames.clear();
      const auto ticked = at.link->tick(now, frames);
      for (auto& frame : frames) transmit(at, std::move(frame));
      if (!ticked) {
        lost(index, ticked.error().text);
        given_up.push_back(index);
        continue;
      }
    }
    if (at.debts_due <= now) send_debts(at, now);
    send_due(at, now);
  }
  return given_up;
}

TimePoint SwitchDesk::next_deadline() const {
  TimePoint due = kNever;
  for (const auto& at : switches_) {
    if (!at->link) continue;
    due = std::min({due, at->link->next_deadline(), at->debts_due});
    // Without credit a due batch waits for a confirmation, not for the clock.
    if (at->link->has_credit()) due = std::min(due, at->queue.deadline());
  }
  return due;
}

void SwitchDesk::labels_cached(SwitchIndex index,
                               std::vector<std::pair<PortId, Label>>& out) const {
  for (const auto& [port, cache] : switches_[index]->caches) {
    for (const Label label : cache.labels()) out.emplace_back(port, label);
  }
}

void SwitchDesk::labels_on_their_way(SwitchIndex index,
                                     std::vector<std::pair<PortId, Label>>& out) const {
  for (const PortLabels& returning : switches_[index]->queue.returning()) {
    for (const Label label : returning.labels) out.emplace_back(returning.port, label);
  }
  for (const auto& owed : owed_labels(index)) out.emplace_back(owed->port, owed->label);
}

std::vector<HopKey> SwitchDesk::debts(SwitchIndex index) const {
  std::vector<HopKey> keys;
  for (const auto& [key, debt] : switches_[index]->debts) keys.push_back(key);
  return keys;
}

SwitchDesk::Counters SwitchDesk::counters() const {
  Counters sum = counters_;
  for (const auto& at : switches_) {
    if (at->link) sum.batches_resent += at->link->counters().resent;
    for (const auto& [port, cache] : at->caches) {
      sum.label_hits += cache.hits();
      sum.label_misses += cache.misses();
      sum.labels_cached += cache.size();
    }
  }
  return sum;
}

void SwitchDesk::send_due(Switch& at, TimePoint now) {
  if (!at.link) return;
  while (!at.queue.empty() && at.queue.due(now) && at.link->has_credit()) send_one(at, now);
}

void SwitchDesk::send_one(Switch& at, TimePoint now) {
  HopBatch batch = at.queue.take();
  const std::size_t octets = octets_of(batch);
  transmit(at, at.link->send(std::move(batch), octets, now));
}

void SwitchDesk::transmit(Switch& at, session::Frame<HopBatch> frame) {
  ++counters_.frames_out;
  peers_.to_switch(at.session, at.name, std::move(frame));
}

void SwitchDesk::end_session(Switch& at) {
  if (at.session.value() == 0) return;
  counters_.batches_resent += at.link->counters().resent;
  by_session_.erase(at.session);
  at.session = SessionId{};
  at.link.reset();
  at.queue.clear();
  at.debts_due = kNever;
  for (auto& [key, debt] : at.debts) debt.under_way = false;
  for (auto& [port, cache] : at.caches) cache.lapse();
}

void SwitchDesk::send_debts(Switch& at, TimePoint now) {
  at.debts_due = kNever;
  for (auto& [key, debt] : at.debts) {
    if (debt.under_way) continue;
    if (at.queue.full()) {
      at.debts_due = now + kDebtRetry;
      break;
    }
    debt.under_way = true;
    at.queue.add(key, now);
  }
  at.queue.flush_now(now);
  send_due(at, now);
}

}  // namespace xbind::cmgr
