#include "switchserver/controller/label_exchange.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind::controller {

// ===== grants =====

void LabelExchange::want(const HopSetup& accepted) {
  const PortId port = accepted.output_port;
  auto wanted = std::ranges::find(wanted_, port, &Wanted::port);
  if (wanted == wanted_.end()) {
    wanted_.push_back({port, 0, {}});
    wanted = std::prev(wanted_.end());
  }
  if (!accepted.last()) wanted->labels += accepted.labels_wanted;
  wanted->quota += accepted.quota_wanted;
}

void LabelExchange::grant_wanted(ManagerIndex manager, HopResultBatch& out) {
  std::size_t left = parts_.options.labels_per_grant_max;
  for (const Wanted& wanted : wanted_) {
    if (wanted.labels != 0 || wanted.quota != Resources{}) {
      Grant granted = grant_some(manager, wanted.port, std::min(wanted.labels, left), wanted.quota);
      left -= granted.labels.size();
      if (!granted.labels.empty()) {
        out.granted.push_back({wanted.port, std::move(granted.labels)});
      }
      if (granted.quota != Resources{}) out.quota_granted.push_back({wanted.port, granted.quota});
    }
    parts_.recalls.check_low(parts_.ledger, manager, wanted.port, parts_.now);
  }
}

Grant LabelExchange::grant_some(ManagerIndex manager, PortId port, std::size_t labels,
                                Resources quota) {
  Grant granted;
  if (parts_.claims.awaited_at(port)) return granted;
  Grants& grants = parts_.ledger.grants();
  SwitchCounters& counters = parts_.counters;
  const GrantRoom room = grants.grant_room(manager, port, {labels, quota});
  if (labels != room.labels || quota != room.quota) ++counters.grants_bounded;
  labels = static_cast<std::size_t>(room.labels);
  quota = room.quota;
  const auto missing = grants.grant_labels(manager, port, labels, granted.labels);
  counters.labels_granted += granted.labels.size();
  if (missing.share != 0) note_over_share(port);
  granted.quota = grants.grant_quota(manager, port, quota);
  const PortRecall rest{port,
                        static_cast<std::uint32_t>(missing.free),
                        {quota.cells_per_s - granted.quota.cells_per_s,
                         quota.buffer_cells - granted.quota.buffer_cells}};
  if (rest.labels != 0 || rest.quota != Resources{}) {
    parts_.recalls.short_of(parts_.ledger, manager, rest, parts_.now);
  }
  return granted;
}

Result<Grant> LabelExchange::grant(std::string_view name, PortId port, std::size_t labels,
                                   Resources quota, TimePoint now) {
  const SwitchControllerOptions& options = parts_.options;
  const auto manager = parts_.sessions.attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  if (!parts_.link.up()) {
    return fail(ErrorCode::kUnreachable, "the switch of {} is not up", options.name);
  }
  if (!parts_.ledger.ports().has(port)) {
    return fail(ErrorCode::kNotFound, "{} has no port {}", options.name, port);
  }
  parts_.now = now;
  Grant granted = grant_some(*manager, port, std::min(labels, options.labels_per_grant_max), quota);
  parts_.recalls.check_low(parts_.ledger, *manager, port, now);
  return granted;
}

// ===== shortages =====

// Bandwidth is recalled only if it would suffice; otherwise the others would give up their quotas
// for nothing.
void LabelExchange::note_shortage(ManagerIndex manager, const Admission& refused) {
  const Ledger& ledger = parts_.ledger;
  if (refused.cause == Cause::kOverShare) note_over_share(refused.port);
  PortRecall missing{refused.port, refused.labels_missing, refused.quota_missing};
  if (missing.quota != Resources{} &&
      !missing.quota.fits_within(RecallDesk::unused_of_others(ledger, manager, refused.port))) {
    missing.quota = {};
  }
  if (missing.labels != 0 || missing.quota != Resources{}) {
    log::labels.debug("manager {} finds {} labels and {} cells/s too few at port {}",
                      ledger.managers().name(manager), missing.labels, missing.quota.cells_per_s,
                      missing.port);
    parts_.recalls.short_of(ledger, manager, missing, parts_.now);
  }
}

void LabelExchange::note_over_share(PortId port) {
  ++parts_.counters.over_share;
  parts_.recalls.check_shares(parts_.ledger, port, parts_.now);
}

void LabelExchange::end_step() {
  if (parts_.recalls.idle()) return;
  for (const RecallDesk::Recall& recall : parts_.recalls.take()) {
    parts_.outputs.recalls.push_back({parts_.ledger.managers().name(recall.manager), recall.what});
    ++parts_.counters.recalls;
  }
}

// ===== returns =====

void LabelExchange::take_back(ManagerIndex manager, const HopBatch& batch) {
  for (const PortLabels& returned : batch.returned) take_back(manager, returned);
  for (const PortQuota& returned : batch.quota_returned) {
    take_back(manager, returned.port, returned.quota);
  }
  for (const PortDemand& declared : batch.declared) {
    parts_.recalls.check_shares(parts_.ledger, declared.port, parts_.now);
  }
}

void LabelExchange::take_back(ManagerIndex manager, const PortLabels& returned) {
  for (const Label label : returned.labels) {
    if (parts_.ledger.grants().return_label(manager, returned.port, label)) {
      ++parts_.counters.labels_returned;
      parts_.match.label_returned(returned.port, label);
    } else {
      ++parts_.counters.returned_not_held;
    }
  }
}

void LabelExchange::take_back(ManagerIndex manager, PortId port, Resources quota) {
  if (!parts_.ledger.grants().return_quota(manager, port, quota)) ++parts_.counters.quota_not_held;
}

Result<void> LabelExchange::give_back(std::string_view name, const PortLabels& labels,
                                      Resources quota) {
  const auto manager = parts_.sessions.attached(name);
  if (!manager) return tl::make_unexpected(manager.error());
  take_back(*manager, labels);
  take_back(*manager, labels.port, quota);
  return {};
}

}  // namespace xbind::controller
