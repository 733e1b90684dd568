#include "cmgr/procedures/reroute.hpp"

#include <algorithm>

#include "cmgr/parts/label_debts.hpp"
#include "cmgr/parts/path_change.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/prepared_desk.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {

State Reroute::state() const {
  switch (state_) {
    case FsmState::kRouting: return State::kRouting;
    case FsmState::kReserving: return State::kReserving;
    case FsmState::kMaking: return State::kCommitting;
    case FsmState::kSwitchingOver: return State::kSwitchingOver;
    case FsmState::kLingering: return State::kLingering;
    case FsmState::kUndoing: return State::kUndoing;
    case FsmState::kLeadingBack:
    case FsmState::kRemovingOld: return State::kReleasing;
    case FsmState::kOver: break;
  }
  return State::kGone;
}

void Reroute::perform(Action action, TimePoint now) {
  switch (action) {
    case Action::kOweThenFindRoute: owe_unconfirmed(now); [[fallthrough]];
    case Action::kFindRoute: find_another(now); return;
    case Action::kReserveHops: reserve_hops(now); return;
    case Action::kCommitHops: commit_hops(now); return;
    case Action::kTakeOver: take_over(now); return;
    case Action::kGoOver: go_over(now); return;
    case Action::kGoOverThenRemoveHops:
      go_over(now);
      remove_all(now);
      return;
    case Action::kLeadBack: lead_back(now); return;
    case Action::kWait: return;
    case Action::kLeadBackAgain: lead_back_again(now); return;
    case Action::kRemoveHops:
      if (state_ == FsmState::kUndoing) {
        undo(now, planted(Bug::kRerouteNotRolledBack));
      } else {
        remove_all(now);
      }
      return;
    case Action::kOweThenGiveUp: owe_unconfirmed(now); [[fallthrough]];
    case Action::kGiveUp: end(true, now); return;
    case Action::kOweThenFinish: owe_unconfirmed(now); [[fallthrough]];
    case Action::kFinish: end(false, now); return;
    case Action::kFold: fold(); return;
  }
}

// ===== the new path =====

bool Reroute::lay(const RouteReply& route, TimePoint now) {
  const Hops& old = connection_.hops();
  const Hop& last = *old.last_of(0);
  const PathHop& begins = route.path.hops.front();
  const PathHop& ends_at = route.path.hops.back();
  const bool same_ends = route.at.front() == old.front().at &&
                         begins.input_port == old.front().input_port &&
                         route.at.back() == last.at && ends_at.output_port == last.output_port;
  path_.clear();
  if (same_ends) {
    lay_leg(0, route);
    if (connection_.both()) lay_leg(1, route);
  }
  context_.connections.count(connection_, hops_);
  if (!hops_.empty()) return true;
  // RouteObject has moved the endpoint, or knows no other path than the old one.
  refuse_unless_refused({Cause::kNoRoute, connection_.ends->to});
  happen(Event::kNoRoute, now);
  return false;
}

void Reroute::lay_leg(std::uint16_t leg, const RouteReply& route) {
  const Hops& stock = connection_.hops();
  std::vector<HopPlace> old;
  std::vector<PathStep> from;
  for (const Hop& hop : stock) {
    if (hop.leg != leg) continue;
    old.push_back(stock.place_of(hop));
    from.push_back({hop.at, hop.input_port, hop.output_port});
  }
  std::vector<PathStep> to;
  for (std::size_t i = 0; i < route.at.size(); ++i) {
    const PathHop& hop = route.path.hops[i];
    to.push_back({route.at[i], leg == 1 ? hop.output_port : hop.input_port,
                  leg == 1 ? hop.input_port : hop.output_port});
  }
  if (leg == 1) std::reverse(to.begin(), to.end());

  using Kind = StepChange::Kind;
  const std::vector<StepChange> changes = change_of_path(from, to);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const StepChange& change = changes[i];
    const HopPlace earlier = change.old == StepChange::kNone ? HopPlace{} : old[change.old];
    if (change.kind == Kind::kStays) {
      path_.push_back({true, earlier});
      continue;
    }
    Hop hop;
    hop.at = to[i].at;
    hop.input_port = to[i].input_port;
    hop.output_port = to[i].output_port;
    hop.leg = leg;
    hop.place(i, to.size());
    const HopTree::Tie tie = change.kind == Kind::kTakesOver ? HopTree::Tie::kTakesOver
                             : change.kind == Kind::kJoins   ? HopTree::Tie::kJoins
                                                             : HopTree::Tie::kNone;
    path_.push_back({false, hops_.append(hop, tie, earlier, stock)});
  }
}

