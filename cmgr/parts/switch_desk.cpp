#include "cmgr/parts/switch_desk.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cmgr/parts/call_traces.hpp"
#include "core/log.hpp"
#include "core/name.hpp"
#include "core/planted.hpp"
#include "core/wire_octets.hpp"

namespace xbind::cmgr {
namespace {

// Added to the use of a port when it must declare a demand at once.
constexpr std::uint32_t kFirstDemand = 8;

}  // namespace

SwitchDesk::SwitchDesk(const Config& config, Peers& peers, CallTimes& times, CallTraces& traces)
    : config_(config),
      peers_(peers),
      times_(times),
      traces_(traces),
      aggregation_(config.aggregation) {}

Result<SwitchIndex> SwitchDesk::index_of(const std::string& name) {
  if (switches_.size() >= kSwitches && !by_name_.contains(name)) {
    return fail(ErrorCode::kExhausted,
                "switch '{}' is one more than the {} whose names the manager can know; those of "
                "removed switches count until it is started again",
                name, kSwitches);
  }
  const auto [entry, fresh] = by_name_.try_emplace(name, index_at(switches_.size()));
  if (fresh) {
    switches_.push_back(std::make_unique<Switch>(
        Switch{name, {}, 0, nullptr, Aggregator{aggregation_}, {}, {}, {}, {}, kNever}));
    peers_.attach_switch(name, AttachTable::Lost::kNothing);
  } else if (std::exchange(switches_[entry->second.value()]->gone, false)) {
    peers_.attach_switch(name, AttachTable::Lost::kNothing);
  }
  return entry->second;
}

bool SwitchDesk::let_go(SwitchIndex index) {
  Switch& at = *switches_[index.value()];
  if (!at.debts.empty() || !at.changes.empty()) return false;
  if (at.link && (at.link->unconfirmed() != 0 || !at.queue.empty())) return false;
  end_session(at);
  at.gone = true;
  peers_.let_go_of_switch(at.name);
  return true;
}

std::optional<SwitchIndex> SwitchDesk::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

void SwitchDesk::attached(SwitchIndex index, SessionId session, std::uint32_t batches_in_flight,
                          const std::vector<PortLabels>& quarantined, TimePoint now) {
  Switch& at = *switches_[index.value()];
  end_session(at);
  at.session = session;
  at.unclear = false;
  ++at.attachments;
  at.link = std::make_unique<SwitchSession>(config_.switch_session.agreed(batches_in_flight), now);
  by_session_[session] = index;
  std::size_t quarantine = 0;
  for (const PortLabels& port : quarantined) quarantine += port.labels.size();
  log::sessions.info(
      "switchserver {} attached, session {}, {} of this manager's labels in quarantine there",
      at.name, session, quarantine);
  if (events_ != nullptr) {
    events_->add(EventKind::kSessionAttached, "switchserver " + at.name,
                 fmt::format("session {}", session));
  }
  if (config_.label_policy != LabelPolicy::kFixed || config_.quotas) {
    trim_due_ = std::min(trim_due_, now + kTrim);
  }
  if (at.claims_end) {
    at.claims_due = now;
  } else if (at.entries_pause != Duration::zero()) {
    at.entries_pause = kDebtRetry;
    at.claims_due = now + kDebtRetry;
  }
  if (!planted(Bug::kDebtsNotSent)) send_debts(at, now);
}

// Each new session says it again, so an answer of an earlier one decides nothing.
void SwitchDesk::claims_finished(SwitchIndex index, SessionId session, bool heard, TimePoint now) {
  Switch& at = *switches_[index.value()];
  if (at.session != session) return;
  at.claims_end = at.claims_end && !heard;
  if (at.claims_end) at.claims_due = now + kDebtRetry;
  if (!heard && !at.claims_end && at.entries_pause != Duration::zero()) {
    entries_known(index, false, now);
  }
}

void SwitchDesk::entries_known(SwitchIndex index, bool known, TimePoint now) {
  Switch& at = *switches_[index.value()];
  if (known) {
    at.entries_pause = {};
    return;
  }
  at.entries_pause = std::clamp(2 * at.entries_pause, kDebtRetry, kEntriesPauseMax);
  if (at.link) at.claims_due = std::min(at.claims_due, now + at.entries_pause);
}

void SwitchDesk::lost(SwitchIndex index, std::string_view reason) {
  Switch& at = *switches_[index.value()];
  if (at.session.value() == 0) return;
  log::sessions.warn("switchserver {}: {}; the session is over", at.name, reason);
  if (events_ != nullptr) {
    events_->add(EventKind::kSessionEnded, "switchserver " + at.name, printable(reason, 500));
  }
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
  Switch& at = *switches_[index.value()];
  return at.link->receive(std::move(frame), now, apply);
}

void SwitchDesk::granted(SwitchIndex index, const HopResultBatch& batch, TimePoint now) {
  for (const PortLabels& labels : batch.granted) {
    LabelCache& into = caches(index, labels.port).labels;
    for (const Label label : labels.labels) into.put(label, now);
  }
  for (const PortQuota& quota : batch.quota_granted) {
    caches(index, quota.port).quota.granted(quota.quota, now);
  }
  Switch& at = *switches_[index.value()];
  for (const PortRecall& recall : batch.recalls) {
    log::labels.debug("switchserver {} recalls {} labels and {} cells/s of port {}", at.name,
                      recall.labels, recall.quota.cells_per_s, recall.port);
    PortCaches& from = caches(index, recall.port);
    for (const Label label : from.labels.recalled(recall.labels, now)) {
      at.queue.give_back(recall.port, label, now);
      ++counters_.labels_recalled;
    }
    const Resources quota = from.quota.recalled(recall.quota, now);
    if (quota != Resources{}) at.queue.give_back(recall.port, quota, now);
  }
}

void SwitchDesk::queue(SwitchIndex index, HopKey removal, TimesIndex times, TimePoint now) {
  Switch& at = *switches_[index.value()];
  ++counters_.commands;
  times_.queued(times);
  at.queue.add(removal, now, times);
  send_due(at, now, false);
}

void SwitchDesk::queue(SwitchIndex index, HopModify change, TimePoint now) {
  Switch& at = *switches_[index.value()];
  ++counters_.commands;
  at.queue.add(std::move(change), now);
  send_due(at, now, false);
}

void SwitchDesk::invoke(SwitchIndex index, HopBatch batch, TimePoint now) {
  Switch& at = *switches_[index.value()];
  counters_.commands += batch.commands();
  // Returned labels do not travel with it: if the invocation failed, nobody would know whether they
  // arrived. They travel in the session, which loses nothing.
  ++counters_.frames_out;
  (void)now;
  if (!batch.traced.empty()) traces_.sent(batch, index);
  peers_.invoke(at.session, at.name, std::move(batch));
}

// ===== what is kept in advance =====

PortCaches& SwitchDesk::add_port(Switch& of, PortId port) {
  PortCaches& added =
      of.caches
          .emplace_back(port, PortCaches{LabelCache{config_.label_policy,
                                                    config_.label_cache_target, config_.hit_ratio},
                                         QuotaCache{},
                                         0,
                                         0,
                                         std::nullopt,
                                         {}})
          .second;
  of.caches_by_port.insert(port, &added);
  return added;
}

void SwitchDesk::change_label_caches() {
  for (const auto& at : switches_) {
    for (auto& [port, caches] : at->caches) {
      caches.labels.change(config_.label_cache_target, config_.hit_ratio);
    }
  }
}

std::optional<Label> SwitchDesk::take_label(SwitchIndex index, PortId port, TimePoint now) {
  PortCaches& from = caches(index, port);
  const auto label = from.labels.take(now);
  // The first calls of a port cannot wait until its demand is declared in trim(): without a share
  // they would be refused.
  if (config_.label_policy == LabelPolicy::kCooperative && from.held >= from.declared) {
    from.declared = static_cast<std::uint32_t>(from.held + from.labels.target(now) + kFirstDemand +
                                               from.held / 4);
    switches_[index.value()]->queue.declare(port, from.declared, now);
  }
  if (label) ++from.held;
  return label;
}

void SwitchDesk::label_lost(SwitchIndex index, PortId port) {
  PortCaches& of = caches(index, port);
  if (of.held > 0) --of.held;
}

std::uint16_t SwitchDesk::want_labels(SwitchIndex index, PortId port, TimePoint now) {
  return caches(index, port).labels.want(now);
}

void SwitchDesk::labels_answered(SwitchIndex index, PortId port, std::uint16_t asked) {
  caches(index, port).labels.answered(asked);
}

void SwitchDesk::book(SwitchIndex index, PortId port, const Resources& demand, TimePoint now) {
  if (config_.quotas) (void)caches(index, port).quota.take(demand, now);
}

void SwitchDesk::unbook(SwitchIndex index, PortId port, const Resources& demand) {
  if (config_.quotas) caches(index, port).quota.release(demand);
}

Resources SwitchDesk::want_quota(SwitchIndex index, PortId port, const HopKey& rider,
                                 TimePoint now) {
  if (!config_.quotas) return {};
  PortCaches& of = caches(index, port);
  if (of.quota_rides) return {};
  of.quota_asked = of.quota.want(config_.quota_calls_ahead, now);
  if (of.quota_asked != Resources{}) of.quota_rides = rider;
  return of.quota_asked;
}

// Returns surplus, and declares demand to the SwitchServer.
void SwitchDesk::trim(Switch& at, TimePoint now) {
  if (!at.link) return;
  for (auto& [port, of] : at.caches) {
    for (const Label label : of.labels.surplus(now)) {
      at.queue.give_back(port, label, now);
      ++counters_.labels_surplus;
    }
    if (config_.quotas) {
      const Resources quota = of.quota.surplus(config_.quota_calls_ahead, now);
      if (quota != Resources{}) at.queue.give_back(port, quota, now);
    }
    if (config_.label_policy != LabelPolicy::kCooperative) continue;
    // Declare a change of more than an eighth only.
    const auto demand = static_cast<std::uint32_t>(of.held + of.labels.target(now));
    const std::uint32_t apart = demand > of.declared ? demand - of.declared : of.declared - demand;
    if (apart * 8 > of.declared || (demand == 0 && of.declared != 0)) {
      of.declared = demand;
      at.queue.declare(port, demand, now);
    }
  }
}

void SwitchDesk::give_back(const OwedLabel& label, TimePoint now, bool usable) {
  const bool ours = label.attachment == attachment(label.at);
  label_lost(label.at, label.port);
  if (ours && is_attached(label.at)) {
    LabelCache& into = caches(label.at, label.port).labels;
    if (usable && into.wants_back(now)) {
      into.put(label.label, now);
      return;
    }
  }
  if (ours || label.in_quarantine) return_label(label.at, label.port, label.label, now);
}

void SwitchDesk::return_label(SwitchIndex index, PortId port, Label label, TimePoint now) {
  Switch& at = *switches_[index.value()];
  // Without a session it cannot be returned; the ledger keeps it quarantined and lists it at the
  // next attach.
  if (is_attached(index)) at.queue.give_back(port, label, now);
}

void SwitchDesk::flush(TimePoint now) {
  count_batches();
  for (const auto& at : switches_) send_due(*at, now, true);
}

void SwitchDesk::flush_all(TimePoint now) {
  for (const auto& at : switches_) {
    at->queue.flush_now(now);
    send_due(*at, now, true);
  }
}

std::vector<SwitchDesk::Ended> SwitchDesk::tick(TimePoint now) {
  if (trim_due_ <= now) {
    for (const auto& at : switches_) trim(*at, now);
    trim_due_ = by_session_.empty() ? kNever : now + kTrim;
  }
  std::vector<Ended> ended;
  count_batches();
  std::vector<session::Frame<HopBatch>> frames;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    Switch& at = *switches_[i];
    if (!at.link) continue;
    if (at.link->next_deadline() <= now) {
      frames.clear();
      const auto ticked = at.link->tick(now, frames);
      for (auto& frame : frames) transmit(at, std::move(frame));
      if (!ticked) {
        lost(index_at(i), ticked.error().text);
        ended.push_back({index_at(i), AttachTable::Lost::kBySilence});
        continue;
      }
    }
    if (at.claims_due <= now) finish_claims(at);
    if (at.debts_due <= now) send_debts(at, now);
    if (must_attach_again(at)) {
      lost(index_at(i), "no answer names the labels of removed hops");
      ended.push_back({index_at(i), AttachTable::Lost::kNothing});
      continue;
    }
    send_due(at, now, true);
  }
  return ended;
}

