#include "cmgr/procedures/leaf.hpp"

#include "cmgr/parts/label_debts.hpp"
#include "cmgr/parts/outcomes.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/prepared_desk.hpp"
#include "cmgr/procedures/start.hpp"

namespace xbind::cmgr {

LeafProcedure::LeafProcedure(Context& context, Connection& connection, const Asker& asker,
                             const std::string& end)
    : StepMachine(context, connection),
      asker_(asker),
      ends_(context.connections.ends(connection.ends->from, end)) {
  state_ = FsmState::kRouting;
}

void LeafProcedure::start_add(TimePoint now) {
  context_.clients.owns(asker_.client, +1);
  find_route(now);
}

void LeafProcedure::start_drop(TimePoint now) {
  state_ = FsmState::kAsked;
  const auto told = PreparedDesk::told_hops(connection_);
  hops_ = context_.connections.cut(connection_, ends_->to);
  if (PreparedDesk::told_hops(connection_) != told) {
    context_.prepared.tell_owner(connection_, now);
  }
  move_debt_labels(hops_, connection_.debt_labels(), lent_);
  context_.clients.owns(asker_.client, +1);
  happen(Event::kDropAsked, now);
}

State LeafProcedure::state() const {
  switch (state_) {
    case FsmState::kRouting: return State::kRouting;
    case FsmState::kReserving: return State::kReserving;
    case FsmState::kCommitting: return State::kCommitting;
    case FsmState::kUndoing: return State::kUndoing;
    case FsmState::kDropping: return State::kReleasing;
    case FsmState::kAsked: return State::kConnected;
    case FsmState::kOver: break;
  }
  return State::kGone;
}

void LeafProcedure::perform(Action action, TimePoint now) {
  switch (action) {
    case Action::kOweThenFindRoute: owe_unconfirmed(now); [[fallthrough]];
    case Action::kFindRoute: find_another(now); return;
    case Action::kReserveHops: reserve_hops(now); return;
    case Action::kCommitHops: commit_hops(now); return;
    case Action::kJoin: join(now); return;
    case Action::kRemoveHops:
      if (state_ == FsmState::kUndoing) {
        undo(now);
      } else {
        remove_hops([](const Hop&) { return true; }, now);
      }
      return;
    case Action::kOweThenRefuse: owe_unconfirmed(now); [[fallthrough]];
    case Action::kRefuse: refuse(now); return;
    case Action::kOweThenAnswerDropped: owe_unconfirmed(now); [[fallthrough]];
    case Action::kAnswerDropped: answer_dropped(now); return;
    case Action::kFold: fold(); return;
  }
}

// Lays the route's hops from where it leaves the tree.
bool LeafProcedure::lay(const RouteReply& route, TimePoint now) {
  const std::vector<PathHop>& path = route.path.hops;
  const Hops::Fork fork = connection_.hops().fork(route.at, path);
  if (fork.step == path.size() || !fork.sibling.present()) {
    // The whole route lies in the tree: the endpoint is an alias of an existing destination. Or the
    // route begins at another port than the tree.
    refusal_ = {fork.step == path.size() ? Cause::kLeafExists : Cause::kNoRoute, ends_->to};
    happen(Event::kNoRoute, now);
    return false;
  }
  if (leg_ == 0) leg_ = context_.connections.next_leg(connection_);
  hops_.lay_branch(route.at, path, fork, connection_.hops(), leg_);
  context_.connections.count(connection_, hops_);
  return true;
}

void LeafProcedure::clear_hops() {
  context_.connections.uncount(hops_);
  if (!hops_.empty()) ++generation_;
  hops_.clear();
}

void LeafProcedure::all_answered(HopAction action, TimePoint now) {
  happen(action == HopAction::kReserve ? Event::kAllReserved : Event::kAllCommitted, now);
}

void LeafProcedure::answer(Outcome outcome) {
  outcome.connection = connection_.shown_id();
  context_.outcomes.tell(asker_, std::move(outcome), connection_.ends.get());
  context_.clients.owns(asker_.client, -1);
}

void LeafProcedure::join(TimePoint now) {
  const ProcedurePtr self = leave();
  connection_.changed(now);
  Outcome outcome;
  outcome.kind = OutcomeKind::kLeafAdded;
  outcome.egress = hops_.back().output_label;
  context_.connections.join(connection_, ends_->to, hops_);
  answer(std::move(outcome));
  context_.paths.look(connection_);
}

void LeafProcedure::refuse(TimePoint now) {
  Outcome outcome = refused_outcome();
  clear_path(now);
  const ProcedurePtr self = leave(outcome.cause);
  answer(std::move(outcome));
  context_.paths.look(connection_);
}

void LeafProcedure::answer_dropped(TimePoint now) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kLeafDropped;
  context_.outcomes.describe_debts(hops_, {}, outcome);
  clear_path(now);
  const ProcedurePtr self = leave();
  connection_.changed(now);
  answer(std::move(outcome));
  context_.paths.look(connection_);
}

// The whole connection is released: the leaf's hops are removed with the others.
void LeafProcedure::fold() {
  for (Hop& hop : hops_) {
    if (hop.errand == Errand::kRemove) hop.state = HopState::kCommitted;  // removal not sent yet
  }
  HopSender::drop_pending_commands(hops_);
  context_.connections.fold(connection_, hops_);
  for (auto& label : lent_) connection_.note().debt_labels.push_back(std::move(label));
  const ProcedurePtr self = leave(Cause::kBeingReleased);
  answer(outcome_of({Cause::kBeingReleased, "manager", connection_.shown_id().value(), 0}));
}

}  // namespace xbind::cmgr
