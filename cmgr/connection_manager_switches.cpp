// ConnectionManager: SwitchServers come and go, and what they answer.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cmgr/connection_manager.hpp"
#include "core/log.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {

template <class Visitor>
void ConnectionManager::for_each_connection(Visitor&& visit) const {
  for (Connection& connection : connections_) {
    visit(connection);
    if (Connection* const party = connection.party()) visit(*party);
  }
}

void ConnectionManager::switch_attached(const std::string& name, SessionId session,
                                        std::uint32_t batches_in_flight,
                                        const std::vector<PortLabels>& quarantined, TimePoint now) {
  const SwitchIndex at = switches_.index_of(name);
  if (switches_.is_attached(at)) {
    switches_.lost(at, "attached anew");
    abandon_switch(at, now);
  }
  const bool ours_from_before = switches_.attachment(at) > 0;
  switches_.attached(at, session, batches_in_flight, quarantined, now);
  if (ours_from_before) sort_quarantine(at, quarantined, now);
}

// What the SwitchServer has in quarantine for us belongs to whoever used the label last; the others who
// believe in it hold one that lapsed. Nobody: its way back was cut off with the old session, every hop
// that used it has confirmed its removal, and it is returned at once.
void ConnectionManager::sort_quarantine(SwitchIndex at, const std::vector<PortLabels>& quarantined,
                                        TimePoint now) {
  struct Claim {
    std::uint32_t attachment;
    Hop* hop;  // of one of the two
    OwedLabel* owed;
  };
  std::map<std::pair<PortId, Label>, Claim> claims;
  const auto claim = [&](PortId port, Label label, const Claim& made) {
    const auto [there, fresh] = claims.try_emplace({port, label}, made);
    if (!fresh && there->second.attachment < made.attachment) there->second = made;
  };
  for_each_connection([&](Connection& connection) {
    for (Hop& hop : connection.hops) {
      if (hop.at == at && !hop.last() && hop.output_label.present() && hop.borrows == Hop::kNoHop) {
        hop.in_quarantine = false;
        claim(hop.output_port, hop.output_label, {hop.attachment, &hop, nullptr});
      }
    }
  });
  for (const auto& owed : switches_.owed_labels(at)) {
    // One label may be held by two debts.
    owed->in_quarantine = false;
    claim(owed->port, owed->label, {owed->attachment, nullptr, owed.get()});
  }
  for (const PortLabels& port : quarantined) {
    for (const Label label : port.labels) {
      const auto whose = claims.find({port.port, label});
      if (whose == claims.end()) {
        switches_.return_label(at, port.port, label, now);
      } else {
        const Claim& holder = whose->second;
        (holder.hop != nullptr ? holder.hop->in_quarantine : holder.owed->in_quarantine) = true;
      }
    }
  }
}

void ConnectionManager::switch_lost(SessionId session, std::string_view reason, TimePoint now) {
  const auto at = switches_.by_session(session);
  if (!at) return;
  switches_.lost(*at, reason);
  abandon_switch(*at, now);
  peers_.attach_switch(switches_.name(*at));
}

// The answers of commands under way will never come.
void ConnectionManager::abandon_switch(SwitchIndex at, TimePoint now) {
  // Collect first: what follows ends connections.
  std::vector<std::pair<ConnectionId, bool>> concerned;  // and whether it is the party
  for_each_connection([&](Connection& connection) {
    bool waits = false;
    for (Hop& hop : connection.hops) {
      if (hop.at != at) continue;
      hop.answers_to_skip = 0;
      waits = true;
    }
    const bool rests = connection.state == State::kConnected || connection.state == State::kHeld ||
                       connection.state == State::kLingering || connection.state == State::kRouting;
    if (waits && !rests) concerned.emplace_back(connection.id, connection.root != nullptr);
  });
  for (const auto& [id, is_party] : concerned) {
    Connection* const found = connections_.find(id);
    if (found == nullptr) continue;
    Connection* const connection = is_party ? found->party() : found;
    if (connection != nullptr) abandon_switch(*connection, at, now);
  }
}

