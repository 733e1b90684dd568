#include "cmgr/procedures/release.hpp"

#include "cmgr/parts/outcomes.hpp"
#include "cmgr/procedures/start.hpp"

namespace xbind::cmgr {

void Release::start(TimePoint now) {
  arm(now);
  remove_hops([](const Hop&) { return true; }, now);
}

void Release::removals_over(bool owed, TimePoint now) {
  happen(owed ? Event::kTimeout : Event::kAllRemoved, now);
}

void Release::perform(Action action, TimePoint now) {
  switch (action) {
    case Action::kOweThenAnswerReleased:
      owe_unconfirmed(now);
      context_.times.close(std::exchange(times_, kNotTimed));
      [[fallthrough]];
    case Action::kAnswerReleased: answer(now); return;
  }
}

void Release::answer(TimePoint now) {
  const bool asked = why_ == EndWhy::kAsked;
  if (const OptionalAsker& owner = connection_.asker(); !asked && owner) {
    context_.log.ended(why_, connection_.shown_id(), context_.clients.name(owner->client),
                       connection_.ends.get());
  }
  if (releaser_) {
    Outcome outcome;
    outcome.kind = OutcomeKind::kReleased;
    outcome.connection = connection_.shown_id();
    context_.outcomes.describe_debts(hops(), {}, outcome);
    context_.times.answered(times_, now);
    if (connection_.traced) context_.traces.stages(connection_, context_.times, times_);
    context_.outcomes.tell(*releaser_, std::move(outcome), connection_.ends.get(), times_, asked);
    // The client's claim to its slot ends with the answer.
    context_.clients.owns(releaser_->client, -1);
  } else {
    context_.times.close(times_);
  }
  settle(now);
  const ProcedurePtr self = leave();
  forget(context_, connection_);
}

}  // namespace xbind::cmgr