void Reroute::clear_hops() {
  context_.connections.uncount(hops_);
  if (!hops_.empty()) ++generation_;
  hops_.clear();
}

void Reroute::all_answered(HopAction action, TimePoint now) {
  if (action == HopAction::kReserve) {
    happen(Event::kAllReserved, now);
  } else if (state_ == FsmState::kMaking) {
    happen(Event::kAllCommitted, now);
  } else {
    happen(old_down_ ? Event::kAllTakenOverOldDown : Event::kAllTakenOver, now);
  }
}

void Reroute::take_over(TimePoint now) {
  send_commands(
      Errand::kCommit, [](const Hop& hop) { return hop.takes_over; }, now);
}

// Makes the new path carry the connection.
void Reroute::go_over(TimePoint now) {
  const auto told = PreparedDesk::told_hops(connection_);
  context_.connections.replace(connection_, path_, hops_, generation_);
  connection_.changed(now);
  // Labels that debts hold as well move with their hops.
  move_debt_labels(hops_, connection_.debt_labels(), lent_);
  if (planted(Bug::kOldPathNotRemoved)) {
    for (Hop& hop : hops_) hop.state = HopState::kIdle;
  }
  context_.paths.replaced(connection_, left_);
  if (PreparedDesk::told_hops(connection_) != told) {
    context_.prepared.tell_owner(connection_, now);
  }
}

// ===== the way back =====

void Reroute::lead_back(TimePoint now) {
  const bool keep = planted(Bug::kNoRollback) || planted(Bug::kRerouteNotRolledBack);
  // A path that counts as down may carry cells again by now: its line flickers. Nobody waits for a
  // switch that cannot be reached to lead back to it.
  const auto leads_back = [&](const Hop& hop) {
    return !old_down_ || context_.switches.is_attached(hop.at);
  };
  remove_hops([&](const Hop& hop) { return hop.takes_over && !keep && leads_back(hop); }, now);
}

void Reroute::removal_refused(const Hop& hop, Cause cause) {
  if (hop.takes_over && cause == Cause::kSwitchRefused) refused_ = true;
}

void Reroute::removals_over(bool owed, TimePoint now) {
  if (state_ != FsmState::kLeadingBack) {
    PathProcedure::removals_over(owed, now);
    return;
  }
  // Cells still take the new path where a switch has refused.
  const bool over = is_led_back() || (old_down_ && !refused_);
  happen(over ? Event::kAllRemoved : Event::kSomeNotRemoved, now);
}

bool Reroute::is_led_back() {
  return std::none_of(hops_.begin(), hops_.end(), [&](const Hop& hop) {
    const bool waited_for = !old_down_ || context_.switches.is_attached(hop.at);
    return hop.takes_over && hop.owes_removal() && waited_for;
  });
}

void Reroute::lead_back_again(TimePoint now) {
  free_reroute_slot();
  refused_ = false;
  for (Hop& hop : hops_) {
    if (!hop.takes_over || hop.state != HopState::kNotRemoved ||
        !context_.switches.is_attached(hop.at)) {
      continue;
    }
    hop.state = HopState::kRemoving;
    ++pending_;
    context_.sender.tell(*this, hop, Errand::kRemove, now);
  }
  if (is_led_back()) {
    // A SwitchServer removes what it owes as soon as its switch is back, and says so unasked.
    happen(Event::kAllRemoved, now);
  } else {
    context_.sender.send_next(*this, now);
  }
}

// ===== the end =====

void Reroute::remove_all(TimePoint now) {
  remove_hops([](const Hop&) { return true; }, now);
}

void Reroute::free_reroute_slot() {
  if (!std::exchange(slot_freed_, true)) context_.paths.reroute_slot_freed();
}

void Reroute::end(bool given_up, TimePoint now) {
  clear_path(now);
  const ProcedurePtr self = leave(given_up ? refusal_.cause : Cause::kNone);
  context_.connections.raise_generation(connection_, generation_);
  free_reroute_slot();
  if (given_up) {
    context_.paths.failed(connection_, refusal_, version_, now);
  } else {
    context_.paths.look(connection_);
  }
}

// The connection is released: the procedure's hops are removed with the others.
void Reroute::fold() {
  for (Hop& hop : hops_) {
    if (hop.errand == Errand::kRemove) hop.state = HopState::kCommitted;  // removal not sent yet
  }
  HopSender::drop_pending_commands(hops_);
  context_.connections.fold(connection_, hops_);
  for (auto& label : lent_) connection_.note().debt_labels.push_back(std::move(label));
  const ProcedurePtr self = leave(Cause::kBeingReleased);
  free_reroute_slot();
}

}  // namespace xbind::cmgr