void ConnectionManager::abandon_switch(Connection& connection, SwitchIndex at, TimePoint now) {
  switch (connection.state) {
    case State::kReserving:
    case State::kCommitting:
    case State::kSwitchingOver: {
      const bool over = connection.state == State::kSwitchingOver;
      const auto hop =
          std::find_if(connection.hops.begin(), connection.hops.end(), [&](const Hop& it) {
            return it.at == at && (!over || it.state == HopState::kCommitting);
          });
      if (hop == connection.hops.end()) return;  // has taken over already, or stays
      HopResult lost;
      lost.cause = Cause::kSwitchUnreachable;
      connection.refuse({Cause::kSwitchUnreachable, switches_.name(at)});
      plan_next_try(connection, &*hop, &lost);
      happen(connection, Event::kHopRefused, now);
      return;
    }
    case State::kModifying:
      for (Hop& hop : connection.hops) {
        if (hop.at != at || hop.state != HopState::kChanging) continue;
        hop.state = HopState::kCommitted;
        hop.changed = true;  // perhaps
      }
      connection.more().change_refusal = {Cause::kSwitchUnreachable, switches_.name(at)};
      happen(connection, Event::kHopRefused, now);
      return;
    case State::kLowering:
    case State::kRestoring:
    case State::kUndoing:
    case State::kReleasing: break;
    default: return;
  }
  const bool change = connection.state == State::kLowering || connection.state == State::kRestoring;
  std::uint16_t lost = 0;
  for (Hop& hop : connection.hops) {
    if (hop.at != at) continue;
    const bool unsaid = std::exchange(hop.errand, Errand::kNone) != Errand::kNone;
    const bool open = hop.state == (change ? HopState::kChanging : HopState::kRemoving);
    if (!unsaid && !open) continue;
    hop.state = change ? HopState::kCommitted : HopState::kNotRemoved;
    hop.changed = false;
    ++lost;
  }
  connection.pending = static_cast<std::uint16_t>(connection.pending - lost);
  if (lost == 0 || connection.pending != 0) return;
  if (change) {
    changes_done(connection, now);
  } else {
    removals_done(connection, now);
  }
}

// ===== results =====

void ConnectionManager::on_results(SessionId session, session::Frame<HopResultBatch> frame,
                                   TimePoint now) {
  const auto at = switches_.by_session(session);
  if (!at) {
    ++counters_.unknown_session;
    return;
  }
  std::vector<std::shared_ptr<const HopResultBatch>> batches;
  if (auto received = switches_.receive(*at, std::move(frame), now, batches); !received) {
    switch_lost(session, received.error().text, now);
    return;
  }
  for (const auto& batch : batches) {
    switches_.granted(*at, *batch, now);
    connections_.for_each_of(
        batch->results,
        [](const HopResult& result) {
          return std::pair{result.key.connection, std::size_t{result.key.hop}};
        },
        [&](const HopResult& result) { on_result(*at, result, false, now); });
  }
}

void ConnectionManager::on_invoked(SessionId session, const HopBatch& asked,
                                   const Result<HopResultBatch>& answer, TimePoint now) {
  const auto at = switches_.by_session(session);
  std::vector<HopKey> keys;
  std::vector<HopResult> unknown;  // in place of an answer
  const auto note = [&](const HopKey& key, HopAction action) {
    keys.push_back(key);
    HopResult result;
    result.key = key;
    result.action = action;
    result.cause = Cause::kSwitchUnreachable;
    unknown.push_back(result);
  };
  for (const HopModify& change : asked.modifies) note(change.key, HopAction::kModify);
  for (const HopSetup& setup : asked.setups) {
    note(setup.key, setup.commit ? HopAction::kCommit : HopAction::kReserve);
  }
  for (const HopRemoval& removal : asked.removals) note(removal.key, HopAction::kRemove);

  for (const HopKey& key : keys) {
    if (Connection* const connection = connections_.find(key.connection))
      connection->invoked = false;
  }
  // Without the session the hops have been given up already.
  if (at) {
    // A removal of unknown end: said again, it finds nothing and cannot name the label. One that was
    // allotted to nobody's knowledge, or in an earlier session, would be lost then; a new attach tells
    // whether it rests in quarantine.
    const bool label_unknown =
        !answer && std::any_of(asked.removals.begin(), asked.removals.end(), [&](const auto& it) {
          const Hop* const hop = find_hop(*at, it.key).hop;
          const bool known =
              hop != nullptr &&
              (hop->borrows != Hop::kNoHop ||
               (hop->output_label.present() && hop->attachment == switches_.attachment(*at)));
          return hop != nullptr && !hop->last() && !known;
        });
    if (answer) switches_.granted(*at, *answer, now);
    if (!answer) log::warn("switchserver {}: {}", switches_.name(*at), answer.error().text);
    for (const HopResult& result : answer ? answer->results : unknown) {
      on_result(*at, result, true, now);
    }
    if (label_unknown) switch_lost(session, answer.error().text, now);
  }
  for (const HopKey& key : keys) {
    Connection* const connection = connections_.find(key.connection);
    if (connection == nullptr) continue;
    say_next(*connection, now);
    if (Connection* const party = connection->party()) say_next(*party, now);
  }
}

