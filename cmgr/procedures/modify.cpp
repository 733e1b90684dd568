#include "cmgr/procedures/modify.hpp"

#include <algorithm>

#include "cmgr/parts/outcomes.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/prepared_desk.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

bool asks_for_more(const Contract& had, const Contract& wanted) {
  return greater(had.forward, wanted.forward) != had.forward ||
         greater(had.reverse, wanted.reverse) != had.reverse ||
         xbind::asks_for_more(had.traffic, wanted.traffic) ||
         xbind::asks_for_more(had.reverse_traffic, wanted.reverse_traffic);
}

}  // namespace

void Modify::start(TimePoint now) {
  context_.clients.owns(asker_.client, +1);
  happen(asks_for_more(connection_.contract(), target_) ? Event::kRaiseAsked : Event::kLowerAsked,
         now);
}

State Modify::state() const {
  switch (state_) {
    case FsmState::kRaising: return State::kModifying;
    case FsmState::kLowering: return State::kLowering;
    case FsmState::kRestoring: return State::kRestoring;
    case FsmState::kAsked:
    case FsmState::kOver: break;
  }
  return State::kConnected;
}

void Modify::perform(Action action, TimePoint now) {
  switch (action) {
    case Action::kRaiseHops: raise_hops(now); return;
    case Action::kLowerHops: lower_hops(now); return;
    case Action::kRestoreHops: restore_hops(now); return;
    case Action::kOweThenAnswerModified: owe_changes(target_, now); [[fallthrough]];
    case Action::kAnswerModified: end(true, now); return;
    case Action::kOweThenAnswerNotModified:
      owe_changes(connection_.contract(), now);
      [[fallthrough]];
    case Action::kAnswerNotModified: end(false, now); return;
    case Action::kBreakOff:
      refusal_ = {Cause::kBeingReleased, "manager", connection_.shown_id().value(), 0};
      end(false, now);
      return;
  }
}

// ===== hops =====

// The contract that hops are sent in the present state.
Contract Modify::contract_to_send() const {
  switch (state_) {
    case FsmState::kRaising: return greater(connection_.contract(), target_);
    case FsmState::kLowering: return target_;
    default: return connection_.contract();
  }
}

HopModify Modify::change_for(const Hop& hop) const { return change_to(contract_to_send(), hop); }

HopModify Modify::change_to(const Contract& contract, const Hop& hop) const {
  HopModify change{key_of(connection_, hop), revision_, contract.of_leg(hop.leg),
                   contract.traffic_of_leg(hop.leg)};
  // This change takes the place of a handover that is owed.
  change.handover = context_.prepared.handover_for(connection_, hop);
  return change;
}

void Modify::raise_hops(TimePoint now) {
  revision_ = context_.connections.next_revision(connection_);
  for (Hop& hop : hops()) hop.changed = false;
  // All or nothing: an unreachable switch ends the change before any hop is changed.
  for (const Hop& hop : hops()) {
    if (context_.switches.is_attached(hop.at)) continue;
    refusal_ = {Cause::kSwitchUnreachable, context_.switches.name(hop.at)};
    happen(Event::kHopRefused, now);
    return;
  }
  modify_every_hop(now);
}

void Modify::lower_hops(TimePoint now) {
  revision_ = context_.connections.next_revision(connection_);
  for (Hop& hop : hops()) hop.changed = false;
  modify_every_hop(now);
}

void Modify::modify_every_hop(TimePoint now) {
  pending_ = 0;
  for (Hop& hop : hops()) {
    if (!context_.switches.is_attached(hop.at)) continue;  // to be owed
    ++pending_;
    context_.sender.tell(*this, hop, Errand::kModify, now);
  }
  changes_begun(now);
}

void Modify::restore_hops(TimePoint now) {
  revision_ = context_.connections.next_revision(connection_);
  pending_ = 0;
  for (Hop& hop : hops()) {
    const bool waiting = std::exchange(hop.errand, Errand::kNone) != Errand::kNone;
    const bool open = hop.state == HopState::kChanging;
    const bool touched = !waiting && (hop.changed || open) && !planted(Bug::kModifyNotRolledBack);
    hop.changed = !touched;
    if (!touched) continue;
    if (!context_.switches.is_attached(hop.at)) {
      hop.state = HopState::kCommitted;
      continue;
    }
    ++pending_;
    context_.sender.tell(*this, hop, Errand::kModify, now);
  }
  changes_begun(now);
}

