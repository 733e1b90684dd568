#include "switchserver/controller/sessions.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/log.hpp"
#include "core/planted.hpp"
#include "switchserver/controller/parts.hpp"

namespace xbind::controller {

Sessions::Sessions(Parts& parts) : parts_(parts) {
  const auto& given = parts.options.known;
  for (const KnownManager& known : given.value_or(std::vector<KnownManager>{})) {
    const auto index = parts.ledger.manager(known.name);
    if (!index) {
      log::gsmp.warn("manager {} is not awaited: {}", known.name, index.error().text);
      parts.settling.done(known.name);
      continue;
    }
    sessions_.resize(std::max<std::size_t>(sessions_.size(), index->value() + std::size_t{1}));
    sessions_[index->value()] = {false, known.epoch, known.renewals};
  }
}

// ===== sessions =====

Result<ManagerIndex> Sessions::attached(std::string_view manager) const {
  const auto index = parts_.ledger.managers().find(manager);
  if (!index || !is_attached(*index)) {
    return fail(ErrorCode::kNotFound, "manager {} is not attached", manager);
  }
  return *index;
}

Result<Attachment> Sessions::attach(std::string_view manager, Epoch epoch) {
  Ledger& ledger = parts_.ledger;
  const bool known = ledger.managers().find(manager).has_value();
  if (epoch.value() > kManagerEpochMax) {
    return fail(ErrorCode::kBadInput, "manager {} came with epoch {}, but {} is the last one",
                manager, epoch, kManagerEpochMax);
  }
  auto index = ledger.manager(manager);
  if (!index && index.error().code == ErrorCode::kExhausted && make_room()) {
    index = ledger.manager(manager);
  }
  if (!index) return tl::make_unexpected(index.error());
  if (sessions_.size() <= index->value()) sessions_.resize(index->value() + std::size_t{1});
  Session& session = sessions_[index->value()];
  if (!known) {  // reuses the place of a forgotten name
    session = {};
    parts_.claims.begin(*index);
  }
  if (epoch < session.epoch && !planted(Bug::kOldEpochAccepted)) {
    ++parts_.counters.fenced;
    return tl::make_unexpected(
        Error{ErrorCode::kFenced,
              fmt::format("manager {} is fenced: it came with epoch {}, but epoch {} is known",
                          manager, epoch, session.epoch),
              session.epoch.value()});
  }
  if (session.attached) end(*index);
  end_rest_of(*index);
  session.attached = true;
  session.epoch = epoch;
  ledger.open_session(*index);
  if (planted(Bug::kAttachEndsWait)) parts_.settling.done(manager);
  return Attachment{ledger.ports().present(),
                    ledger.labels().list(LabelHolder::kQuarantine, *index),
                    ledger.managers().hops(*index) + parts_.claims.uncertain_of(*index),
                    parts_.claims.awaited_from(*index),
                    parts_.settling.table_kept(manager),
                    parts_.match.count_unclaimed()};
}

// Names of strangers that attached once must not keep out a new manager for ever. A name is given
// up only if nothing of it is left: no hop, no label, nothing that it may claim.
bool Sessions::make_room() {
  Ledger& ledger = parts_.ledger;
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    const ManagerIndex index{static_cast<std::uint16_t>(i)};
    const std::string& name = ledger.managers().name(index);
    if (sessions_[i].attached || parts_.claims.uncertain_of(index) != 0 ||
        parts_.settling.awaited().contains(name) || ledger.managers().hops(index) != 0 ||
        ledger.labels().has_labels(index)) {
      continue;
    }
    log::sessions.info("manager {} has nothing here; its name is forgotten to make room", name);
    end_rest_of(index);
    ledger.forget_manager(index);
    return true;
  }
  return false;
}

void Sessions::detach(std::string_view manager) {
  if (const auto index = attached(manager)) end(*index);
}

void Sessions::end(ManagerIndex manager) {
  sessions_[manager.value()].attached = false;
  parts_.answers.end_session(manager);
  parts_.recalls.session_ended(manager);
  parts_.ledger.lapse(manager);
  rests_.push_back({manager});
  ++parts_.counters.lapses;
}

// ===== rests of labels =====

void Sessions::end_rest_of(ManagerIndex manager) {
  std::erase_if(rests_, [&](const Rest& rest) { return rest.manager == manager; });
}

void Sessions::on_time(TimePoint now) {
  for (; !rests_.empty() && now >= rests_.front().until; rests_.pop_front()) {
    parts_.ledger.end_rest(rests_.front().manager);
  }
}

void Sessions::end_step(TimePoint now) {
  // What begins with this step stands last.
  for (auto rest = rests_.rbegin(); rest != rests_.rend() && rest->until == kNever; ++rest) {
    rest->until = now + parts_.options.labels_rest;
  }
}

// ===== epochs =====

