#include "cmgr/procedures/hold.hpp"

#include "cmgr/parts/outcomes.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/start.hpp"

namespace xbind::cmgr {

Hold::~Hold() { disarm(); }

State Hold::state() const {
  switch (state_) {
    case FsmState::kRouting: return State::kRouting;
    case FsmState::kReserving: return State::kReserving;
    case FsmState::kHeld: return State::kHeld;
    case FsmState::kCommitting: return State::kCommitting;
    case FsmState::kUndoing: return State::kUndoing;
    case FsmState::kOver: break;
  }
  return State::kGone;
}

std::optional<Cause> Hold::refuses_release() const {
  if (is_held()) return std::nullopt;
  // The client has known the id since the path was held; the commit is decided in a moment.
  const bool committing = state_ == FsmState::kCommitting;
  return committing ? Cause::kChangeUnderWay : Cause::kUnknownConnection;
}

void Hold::resume(TimePoint now) {
  state_ = FsmState::kHeld;
  arm_end(now);
}

void Hold::arm_end(TimePoint now) {
  held_until_ = now + hold_;
  context_.timers.arm_hold(connection_.id, held_until_);
  armed_ = true;
}

void Hold::commit(const Asker& asker, TimePoint now) {
  committer_ = asker;
  context_.clients.owns(asker.client, +1);
  happen(Event::kCommitAsked, now);
}

void Hold::timed_out(TimePoint now) {
  if (!is_held()) {
    PathProcedure::timed_out(now);
    return;
  }
  ++context_.counters.holds_expired;
  context_.timers.expired_holds().note(connection_.id);
  happen(Event::kTimeout, now);
}

void Hold::perform(Action action, TimePoint now) {
  switch (action) {
    case Action::kOweThenFindRoute: owe_unconfirmed(now); [[fallthrough]];
    case Action::kFindRoute: find_another(now); return;
    case Action::kReserveHops: reserve_hops(now); return;
    case Action::kAnswerHeld: answer_held(now); return;
    case Action::kCommitHops:
      disarm();
      commit_hops(now);
      return;
    case Action::kConnect: connect(now); return;
    case Action::kHandOver: leave(); return;
    case Action::kExpire: {
      const EndWhy why = now < held_until_ ? EndWhy::kByForce : EndWhy::kHoldExpired;
      disarm();  // the release may delete the connection
      const ProcedurePtr self = leave(Cause::kHoldExpired);
      start_release(context_, connection_, {}, kNotTimed, now, why);
      return;
    }
    case Action::kRemoveHops: undo(now); return;
    case Action::kOweThenRefuse: owe_unconfirmed(now); [[fallthrough]];
    case Action::kRefuse: refuse(now); return;
  }
}

bool Hold::lay(const RouteReply& route, TimePoint) {
  context_.connections.lay(connection_, route.at, route.path.hops);
  return true;
}

void Hold::all_answered(HopAction action, TimePoint now) {
  happen(action == HopAction::kReserve ? Event::kAllReserved : Event::kAllCommitted, now);
}

void Hold::answer_held(TimePoint now) {
  context_.timers.arm(*this, Timer::kNone, now);
  arm_end(now);
  context_.connections.reach(connection_, Stage::kHeld);
  Outcome outcome;
  outcome.kind = OutcomeKind::kHeld;
  outcome.connection = connection_.shown_id();
  context_.outcomes.tell(*connection_.asker(), std::move(outcome), connection_.ends.get());
}

void Hold::disarm() {
  if (std::exchange(armed_, false)) context_.timers.disarm_hold(connection_.id, held_until_);
}

void Hold::connect(TimePoint now) {
  const ProcedurePtr self = leave();
  context_.connections.reach(connection_, Stage::kUp);
  connection_.up_since_s = Connection::second_of(now);
  context_.outcomes.tell(*committer_, connected_outcome(connection_), connection_.ends.get());
  context_.clients.owns(committer_->client, -1);
  context_.paths.look(connection_);
}

void Hold::refuse(TimePoint now) {
  Outcome outcome = refused_outcome();
  // Once held, the connection has an id that the client knows.
  if (committer_) outcome.connection = connection_.shown_id();
  context_.outcomes.tell(committer_ ? *committer_ : *connection_.asker(), std::move(outcome),
                         connection_.ends.get());
  if (committer_) context_.clients.owns(committer_->client, -1);
  clear_path(now);
  const ProcedurePtr self = leave(refusal_.cause);
  forget(context_, connection_);
}

}  // namespace xbind::cmgr
