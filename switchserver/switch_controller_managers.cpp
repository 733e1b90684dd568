// SwitchController: the sessions of managers, and their epochs.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/log.hpp"
#include "core/planted.hpp"
#include "switchserver/switch_controller.hpp"

namespace xbind {

Result<ManagerIndex> SwitchController::attached(std::string_view manager) const {
  const auto index = ledger_.managers().find(manager);
  if (!index || !sessions_[index->value()].attached) {
    return fail(ErrorCode::kNotFound, "manager {} is not attached", manager);
  }
  return *index;
}

Result<SwitchController::Attachment> SwitchController::attach(std::string_view manager,
                                                              Epoch epoch) {
  const bool known = ledger_.managers().find(manager).has_value();
  if (epoch.value() > kManagerEpochMax) {
    return fail(ErrorCode::kBadInput, "manager {} came with epoch {}, but {} is the last one",
                manager, epoch, kManagerEpochMax);
  }
  auto index = ledger_.manager(manager);
  if (!index && index.error().code == ErrorCode::kExhausted && make_room_for_manager()) {
    index = ledger_.manager(manager);
  }
  if (!index) return tl::make_unexpected(index.error());
  if (sessions_.size() <= index->value()) sessions_.resize(index->value() + std::size_t{1});
  Session& session = sessions_[index->value()];
  if (!known) session = {};  // reuses the place of a forgotten name
  if (epoch < session.epoch && !planted(Bug::kOldEpochAccepted)) {
    ++counters_.fenced;
    return tl::make_unexpected(
        Error{ErrorCode::kFenced,
              fmt::format("manager {} is fenced: it came with epoch {}, but epoch {} is known",
                          manager, epoch, session.epoch),
              session.epoch.value()});
  }
  if (session.attached) end_session(*index);
  std::erase_if(rests_, [&](const Rest& rest) { return rest.manager == *index; });
  session.attached = true;
  session.epoch = epoch;
  ledger_.open_session(*index);
  if (planted(Bug::kAttachEndsWait)) settling_.done(manager);
  return Attachment{ledger_.ports().present(),
                    ledger_.labels().list(LabelHolder::kQuarantine, *index),
                    ledger_.managers().hops(*index) + uncertain_of(*index),
                    claims_awaited(*index),
                    settling_.table_kept(manager),
                    entries_of_nobody()};
}

// Names of strangers that attached once must not keep out a new manager for ever. A name is given
// up only if nothing of it is left: no hop, no label, nothing that it may claim.
bool SwitchController::make_room_for_manager() {
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    const ManagerIndex index{static_cast<std::uint16_t>(i)};
    const std::string& name = ledger_.managers().name(index);
    if (sessions_[i].attached || uncertain_of(index) != 0 || settling_.awaited().contains(name) ||
        ledger_.managers().hops(index) != 0 || ledger_.labels().has_labels(index)) {
      continue;
    }
    log::sessions.info("manager {} has nothing here; its name is forgotten to make room", name);
    std::erase_if(rests_, [&](const Rest& rest) { return rest.manager == index; });
    ledger_.forget_manager(index);
    return true;
  }
  return false;
}

ManagerEpochs SwitchController::epochs_of(std::string_view manager) const {
  const auto index = ledger_.managers().find(manager);
  if (!index || index->value() >= sessions_.size()) return {};
  std::set<std::uint64_t> used;
  ledger_.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (record.manager != *index) return;
    used.insert(epoch_of(record.key.connection));
    used.insert(epoch_of(ledger_.extras().shown_id(ref)));
    if (used.size() > kEpochsListedMax + 1) used.erase(std::prev(used.end()));
  });
  for (const auto& [key, hop] : uncertain_) {
    if (key.first == *index) used.insert(epoch_of(key.second.connection));
  }
  used.erase(0);  // of hops without another id
  std::vector<std::uint64_t> listed(used.begin(), used.end());
  listed.resize(std::min(listed.size(), kEpochsListedMax));
  const Session& session = sessions_[index->value()];
  return epochs_at_switch(session.epoch, session.renewals, std::move(listed));
}

Result<void> SwitchController::renew_epoch(std::string_view manager, Epoch newest) {
  if (newest == Epoch{} || newest.value() > kManagerEpochMax) {
    return fail(ErrorCode::kBadInput, "epoch {} is not in 1 to {}", newest, kManagerEpochMax);
  }
  const auto index = ledger_.managers().find(manager);
  if (!index || index->value() >= sessions_.size()) return {};
  Session& session = sessions_[index->value()];
  if (session.attached) {
    return fail(ErrorCode::kBadInput, "manager {} is attached, with epoch {}", manager,
                session.epoch);
  }
  log::sessions.warn("the epochs of manager {} are renewed: {} after {}", manager, newest,
                     session.epoch);
  session.epoch = newest;
  ++session.renewals;
  return {};
}

