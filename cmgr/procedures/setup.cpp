#include "cmgr/procedures/setup.hpp"

#include "cmgr/parts/outcomes.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/prepared_desk.hpp"
#include "cmgr/procedures/start.hpp"
#include "core/log_about.hpp"

namespace xbind::cmgr {

State Setup::state() const {
  switch (state_) {
    case FsmState::kRouting: return State::kRouting;
    case FsmState::kReserving: return State::kReserving;
    case FsmState::kCommitting: return State::kCommitting;
    case FsmState::kUndoing: return State::kUndoing;
    case FsmState::kOver: break;
  }
  return State::kGone;
}

void Setup::perform(Action action, TimePoint now) {
  switch (action) {
    case Action::kOweThenFindRoute: owe_unconfirmed(now); [[fallthrough]];
    case Action::kFindRoute: find_another(now); return;
    case Action::kReserveHops: reserve_hops(now); return;
    case Action::kCommitHops: commit_hops(now); return;
    case Action::kConnect: connect(now); return;
    case Action::kRemoveHops: undo(now); return;
    case Action::kOweThenRefuse: owe_unconfirmed(now); [[fallthrough]];
    case Action::kRefuse: refuse(now); return;
  }
}

bool Setup::lay(const RouteReply& route, TimePoint) {
  context_.connections.lay(connection_, route.at, route.path.hops);
  return true;
}

void Setup::all_answered(HopAction action, TimePoint now) {
  happen(action == HopAction::kReserve ? Event::kAllReserved : Event::kAllCommitted, now);
}

void Setup::connect(TimePoint now) {
  context_.times.answered(times_, now);
  context_.traces.setup_over(connection_, context_.times, times_, nullptr);
  const ProcedurePtr self = leave();
  context_.connections.reach(connection_, Stage::kUp);
  connection_.up_since_s = Connection::second_of(now);
  if (const OptionalAsker& asker = connection_.asker()) {
    context_.outcomes.tell(*asker, connected_outcome(connection_), connection_.ends.get(), times_);
  } else {
    context_.times.close(times_);
    context_.prepared.connected(connection_, now);
  }
  context_.paths.look(connection_);
}

void Setup::refuse(TimePoint now) {
  context_.traces.setup_over(connection_, context_.times, times_, &refusal_);
  context_.times.close(times_);
  const log::AboutCall about(connection_.id.value());
  if (const OptionalAsker& asker = connection_.asker()) {
    context_.outcomes.tell(*asker, refused_outcome(), connection_.ends.get());
  } else {
    context_.prepared.refused(connection_, now);
  }
  clear_path(now);
  const ProcedurePtr self = leave(refusal_.cause);
  forget(context_, connection_);
}

}  // namespace xbind::cmgr
