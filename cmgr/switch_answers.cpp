#include "cmgr/switch_answers.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "cmgr/parts/label_debts.hpp"
#include "cmgr/procedures/hop_sender.hpp"
#include "cmgr/procedures/procedure.hpp"
#include "cmgr/procedures/recovery.hpp"
#include "core/log.hpp"
#include "core/name_hash.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {

// ===== sessions =====

void SwitchAnswers::attached(const std::string& name, SessionId session,
                             std::uint32_t batches_in_flight,
                             const std::vector<PortLabels>& quarantined, TimePoint now) {
  SwitchDesk& switches = context_.switches;
  const auto known = switches.index_of(name);
  if (!known) {
    log::sessions.error("{}; its session is not used", known.error().text);
    return;
  }
  const SwitchIndex at = *known;
  if (switches.is_attached(at)) {
    switches.lost(at, "attached anew");
    abandon(at, now);
  }
  switches.attached(at, session, batches_in_flight, quarantined, now);
  sort_quarantine(at, quarantined, now);
}

void SwitchAnswers::lost(SessionId session, std::string_view reason, TimePoint now) {
  const auto at = context_.switches.by_session(session);
  if (!at) return;
  context_.switches.lost(*at, reason);
  abandon(*at, now);
  peers_.attach_switch(context_.switches.name(*at), AttachTable::Lost::kNothing);
}

void SwitchAnswers::tick(TimePoint now) {
  for (const SwitchDesk::Ended& ended : context_.switches.tick(now)) {
    abandon(ended.at, now);
    peers_.attach_switch(context_.switches.name(ended.at), ended.lost);
  }
}

void SwitchAnswers::abandon(SwitchIndex at, TimePoint now) {
  // Collect first, because the calls below end procedures and begin others.
  std::vector<std::pair<ConnectionId, const Procedure*>> concerned;
  context_.timers.for_each([&](TimerHook& hook) {
    auto& procedure = static_cast<Procedure&>(hook);
    const Hops& hops = procedure.hops();
    if (std::any_of(hops.begin(), hops.end(), [&](const Hop& hop) { return hop.at == at; })) {
      concerned.emplace_back(procedure.connection().id, &procedure);
    }
  });
  for (const auto& [id, procedure] : concerned) {
    Connection* const connection = context_.connections.find(id);
    if (connection == nullptr || connection->procedure.get() != procedure) continue;
    connection->procedure->switch_lost(at, now);
  }
}

// A label that the SwitchServer reports as quarantined for this manager belongs to its latest
// holder; earlier holders have one that lapsed. A label without holder was being returned when the
// old session ended, and every hop that used it has confirmed its removal: it is returned at once,
// or once no hop of an earlier epoch can use it (recovery.hpp).
void SwitchAnswers::sort_quarantine(SwitchIndex at, const std::vector<PortLabels>& quarantined,
                                    TimePoint now) {
  struct Claim {
    std::uint32_t attachment = 0;
    Hop* hop = nullptr;  // at most one of `hop` and `owed` is set; neither: no holder
    OwedLabel* owed = nullptr;
  };
  struct PlaceHash {
    std::size_t operator()(const std::pair<PortId, Label>& place) const {
      return mix_hash(std::uint64_t{place.first.value()} << 32 ^ place.second.value);
    }
  };
  // Quarantined labels only: they are few, the switch's hops are many.
  std::unordered_map<std::pair<PortId, Label>, Claim, PlaceHash> claims;
  for (const PortLabels& port : quarantined) {
    for (const Label label : port.labels) claims.try_emplace({port.port, label});
  }
  const auto claim = [&](PortId port, Label label, const Claim& made) {
    const auto there = claims.find({port, label});
    if (there == claims.end()) return;
    const bool first = there->second.hop == nullptr && there->second.owed == nullptr;
    if (first || there->second.attachment < made.attachment) there->second = made;
  };
  const auto claim_hops = [&](Hops& hops) {
    for (Hop& hop : hops) {
      if (hop.at != at || hop.last() || !hop.output_label.present() || hop.borrows()) continue;
      hop.in_quarantine = false;
      claim(hop.output_port, hop.output_label, {hop.attachment, &hop, nullptr});
    }
  };
  for (Connection* const connection : context_.connections.passing(at)) {
    claim_hops(connection->hops());
    if (connection->procedure != nullptr && connection->procedure->aside()) {
      claim_hops(connection->procedure->hops());
    }
  }
  for (const auto& owed : context_.switches.debts().owed_labels(at)) {
    // Two debts may share one label.
    owed->in_quarantine = false;
    claim(owed->port, owed->label, {owed->attachment, nullptr, owed.get()});
  }
  std::vector<PortLabels> unheld;
  for (const PortLabels& port : quarantined) {
    unheld.push_back({port.port, {}});
    for (const Label label : port.labels) {
      const Claim& holder = claims.at({port.port, label});
      if (holder.hop != nullptr) {
        holder.hop->in_quarantine = true;
      } else if (holder.owed != nullptr) {
        holder.owed->in_quarantine = true;
      } else {
        unheld.back().labels.push_back(label);
      }
    }
  }
  context_.recovery.rest(at, unheld, now);
}