ConnectionManager::Found ConnectionManager::find_hop(SwitchIndex at, const HopKey& key) {
  Connection* const found = connections_.find(key.connection);
  if (found == nullptr) return {};
  const auto is_it = [&](const Hop& hop) {
    return hop.number == key.hop && hop.leg == key.leg && hop.at == at &&
           hop.generation == key.generation.value();
  };
  Connection& connection = *found;
  // As a rule: the caller's direction, in its order.
  if (key.hop < connection.hops.size() && is_it(connection.hops[key.hop])) {
    return {&connection, &connection.hops[key.hop]};
  }
  for (Connection* const of : {&connection, connection.party()}) {
    if (of == nullptr) continue;
    const auto hop = std::find_if(of->hops.begin(), of->hops.end(), is_it);
    if (hop != of->hops.end()) return {of, &*hop};
  }
  return {};
}

void ConnectionManager::on_result(SwitchIndex at, const HopResult& result, bool invoked,
                                  TimePoint now) {
  const Found found = find_hop(at, result.key);
  if (found.hop == nullptr) {
    bool owed = false;
    if (result.action == HopAction::kRemove) {
      owed = result.cause == Cause::kNone ? switches_.pay(at, result.key, result.output_label, now)
                                          : switches_.not_paid(at, result.key, now);
    } else if (result.action == HopAction::kModify) {
      owed = switches_.change_answered(at, result.key, result.cause, now);
    }
    if (!owed) ++counters_.late_results;
    return;
  }
  switch (result.action) {
    case HopAction::kReserve:
    case HopAction::kCommit: on_setup_result(*found.connection, *found.hop, result, now); return;
    case HopAction::kModify:
      on_change_result(*found.connection, *found.hop, result, invoked, now);
      return;
    case HopAction::kRemove: on_removal_result(*found.connection, *found.hop, result, now); return;
  }
}

void ConnectionManager::on_setup_result(Connection& connection, Hop& hop, const HopResult& result,
                                        TimePoint now) {
  labels_answered(hop);
  switches_.quota_answered(hop.at, hop.output_port, result.key);
  if (result.cause == Cause::kLabelNotHeld && hop.output_label.present() && !hop.last() &&
      !hop.joins) {
    switches_.label_lost(hop.at, hop.output_port);
    hop.output_label = {};  // not ours: nothing to give back
  }
  if (result.cause == Cause::kNone && result.output_label.present()) {
    if (!hop.last() && !hop.output_label.present()) switches_.label_held(hop.at, hop.output_port);
    hop.output_label = result.output_label;
    const auto index = static_cast<std::int16_t>(&hop - connection.hops.data());
    for (Hop& downstream : connection.hops) {
      if (downstream.upstream == index) downstream.input_label = result.output_label;
    }
  }
  if (result.cause == Cause::kNone && result.input_label.present()) {
    hop.input_label = result.input_label;
  }
  // A hold may be of an earlier session; the refusal of its commit leaves the label in our cache.
  if (result.cause != Cause::kNone && result.action == HopAction::kCommit && connection.held()) {
    hop.attachment = switches_.attachment(hop.at);
  }
  const bool waited_for =
      (hop.state == HopState::kReserving && result.action == HopAction::kReserve) ||
      (hop.state == HopState::kCommitting && result.action == HopAction::kCommit);
  if (!waited_for) return;  // being undone: the removal's answer is what counts
  if (result.cause != Cause::kNone) {
    hop_refused(connection, hop, result, now);
    return;
  }
  const bool reserve = result.action == HopAction::kReserve;
  hop.state = reserve ? HopState::kReserved : HopState::kCommitted;
  if (--connection.pending != 0) return;
  if (const Reroute* const reroute = connection.reroute(); reroute != nullptr && !reserve) {
    happen(connection,
           connection.state == State::kCommitting ? Event::kAllMade
           : reroute->old_down                    ? Event::kAllTakenOverOldDown
                                                  : Event::kAllTakenOver,
           now);
    return;
  }
  happen(connection,
         !reserve            ? Event::kAllCommitted
         : connection.held() ? Event::kAllHeld
                             : Event::kAllReserved,
         now);
}

