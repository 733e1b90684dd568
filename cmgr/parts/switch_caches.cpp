#include "cmgr/parts/switch_caches.hpp"

#include "core/log.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

// Added to the use of a port when it must declare a demand at once.
constexpr std::uint32_t kFirstDemand = 8;

}  // namespace

PortCaches& SwitchCaches::add_port(OfSwitch& of, PortId port) {
  PortCaches& added =
      of.ports
          .emplace_back(port, PortCaches{LabelCache{config_.label_policy,
                                                    config_.label_cache_target, config_.hit_ratio},
                                         QuotaCache{},
                                         0,
                                         0,
                                         std::nullopt,
                                         {}})
          .second;
  of.by_port.insert(port, &added);
  return added;
}

std::optional<Label> SwitchCaches::take_label(SwitchIndex index, PortId port, TimePoint now) {
  PortCaches& from = caches(index, port);
  const auto label = from.labels.take(now);
  // The first calls of a port cannot wait until its demand is declared in trim(): without a share
  // they would be refused.
  if (config_.label_policy == LabelPolicy::kCooperative && from.held >= from.declared) {
    from.declared = static_cast<std::uint32_t>(from.held + from.labels.target(now) + kFirstDemand +
                                               from.held / 4);
    queues_.at(index).queue.declare(port, from.declared, now);
  }
  if (label) ++from.held;
  return label;
}

void SwitchCaches::label_lost(SwitchIndex index, PortId port) {
  PortCaches& of = caches(index, port);
  if (of.held > 0) --of.held;
}

std::uint16_t SwitchCaches::want_labels(SwitchIndex index, PortId port, TimePoint now) {
  return caches(index, port).labels.want(now);
}

void SwitchCaches::labels_answered(SwitchIndex index, PortId port, std::uint16_t asked) {
  caches(index, port).labels.answered(asked);
}

void SwitchCaches::give_back(const OwedLabel& label, TimePoint now, bool usable) {
  const SwitchLine& line = queues_.at(label.at);
  const bool ours = label.attachment == line.attachments;
  label_lost(label.at, label.port);
  if (ours && line.attached()) {
    LabelCache& into = caches(label.at, label.port).labels;
    if (usable && into.wants_back(now)) {
      into.put(label.label, now);
      return;
    }
  }
  if (ours || label.in_quarantine) return_label(label.at, label.port, label.label, now);
}

void SwitchCaches::return_label(SwitchIndex index, PortId port, Label label, TimePoint now) {
  SwitchLine& line = queues_.at(index);
  // Without a session it cannot be returned; the ledger keeps it quarantined and lists it at the
  // next attach.
  if (line.attached()) line.queue.give_back(port, label, now);
}

void SwitchCaches::change_sizes() {
  for (const auto& of : switches_) {
    for (auto& [port, caches] : of->ports) {
      caches.labels.change(config_.label_cache_target, config_.hit_ratio);
    }
  }
}

void SwitchCaches::append_labels(SwitchIndex index,
                                 std::vector<std::pair<PortId, Label>>& out) const {
  for (const auto& [port, caches] : switches_[index.value()]->ports) {
    caches.labels.for_each_label([&, at = port](Label label) { out.emplace_back(at, label); });
  }
}

void SwitchCaches::book(SwitchIndex index, PortId port, const Resources& demand, TimePoint now) {
  if (config_.quotas) (void)caches(index, port).quota.take(demand, now);
}

void SwitchCaches::unbook(SwitchIndex index, PortId port, const Resources& demand) {
  if (config_.quotas) caches(index, port).quota.release(demand);
}

Resources SwitchCaches::want_quota(SwitchIndex index, PortId port, const HopKey& rider,
                                   TimePoint now) {
  if (!config_.quotas) return {};
  PortCaches& of = caches(index, port);
  if (of.quota_rides) return {};
  of.quota_asked = of.quota.want(config_.quota_calls_ahead, now);
  if (of.quota_asked != Resources{}) of.quota_rides = rider;
  return of.quota_asked;
}

void SwitchCaches::granted(SwitchIndex index, const HopResultBatch& batch, TimePoint now) {
  for (const PortLabels& labels : batch.granted) {
    LabelCache& into = caches(index, labels.port).labels;
    for (const Label label : labels.labels) into.put(label, now);
  }
  for (const PortQuota& quota : batch.quota_granted) {
    caches(index, quota.port).quota.granted(quota.quota, now);
  }
  SwitchLine& line = queues_.at(index);
  for (const PortRecall& recall : batch.recalls) {
    log::labels.debug("switchserver {} recalls {} labels and {} cells/s of port {}", line.name,
                      recall.labels, recall.quota.cells_per_s, recall.port);
    PortCaches& from = caches(index, recall.port);
    for (const Label label : from.labels.recalled(recall.labels, now)) {
      line.queue.give_back(recall.port, label, now);
      ++labels_recalled_;
    }
    const Resources quota = from.quota.recalled(recall.quota, now);
    if (quota != Resources{}) line.queue.give_back(recall.port, quota, now);
  }
}

void SwitchCaches::trim(TimePoint now) {
  for (const auto& line : queues_.lines()) {
    if (line->link) trim(*line, now);
  }
}

void SwitchCaches::trim(SwitchLine& line, TimePoint now) {
  for (auto& [port, of] : switches_[line.index.value()]->ports) {
    for (const Label label : of.labels.surplus(now)) {
      line.queue.give_back(port, label, now);
      ++labels_surplus_;
    }
    if (config_.quotas) {
      const Resources quota = of.quota.surplus(config_.quota_calls_ahead, now);
      if (quota != Resources{}) line.queue.give_back(port, quota, now);
    }
    if (config_.label_policy != LabelPolicy::kCooperative) continue;
    // Declare a change of more than an eighth only.
    const auto demand = static_cast<std::uint32_t>(of.held + of.labels.target(now));
    const std::uint32_t apart = demand > of.declared ? demand - of.declared : of.declared - demand;
    if (apart * 8 > of.declared || (demand == 0 && of.declared != 0)) {
      of.declared = demand;
      line.queue.declare(port, demand, now);
    }
  }
}

void SwitchCaches::lapse(SwitchIndex index) {
  for (auto& [port, caches] : switches_[index.value()]->ports) {
    if (!planted(Bug::kCacheKept)) caches.labels.lapse();
    caches.quota.lapse();
    caches.quota_rides.reset();
    caches.declared = 0;
  }
}

void SwitchCaches::add_to(DeskCounters& sum) const {
  sum.labels_recalled += labels_recalled_;
  sum.labels_surplus += labels_surplus_;
  for (const auto& of : switches_) {
    for (const auto& [port, caches] : of->ports) {
      sum.label_hits += caches.labels.hits();
      sum.label_misses += caches.labels.misses();
      sum.labels_cached += caches.labels.size();
      sum.quota_hits += caches.quota.hits();
      sum.quota_misses += caches.quota.misses();
    }
  }
}

}  // namespace xbind::cmgr