// ===== results =====

void SwitchAnswers::on_results(SessionId session, session::Frame<HopResultBatch> frame,
                               TimePoint now) {
  const auto at = context_.switches.by_session(session);
  if (!at) {
    ++context_.counters.unknown_session;
    return;
  }
  std::vector<std::shared_ptr<const HopResultBatch>> batches;
  if (auto received = context_.switches.receive(*at, std::move(frame), now, batches); !received) {
    lost(session, received.error().text, now);
    return;
  }
  for (const auto& batch : batches) {
    context_.switches.caches().granted(*at, *batch, now);
    context_.connections.for_each_of(
        batch->results,
        [](const HopResult& result) {
          return std::pair{result.key.connection, std::size_t{result.key.hop}};
        },
        [&](const HopResult& result) { on_result(*at, result, now); });
  }
}

void SwitchAnswers::on_invoked(SessionId session, const HopBatch& asked,
                               const Result<HopResultBatch>& answer, TimePoint now) {
  const auto at = context_.switches.by_session(session);
  std::vector<HopKey> keys;
  std::vector<HopResult> unknown;  // stands in for a missing answer
  const auto note = [&](const HopKey& key, HopAction action, std::uint32_t revision = 0) {
    keys.push_back(key);
    HopResult result;
    result.key = key;
    result.action = action;
    result.cause = Cause::kSwitchUnreachable;
    result.revision = revision;
    unknown.push_back(result);
  };
  for (const HopModify& change : asked.modifies) {
    note(change.key, HopAction::kModify, change.revision);
  }
  for (const HopSetup& setup : asked.setups) {
    note(setup.key, setup.commit ? HopAction::kCommit : HopAction::kReserve);
  }
  for (const HopRemoval& removal : asked.removals) note(removal.key, HopAction::kRemove);

  for (const HopKey& key : keys) {
    if (Connection* const connection = context_.connections.find(key.connection)) {
      connection->invoked = false;
    }
  }
  // Without the session the hops have been given up already.
  if (at) {
    const bool label_lost =
        !answer && std::any_of(asked.removals.begin(), asked.removals.end(),
                               [&](const HopRemoval& it) { return loses_label(*at, it); });
    if (answer) context_.switches.caches().granted(*at, *answer, now);
    if (!answer) {
      log::sessions.warn("switchserver {}: {}", context_.switches.name(*at), answer.error().text);
    }
    for (const HopResult& result : answer ? answer->results : unknown) {
      on_result(*at, result, now);
    }
    if (label_lost) lost(session, answer.error().text, now);
  }
  for (const HopKey& key : keys) {
    Connection* const connection = context_.connections.find(key.connection);
    if (connection != nullptr && connection->procedure != nullptr) {
      context_.sender.send_next(*connection->procedure, now);
    }
  }
}

// A repeated removal finds nothing and cannot name the label. A label that no answer has named, or
// of an earlier session, would then be lost. A new attachment reports whether it is quarantined.
bool SwitchAnswers::loses_label(SwitchIndex at, const HopRemoval& removal) const {
  const Hop* const hop = find_hop(at, removal.key).hop;
  if (hop == nullptr || hop->last()) return false;
  const bool known = hop->borrows() || (hop->output_label.present() &&
                                        hop->attachment == context_.switches.attachment(at));
  return !known;
}

SwitchAnswers::Found SwitchAnswers::find_hop(SwitchIndex at, const HopKey& key) const {
  Connection* const connection = context_.connections.find(key.connection);
  if (connection == nullptr) return {};
  if (Hop* const hop = connection->hops().find(at, key)) {
    return {connection, &connection->hops(), hop};
  }
  if (connection->procedure == nullptr || !connection->procedure->aside()) return {};
  Hops& own = connection->procedure->hops();
  if (Hop* const hop = own.find(at, key)) return {connection, &own, hop};
  return {};
}

void SwitchAnswers::on_result(SwitchIndex at, const HopResult& result, TimePoint now) {
  const Found found = find_hop(at, result.key);
  if (found.connection != nullptr && found.connection->traced) context_.traces.answered(at, result);
  if (found.hop == nullptr) {
    on_orphan_result(at, result, now);
    return;
  }
  switch (result.action) {
    case HopAction::kReserve:
    case HopAction::kCommit: on_setup_result(found, result, now); return;
    case HopAction::kModify: on_change_result(found, result, now); return;
    case HopAction::kRemove: on_removal_result(found, result, now); return;
  }
}