ManagerEpochs Sessions::epochs_of(std::string_view manager) const {
  const Ledger& ledger = parts_.ledger;
  const auto index = ledger.managers().find(manager);
  if (!index || index->value() >= sessions_.size()) return {};
  std::set<std::uint64_t> used;
  ledger.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (record.manager != *index) return;
    used.insert(epoch_of(record.key.connection));
    used.insert(epoch_of(ledger.extras().shown_id(ref)));
    if (used.size() > kEpochsListedMax + 1) used.erase(std::prev(used.end()));
  });
  parts_.claims.add_epochs_of(*index, used);
  used.erase(0);  // of hops without another id
  std::vector<std::uint64_t> listed(used.begin(), used.end());
  listed.resize(std::min(listed.size(), kEpochsListedMax));
  const Session& session = sessions_[index->value()];
  return epochs_at_switch(session.epoch, session.renewals, std::move(listed));
}

Result<void> Sessions::renew_epoch(std::string_view manager, Epoch newest) {
  if (newest == Epoch{} || newest.value() > kManagerEpochMax) {
    return fail(ErrorCode::kBadInput, "epoch {} is not in 1 to {}", newest, kManagerEpochMax);
  }
  const auto index = parts_.ledger.managers().find(manager);
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

// ===== managers that do not return =====

Result<std::uint64_t> Sessions::forget(std::string_view manager) {
  const auto index = parts_.ledger.managers().find(manager);
  if (!index) return fail(ErrorCode::kNotFound, "no manager {} is known", manager);
  if (is_attached(*index)) {
    return fail(ErrorCode::kBadInput, "manager {} is attached", manager);
  }
  end_rest_of(*index);
  // No manager will repeat these removals. If the switch still has such a cross-connect, the audit
  // reports it as stray.
  parts_.claims.forget(*index);
  parts_.link.flush();
  return parts_.ledger.forget_manager(*index);
}

bool Sessions::is_of(const HopRecord& record, HopRef ref, ManagerIndex manager,
                     ConnectionId connection) const {
  return record.manager == manager &&
         (connection == ConnectionId{} || record.key.connection == connection ||
          parts_.ledger.extras().shown_id(ref) == connection);
}

Result<std::uint64_t> Sessions::clear_hops(std::string_view manager, ConnectionId connection,
                                           TimePoint now, std::vector<ClearedCall>* calls) {
  Ledger& ledger = parts_.ledger;
  const auto index = ledger.managers().find(manager);
  if (!index) return 0;
  if (is_attached(*index)) return fail(ErrorCode::kBadInput, "manager {} is attached", manager);
  parts_.now = now;
  std::vector<HopRef> cleared;
  ledger.hops().for_each([&](HopRef ref, const HopRecord& record) {
    if (is_of(record, ref, *index, connection)) cleared.push_back(ref);
  });
  // Hops that take over from others go before those.
  std::sort(cleared.begin(), cleared.end(), [&](HopRef a, HopRef b) {
    return ledger.hop(a).key.generation > ledger.hop(b).key.generation;
  });
  // While a call moves to another path, it has two first hops.
  std::set<ConnectionId> noted;
  const auto note = [&](HopRef ref) {
    const HopRecord& hop = ledger.hop(ref);
    if (calls == nullptr || !hop.first() || hop.key.leg != 0) return;
    if (hop.stage() == HopStage::kRemoving) return;  // was noted when its removal began
    const ConnectionId shown = ledger.extras().shown_id(ref);
    const ConnectionId id = shown != ConnectionId{} ? shown : hop.key.connection;
    if (noted.insert(id).second) calls->push_back({id, hop.request, ledger.hops().owner_of(hop)});
  };
  std::uint64_t left = 0;
  for (const HopRef ref : cleared) {
    if (ledger.find_hop(ref) == nullptr) continue;  // it went with another one
    note(ref);
    if (ledger.goes_at_once(ref)) {
      parts_.hops.remove_at_once(ref);
      continue;
    }
    ledger.begin_removal(ref);
    if (parts_.link.up()) parts_.hops.request_removal(ref);
    ++left;
  }
  parts_.link.flush();
  return left;
}

// ===== what is known of them =====

std::vector<ManagerHoldings> Sessions::holdings() const {
  std::vector<ManagerHoldings> all;
  const ManagerTable& table = parts_.ledger.managers();
  for (std::size_t i = 0; i < std::min(sessions_.size(), table.size()); ++i) {
    const ManagerIndex index{static_cast<std::uint16_t>(i)};
    const KnownManager known{table.name(index), sessions_[i].epoch};
    if (known.name.empty()) continue;
    all.push_back({known, sessions_[i].attached, table.forgotten(index), table.hops(index)});
  }
  return all;
}

std::vector<KnownManager> Sessions::known_managers() const {
  std::vector<KnownManager> known;
  const ManagerTable& table = parts_.ledger.managers();
  for (std::size_t i = 0; i < std::min(sessions_.size(), table.size()); ++i) {
    const ManagerIndex index{static_cast<std::uint16_t>(i)};
    const std::string& name = table.name(index);
    if (name.empty() || table.forgotten(index)) continue;
    known.push_back({.name = name,
                     .epoch = sessions_[i].epoch,
                     .renewals = sessions_[i].renewals,
                     .table_lost = parts_.settling.table_lost(name)});
  }
  return known;
}

}  // namespace xbind::controller