Refusal ConnectionManager::refusal_of(const Hop& hop, const HopResult& result) const {
  return {result.cause,
          result.port.value() == 0 ? switches_.name(hop.at)
                                   : fmt::format("{} port {}", switches_.name(hop.at), result.port),
          result.asked, result.free};
}

void ConnectionManager::hop_refused(Connection& connection, Hop& hop, const HopResult& result,
                                    TimePoint now) {
  plan_next_try(connection, &hop, &result);
  // As a rule a refusal leaves nothing of the hop. But when the SwitchServer had asked its switch and
  // got no answer, the hop is still in its books, and one that was too busy to look at a commit still
  // has the reservation.
  const bool unknown = result.cause == Cause::kSwitchUnreachable || result.cause == Cause::kTimeout;
  const bool reserved = hop.reserved && result.cause == Cause::kBusy;
  hop.state = unknown ? HopState::kCommitting : reserved ? HopState::kReserved : HopState::kRefused;
  connection.refuse(refusal_of(hop, result));
  happen(connection, Event::kHopRefused, now);
}

void ConnectionManager::on_removal_result(Connection& connection, Hop& hop, const HopResult& result,
                                          TimePoint now) {
  const bool removed = result.cause == Cause::kNone;
  const bool asked_for = hop.state == HopState::kRemoving || hop.state == HopState::kNotRemoved;
  if (removed && hop.borrows != Hop::kNoHop) {
    // The last of those that shared it has gone: its owner was removed before.
    Connection& of = connection.root != nullptr ? *connection.root : connection;
    Hop& owner = of.hops[static_cast<std::size_t>(hop.borrows)];
    if (result.output_label.present()) owner.in_quarantine = true;
  } else if (removed && asked_for && result.output_label.present() && !hop.last()) {
    // Perhaps of a reservation whose own answer comes later.
    if (!hop.output_label.present()) switches_.label_held(hop.at, hop.output_port);
    hop.output_label = result.output_label;
    hop.in_quarantine = true;
  }
  if (planted(Bug::kLabelBackTooEarly) && removed && hop.in_quarantine) {
    switches_.give_back(label_of(hop), now);
    hop.output_label = {};
  }
  if (hop.state == HopState::kNotRemoved && removed) hop.state = HopState::kRemoved;
  if (hop.state != HopState::kRemoving) {
    ++counters_.late_results;
    return;
  }
  // With a cause: not removed, the SwitchServer cannot reach its switch.
  hop.state = removed ? HopState::kRemoved : HopState::kNotRemoved;
  if (--connection.pending == 0) removals_done(connection, now);
}

void ConnectionManager::labels_answered(Hop& hop) {
  const std::uint16_t asked = std::exchange(hop.labels_asked, std::uint16_t{0});
  if (asked == 0) return;
  // What an earlier session was asked for has lapsed with it.
  if (hop.attachment == switches_.attachment(hop.at)) {
    switches_.labels_answered(hop.at, hop.output_port, asked);
  }
}

}  // namespace xbind::cmgr