void Modify::changes_begun(TimePoint now) {
  if (pending_ == 0) {
    changes_over(now);
  } else {
    context_.sender.send_next(*this, now);
  }
}

void Modify::change_answered(Hop& hop, const HopResult& result, TimePoint now) {
  hop.state = HopState::kCommitted;
  hop.changed = result.cause == Cause::kNone;
  if (hop.changed) hop.behind = false;
  if (state_ == FsmState::kRaising && result.cause != Cause::kNone) {
    // The contract that such a hop has now is unknown, so the old one is restored there as well.
    // The same holds for a hop that never got the old one.
    const bool unknown =
        result.cause == Cause::kSwitchUnreachable || result.cause == Cause::kTimeout;
    hop.changed = unknown || hop.behind;
    refusal_ = context_.outcomes.refusal_of(hop, result);
    happen(Event::kHopRefused, now);
    return;
  }
  if (--pending_ == 0) changes_over(now);
}

void Modify::changes_over(TimePoint now) {
  if (state_ == FsmState::kRaising) {
    happen(target_ != contract_to_send() ? Event::kAllRaised : Event::kAllModified, now);
    return;
  }
  const bool all =
      std::all_of(hops().begin(), hops().end(), [](const Hop& hop) { return hop.changed; });
  happen(all ? Event::kAllModified : Event::kTimeout, now);
}

// ===== time, and switches that go =====

void Modify::timed_out(TimePoint now) {
  if (state_ == FsmState::kRaising) {
    const auto silent = std::find_if(hops().begin(), hops().end(), [](const Hop& hop) {
      return hop.state == HopState::kChanging;
    });
    refusal_ = {Cause::kTimeout,
                silent == hops().end() ? "manager" : context_.switches.name(silent->at)};
  }
  happen(Event::kTimeout, now);
}

void Modify::switch_lost(SwitchIndex at, TimePoint now) {
  if (std::none_of(hops().begin(), hops().end(), [&](const Hop& hop) { return hop.at == at; })) {
    return;
  }
  if (state_ == FsmState::kRaising) {
    for (Hop& hop : hops()) {
      if (hop.at != at || hop.state != HopState::kChanging) continue;
      hop.state = HopState::kCommitted;
      hop.changed = true;  // possibly
    }
    refusal_ = {Cause::kSwitchUnreachable, context_.switches.name(at)};
    happen(Event::kHopRefused, now);
    return;
  }
  std::uint16_t lost = 0;
  for (Hop& hop : hops()) {
    if (hop.at != at) continue;
    const bool unsaid = std::exchange(hop.errand, Errand::kNone) != Errand::kNone;
    if (!unsaid && hop.state != HopState::kChanging) continue;
    hop.state = HopState::kCommitted;
    hop.changed = false;
    ++lost;
  }
  pending_ = static_cast<std::uint16_t>(pending_ - lost);
  if (lost != 0 && pending_ == 0) changes_over(now);
}

// ===== the end =====

// Some hops have not confirmed the connection's new contract: it is sent again until they do.
void Modify::owe_changes(const Contract& contract, TimePoint now) {
  for (Hop& hop : hops()) {
    if (hop.changed) continue;
    hop.state = HopState::kCommitted;
    hop.errand = Errand::kNone;
    context_.switches.debts().owe_change(hop.at, change_to(contract, hop), now);
  }
}

void Modify::end(bool accepted, TimePoint now) {
  const ProcedurePtr self = leave(accepted ? Cause::kNone : refusal_.cause);
  if (accepted) {
    connection_.changed(now);
    for (Hop& hop : hops()) context_.sender.unbook(connection_, hop);
    context_.connections.set_contract(connection_, target_);
    for (Hop& hop : hops()) context_.sender.book(connection_, hop, now);
  }
  Outcome outcome = accepted ? Outcome{} : outcome_of(refusal_);
  outcome.kind = accepted ? OutcomeKind::kModified : OutcomeKind::kRefused;
  outcome.connection = connection_.shown_id();
  context_.outcomes.tell(asker_, std::move(outcome), connection_.ends.get());
  context_.clients.owns(asker_.client, -1);
  if (refusal_.cause != Cause::kBeingReleased) context_.paths.look(connection_);
}

}  // namespace xbind::cmgr
