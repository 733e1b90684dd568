// ConnectionManager, second part: SwitchServers come and go, and what they answer.
#include "cmgr/connection_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/log.hpp"

namespace xbind::cmgr {

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
    bool* in_quarantine;
  };
  std::map<std::pair<PortId, Label>, Claim> claims;
  const auto claim = [&](PortId port, Label label, std::uint32_t attachment, bool& in_quarantine) {
    in_quarantine = false;
    const Claim made{attachment, &in_quarantine};
    const auto [there, fresh] = claims.try_emplace({port, label}, made);
    if (!fresh && there->second.attachment < attachment) there->second = made;
  };
  for (const auto& [id, connection] : connections_) {
    for (std::size_t i = 0; i + 1 < connection->hops.size(); ++i) {
      Hop& hop = connection->hops[i];
      if (hop.at == at && hop.output_label.present()) {
        claim(hop.output_port, hop.output_label, hop.attachment, hop.in_quarantine);
      }
    }
  }
  for (const auto& owed : switches_.owed_labels(at)) {
    // One label may be held by two debts.
    claim(owed->port, owed->label, owed->attachment, owed->in_quarantine);
  }
  for (const PortLabels& port : quarantined) {
    for (const Label label : port.labels) {
      const auto whose = claims.find({port.port, label});
      if (whose == claims.end()) {
        switches_.return_label(at, port.port, label, now);
      } else {
        *whose->second.in_quarantine = true;
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

void ConnectionManager::abandon_switch(SwitchIndex at, TimePoint now) {
  // The answers of commands under way will never come. Collect first: what follows ends connections.
  std::vector<ConnectionId> setting_up;
  std::vector<ConnectionId> removing;
  const auto passes = [at](const Connection& connection) {
    return std::any_of(connection.hops.begin(), connection.hops.end(),
                       [at](const Hop& hop) { return hop.at == at; });
  };
  for (const Connection& connection : setting_up_) {
    if (passes(connection)) setting_up.push_back(connection.id);
  }
  for (const Connection& connection : removing_) {
    if (passes(connection)) removing.push_back(connection.id);
  }
  for (const ConnectionId id : setting_up) {
    Connection& connection = *connections_.at(id);
    connection.refusal = {Cause::kSwitchUnreachable, switches_.name(at)};
    happen(connection, Event::kHopRefused, now);
  }
  for (const ConnectionId id : removing) {
    Connection& connection = *connections_.at(id);
    std::uint16_t lost = 0;
    for (Hop& hop : connection.hops) {
      if (hop.at != at || hop.state != HopState::kRemoving) continue;
      hop.state = HopState::kNotRemoved;
      ++lost;
    }
    connection.pending = static_cast<std::uint16_t>(connection.pending - lost);
    if (lost != 0 && connection.pending == 0) removals_done(connection, now);
  }
}

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
    for (const PortLabels& labels : batch->granted) switches_.granted(*at, labels);
    for (const HopResult& result : batch->results) on_result(*at, result, now);
  }
}

void ConnectionManager::on_result(SwitchIndex at, const HopResult& result, TimePoint now) {
  const auto found = connections_.find(result.key.connection);
  if (found == connections_.end() || found->second->generation != result.key.generation ||
      result.key.hop >= found->second->hops.size() ||
      found->second->hops[result.key.hop].at != at) {
    const bool removal = result.action == HopAction::kRemove;
    const bool owed = removal && (result.cause == Cause::kNone
                                      ? switches_.pay(at, result.key, result.output_label, now)
                                      : switches_.not_paid(at, result.key, now));
    if (!owed) ++counters_.late_results;
    return;
  }
  Connection& connection = *found->second;
  Hop& hop = connection.hops[result.key.hop];
  if (result.action == HopAction::kRemove) {
    on_removal_result(connection, hop, result, now);
  } else {
    on_setup_result(connection, hop, result, now);
  }
}

void ConnectionManager::on_setup_result(Connection& connection, Hop& hop, const HopResult& result,
                                        TimePoint now) {
  labels_answered(hop);
  if (result.cause == Cause::kLabelNotHeld)
    hop.output_label = {};  // not ours: nothing to give back
  const std::size_t index = result.key.hop;
  if (result.cause == Cause::kNone && result.output_label.present()) {
    hop.output_label = result.output_label;
    if (index + 1 < connection.hops.size()) {
      connection.hops[index + 1].input_label = result.output_label;
    }
  }
  if (result.cause == Cause::kNone && index == 0 && result.input_label.present()) {
    hop.input_label = result.input_label;
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
  if (--connection.pending == 0) {
    happen(connection, reserve ? Event::kAllReserved : Event::kAllCommitted, now);
  }
}

void ConnectionManager::hop_refused(Connection& connection, Hop& hop, const HopResult& result,
                                    TimePoint now) {
  // As a rule a refusal leaves nothing of the hop. But when the SwitchServer had asked its switch and
  // got no answer, the hop is still in its books, and one that was too busy to look at a commit still
  // has the reservation.
  const bool unknown = result.cause == Cause::kSwitchUnreachable || result.cause == Cause::kTimeout;
  const bool reserved = hop.reserved && result.cause == Cause::kBusy;
  hop.state = unknown ? HopState::kCommitting : reserved ? HopState::kReserved : HopState::kRefused;
  connection.refusal.cause = result.cause;
  connection.refusal.element = result.port.value() == 0
                                   ? switches_.name(hop.at)
                                   : fmt::format("{} port {}", switches_.name(hop.at), result.port);
  connection.refusal.asked = result.asked;
  connection.refusal.free = result.free;
  happen(connection, Event::kHopRefused, now);
}

void ConnectionManager::on_removal_result(Connection& connection, Hop& hop, const HopResult& result,
                                          TimePoint now) {
  const bool removed = result.cause == Cause::kNone;
  const bool last = &hop == &connection.hops.back();
  const bool asked_for = hop.state == HopState::kRemoving || hop.state == HopState::kNotRemoved;
  if (removed && asked_for && result.output_label.present() && !last) {
    hop.output_label =
        result.output_label;  // perhaps of a reservation whose own answer comes later
    hop.in_quarantine = true;
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
  // What an earlier session was asked for has lapsed with it.
  if (hop.attachment == switches_.attachment(hop.at)) {
    switches_.cache(hop.at, hop.output_port).answered(asked);
  }
}

}  // namespace xbind::cmgr