TimePoint SwitchDesk::next_deadline() const {
  TimePoint due = trim_due_;
  for (const auto& at : switches_) {
    if (!at->link) continue;
    due = std::min({due, at->link->next_deadline(), at->debts_due, at->claims_due});
    // Without credit a due batch waits for a confirmation, not for the clock.
    if (at->link->has_credit()) due = std::min(due, at->queue.deadline());
  }
  return due;
}

void SwitchDesk::labels_cached(SwitchIndex index,
                               std::vector<std::pair<PortId, Label>>& out) const {
  for (const auto& [port, caches] : switches_[index.value()]->caches) {
    caches.labels.for_each_label([&, at = port](Label label) { out.emplace_back(at, label); });
  }
}

void SwitchDesk::labels_on_their_way(SwitchIndex index,
                                     std::vector<std::pair<PortId, Label>>& out) const {
  for (const PortLabels& returning : switches_[index.value()]->queue.returning()) {
    for (const Label label : returning.labels) out.emplace_back(returning.port, label);
  }
  for (const auto& owed : owed_labels(index)) out.emplace_back(owed->port, owed->label);
}

SwitchDesk::Counters SwitchDesk::counters() const {
  Counters sum = counters_;
  for (const auto& at : switches_) {
    if (at->link) sum.batches_resent += at->link->counters().resent;
    for (const auto& [port, caches] : at->caches) {
      sum.label_hits += caches.labels.hits();
      sum.label_misses += caches.labels.misses();
      sum.labels_cached += caches.labels.size();
      sum.quota_hits += caches.quota.hits();
      sum.quota_misses += caches.quota.misses();
    }
  }
  return sum;
}

void SwitchDesk::send_one(Switch& at, TimePoint now) {
  HopBatch batch = at.queue.take([&](TimesIndex call) { times_.left(call, now); });
  if (!batch.traced.empty()) traces_.sent(batch, by_name_.at(at.name));
  const std::size_t octets = wire_octets(batch);
  ++batches_under_way_;
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
  peers_.switch_session_over(std::exchange(at.session, SessionId{}));
  at.link.reset();
  at.queue.clear([&](TimesIndex call) { times_.dropped(call); });
  at.debts_due = kNever;
  at.claims_due = kNever;
  for (auto& [key, debt] : at.debts) debt.under_way = false;
  if (planted(Bug::kDebtDropped)) owed_ -= std::exchange(at.debts, {}).size();
  for (auto& [key, owed] : at.changes) {
    owed.under_way = false;
    count_change(owed);
  }
  for (auto& [port, caches] : at.caches) {
    if (!planted(Bug::kCacheKept)) caches.labels.lapse();
    caches.quota.lapse();
    caches.quota_rides.reset();
    caches.declared = 0;
  }
}

}  // namespace xbind::cmgr