// The connection no longer exists; the result may settle a debt.
void SwitchAnswers::on_orphan_result(SwitchIndex at, const HopResult& result, TimePoint now) {
  SwitchDesk& switches = context_.switches;
  bool owed = false;
  if (result.action == HopAction::kRemove) {
    owed = result.cause == Cause::kNone
               ? switches.debts().pay(at, result.key, result.output_label, now)
               : switches.debts().not_paid(at, result.key, now);
  } else if (result.action == HopAction::kModify) {
    owed = switches.debts().change_answered(at, result, now);
  }
  if (owed) return;
  ++context_.counters.late_results;
  // A hop of an earlier epoch that its ledger was removing when it was read first, and had no more
  // when it was read again. The answer does not say of which port the label is.
  const bool names_label = result.action == HopAction::kRemove && result.cause == Cause::kNone &&
                           result.output_label.present();
  if (names_label && context_.connections.ids().is_of_earlier_epoch(result.key.connection)) {
    switches.debts().label_unclear(at, now);
  }
}

void SwitchAnswers::on_setup_result(const Found& found, const HopResult& result, TimePoint now) {
  SwitchDesk& switches = context_.switches;
  Hop& hop = *found.hop;
  Procedure* const procedure = found.connection->procedure.get();
  context_.sender.labels_answered(hop);
  switches.caches().quota_answered(hop.at, hop.output_port, result.key);
  if (result.cause == Cause::kLabelNotHeld && hop.output_label.present() && !hop.last() &&
      !hop.joins) {
    switches.caches().label_lost(hop.at, hop.output_port);
    hop.output_label = {};  // not held by this manager: nothing to return
  }
  if (result.cause == Cause::kNone && result.output_label.present()) {
    if (!hop.last() && !hop.output_label.present())
      switches.caches().label_held(hop.at, hop.output_port);
    hop.output_label = result.output_label;
    found.hops->for_each_downstream(
        hop, [&](Hop& downstream) { downstream.input_label = result.output_label; });
  }
  if (result.cause == Cause::kNone && result.input_label.present()) {
    hop.input_label = result.input_label;
  }
  // A hold may be of an earlier session; if its commit is refused the label stays in this manager's
  // hands. After a commit with unknown result, the removal's answer reports the state of the label.
  const bool unknown = result.cause == Cause::kSwitchUnreachable || result.cause == Cause::kTimeout;
  if (result.cause != Cause::kNone && !unknown && result.action == HopAction::kCommit &&
      procedure != nullptr && procedure->holds()) {
    hop.attachment = switches.attachment(hop.at);
  }
  const bool waited_for =
      (hop.state == HopState::kReserving && result.action == HopAction::kReserve) ||
      (hop.state == HopState::kCommitting && result.action == HopAction::kCommit);
  if (!waited_for) return;  // the hop is being removed: only the removal's answer counts
  procedure->setup_answered(hop, result, now);
}

void SwitchAnswers::on_change_result(const Found& found, const HopResult& result, TimePoint now) {
  Hop& hop = *found.hop;
  Procedure* const procedure = found.connection->procedure.get();
  if (hop.state == HopState::kChanging && procedure != nullptr &&
      procedure->awaits_change(result.revision)) {
    procedure->change_answered(hop, result, now);
  } else if (!context_.switches.debts().change_answered(hop.at, result, now)) {
    ++context_.counters.late_results;
  }
}

void SwitchAnswers::on_removal_result(const Found& found, const HopResult& result, TimePoint now) {
  Hop& hop = *found.hop;
  const bool removed = result.cause == Cause::kNone;
  if (removed && hop.borrows()) {
    // The last hop that shared the label is removed: the owner was removed before.
    Hop& owner = Hops::owner_of(hop, found.connection->hops());
    if (result.output_label.present()) owner.in_quarantine = true;
  } else if (removed && hop.owes_removal() && result.output_label.present() && !hop.last()) {
    // The label may come from a reservation that is answered later.
    if (!hop.output_label.present()) context_.switches.caches().label_held(hop.at, hop.output_port);
    hop.output_label = result.output_label;
    hop.in_quarantine = true;
  } else if (removed && hop.owes_removal() && !hop.last() && hop.output_label.present() &&
             !hop.in_quarantine && hop.attachment == 0) {
    context_.switches.debts().label_unclear(hop.at, now);
  }
  if (planted(Bug::kLabelBackTooEarly) && removed && hop.in_quarantine) {
    context_.switches.caches().give_back(label_of(hop), now);
    hop.output_label = {};
  }
  // The answer to a removal that was sent before, in the session; the one that waits is not needed
  // any more. Counting both would end the procedure before its last hop is removed.
  if (hop.errand == Errand::kRemove) {
    if (!removed) {
      ++context_.counters.late_results;
      return;
    }
    hop.errand = Errand::kNone;
  }
  if (hop.state == HopState::kNotRemoved && removed) hop.state = HopState::kRemoved;
  if (hop.state != HopState::kRemoving) {
    ++context_.counters.late_results;
    return;
  }
  found.connection->procedure->removal_answered(hop, result.cause, now);
}

}  // namespace xbind::cmgr