void SwitchController::detach(std::string_view manager) {
  if (const auto index = attached(manager)) end_session(*index);
}

void SwitchController::end_session(ManagerIndex manager) {
  sessions_[manager.value()].attached = false;
  for (Batch& batch : batches_) {
    if (batch.manager == manager) batch.wanted = false;
  }
  recalls_.session_ended(manager);
  ledger_.lapse(manager);
  rests_.push_back({manager});
  ++counters_.lapses;
}

void SwitchController::end_rests(TimePoint now) {
  for (; !rests_.empty() && now >= rests_.front().until; rests_.pop_front()) {
    ledger_.end_rest(rests_.front().manager);
  }
}

Result<std::uint64_t> SwitchController::forget(std::string_view manager) {
  const auto index = ledger_.managers().find(manager);
  if (!index) return fail(ErrorCode::kNotFound, "no manager {} is known", manager);
  if (sessions_[index->value()].attached) {
    return fail(ErrorCode::kBadInput, "manager {} is attached", manager);
  }
  std::erase_if(rests_, [&](const Rest& rest) { return rest.manager == *index; });
  // No manager will repeat these removals. If the switch still has such a cross-connect, the audit
  // reports it as stray.
  std::erase_if(uncertain_, [&](const auto& entry) { return entry.first.first == *index; });
  if (up()) {
    note_claimed_all(*index);
    flush();
  } else {
    settling_.done(manager);
  }
  return ledger_.forget_manager(*index);
}

Result<std::uint64_t> SwitchController::clear_hops(std::string_view manager,
                                                   ConnectionId connection, TimePoint now,
                                                   std::vector<ClearedCall>* calls) {
  const auto index = ledger_.managers().find(manager);
  if (!index) return 0;
  if (sessions_[index->value()].attached) {
    return fail(ErrorCode::kBadInput, "manager {} is attached", manager);
  }
  now_ = now;
  std::vector<HopRef> cleared;
  ledger_.hops().for_each([&](HopRef ref, const HopRecord& record) {
    const bool meant = connection == ConnectionId{} || record.key.connection == connection ||
                       ledger_.extras().shown_id(ref) == connection;
    if (record.manager == *index && meant) cleared.push_back(ref);
  });
  // Hops that take over from others go before those.
  std::sort(cleared.begin(), cleared.end(), [&](HopRef a, HopRef b) {
    return ledger_.hop(a).key.generation > ledger_.hop(b).key.generation;
  });
  // While a call moves to another path, it has two first hops.
  std::set<ConnectionId> noted;
  const auto note = [&](HopRef ref) {
    const HopRecord& hop = ledger_.hop(ref);
    if (calls == nullptr || !hop.first() || hop.key.leg != 0) return;
    if (hop.stage() == HopStage::kRemoving) return;  // was noted when its removal began
    const ConnectionId shown = ledger_.extras().shown_id(ref);
    const ConnectionId id = shown != ConnectionId{} ? shown : hop.key.connection;
    if (noted.insert(id).second) calls->push_back({id, hop.request, ledger_.hops().owner_of(hop)});
  };
  std::uint64_t left = 0;
  for (const HopRef ref : cleared) {
    if (ledger_.find_hop(ref) == nullptr) continue;  // it went with another one
    note(ref);
    if (ledger_.goes_at_once(ref)) {
      remove_at_once(ref);
      continue;
    }
    ledger_.begin_removal(ref);
    if (up()) request_removal(ref);
    ++left;
  }
  flush();
  return left;
}

std::vector<SwitchController::ManagerHoldings> SwitchController::holdings() const {
  std::vector<ManagerHoldings> all;
  const ManagerTable& table = ledger_.managers();
  for (std::size_t i = 0; i < std::min(sessions_.size(), table.size()); ++i) {
    const ManagerIndex index{static_cast<std::uint16_t>(i)};
    const KnownManager known{table.name(index), sessions_[i].epoch};
    if (known.name.empty()) continue;
    all.push_back({known, sessions_[i].attached, table.forgotten(index), table.hops(index)});
  }
  return all;
}

}  // namespace xbind
