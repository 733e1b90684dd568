// A procedure changes one connection: sets it up, holds, modifies or releases it, adds or drops a
// leaf, or moves it to another path. It owns its state and is deleted when it ends; a connection
// has at most one.
//
//    Procedure ◀── Release, Modify
//        ▲
//    PathProcedure ◀── Setup, Hold, Leaf, Reroute      (path_procedure.hpp)
//
// Each has a pure table over events.hpp (setup_fsm.hpp and its neighbours), which StepMachine
// performs. A procedure may end within any call of a member that takes `now`: the caller must not
// use it afterwards.
//
// Not thread-safe; owned by its connection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "cmgr/parts/call_times.hpp"
#include "cmgr/parts/connection.hpp"
#include "cmgr/procedures/context.hpp"
#include "cmgr/procedures/events.hpp"
#include "cmgr/procedures/hop_sender.hpp"
#include "core/hop.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {

class Procedure : public TimerHook, public AgeHook {
 public:
  Procedure(Context& context, Connection& connection) : context_(context), connection_(connection) {
    context.timers.begun(*this);
  }
  Procedure(const Procedure&) = delete;
  Procedure& operator=(const Procedure&) = delete;
  virtual ~Procedure() = default;

  Context& context() const { return context_; }
  Connection& connection() const { return connection_; }
  // The hops that it works on: the connection's, or those of its own tree.
  virtual Hops& hops() { return connection_.hops(); }
  // Whether it has its own tree, and the connection stays up meanwhile.
  virtual bool aside() const { return false; }
  // Its progress, for operators.
  virtual State state() const = 0;

  // Why the connection cannot be released, or changed, now; nullopt: it can.
  virtual std::optional<Cause> refuses_release() const { return std::nullopt; }
  virtual Cause refuses_change() const { return Cause::kChangeUnderWay; }
  // The connection is to be released: the procedure ends, and its hops pass to the connection.
  void release_asked(TimePoint now) { happen(Event::kReleaseAsked, now); }

  // Whether no timer bounds what it waits for: its client, for as long as that has requested, or
  // the answer of a switch.
  virtual bool waits_unbounded() const { return false; }
  // It takes no other route after this.
  virtual void no_more_tries() {}

  // --- events from outside
  virtual bool waits_for_route() const { return false; }
  virtual void route_answered(const RouteReply&, TimePoint) {}
  virtual void timed_out(TimePoint now) = 0;
  // The session with that switch's SwitchServer has ended: commands sent in it will not be
  // answered.
  virtual void switch_lost(SwitchIndex at, TimePoint now) = 0;
  // The answer to a hop's outstanding reserve or commit.
  void setup_answered(Hop& hop, const HopResult& result, TimePoint now);
  // Whether it waits for the answer to a change of that revision.
  virtual bool awaits_change(std::uint32_t /*revision*/) const { return false; }
  // That answer; `hop` is in the state kChanging.
  virtual void change_answered(Hop&, const HopResult&, TimePoint) {}
  // A removal's answer; `hop` is in the state kRemoving. kNone: it is removed.
  void removal_answered(Hop& hop, Cause cause, TimePoint now);

  // --- queries of the HopSender
  // The endpoints that its hops connect.
  virtual const CallEnds& ends() const { return *connection_.ends; }
  // Whether the hops are reserved for a later commit by the client.
  virtual bool holds() const { return false; }
  // Of one that does: the rest of its time, all of it before the hops are reserved.
  virtual Duration hold_left(TimePoint /*now*/) const { return {}; }
  virtual HopModify change_for(const Hop& hop) const;
  // The timing index that a command counts for.
  virtual TimesIndex times_of(Errand) const { return kNotTimed; }

 protected:
  virtual void happen(Event event, TimePoint now) = 0;
  // Every hop that was sent a command has accepted it.
  virtual void all_answered(HopAction, TimePoint) {}
  virtual void hop_refused(Hop&, const HopResult&, TimePoint) {}
  // No answer to a removal is outstanding; `owed`: some hop has not been removed.
  virtual void removals_over(bool owed, TimePoint now) = 0;
  // Called before that for each removal that a SwitchServer has answered with a cause.
  virtual void removal_refused(const Hop&, Cause) {}
  // For a procedure with its own tree: the connection's tree, which it refers to. Null: it has
  // none.
  virtual Hops* stock() { return nullptr; }
  // The labels of its hops that debts hold as well; null: none.
  virtual DebtLabels* debt_labels() { return connection_.debt_labels(); }

  // Sends the command to each hop that `which` selects; they answer with setup_answered().
  template <class Which>
  void send_commands(Errand errand, Which&& which, TimePoint now);
  // Removes every hop that `which` selects and that was sent a command; ends in removals_over().
  template <class Which>
  void remove_hops(Which&& which, TimePoint now);
  // The hops at a lost switch will not confirm their removal.
  void removals_lost(SwitchIndex at, TimePoint now);
  // Turns hops that still owe their removal into debts.
  void owe_unconfirmed(TimePoint now);
  // The hops are removed or owed: releases their labels, bookings and outstanding requests.
  // `refused`: the hop whose output label the switch behind it has refused, or null.
  void settle(TimePoint now, const Hop* refused = nullptr);
  // The last act of a procedure: detaches it from the connection. It is deleted with the returned
  // pointer.
  // `cause`: why it has failed.
  ProcedurePtr leave(Cause cause = Cause::kNone) {
    if (connection_.traced) context_.traces.ended(connection_, cause);
    return std::move(connection_.procedure);
  }
  // Restarts the timer of the state.
  virtual void arm(TimePoint now) = 0;

  Context& context_;
  Connection& connection_;
  std::uint16_t pending_ = 0;  // answers still expected in this state

 private:
  void begin_removal(Hop& hop, TimePoint now);
  void removals_begun(TimePoint now);
};

template <class Which>
void Procedure::send_commands(Errand errand, Which&& which, TimePoint now) {
  pending_ = static_cast<std::uint16_t>(std::count_if(hops().begin(), hops().end(), which));
  for (Hop& hop : hops()) {
    if (which(hop)) context_.sender.tell(*this, hop, errand, now);
  }
  context_.sender.send_next(*this, now);
}

template <class Which>
void Procedure::remove_hops(Which&& which, TimePoint now) {
  HopSender::drop_pending_commands(hops());
  pending_ = 0;
  for (Hop& hop : hops()) {
    const bool done = hop.state == HopState::kRemoved || hop.state == HopState::kNotRemoved;
    if (hop.was_commanded() && !done && which(hop)) begin_removal(hop, now);
  }
  removals_begun(now);
}

// Performs Fsm's table; the procedure's state changes nowhere else.
template <class Fsm, class Base>
class StepMachine : public Base {
 public:
  using Base::Base;

 protected:
  using FsmState = typename Fsm::State;
  using Action = typename Fsm::Action;

  void happen(Event event, TimePoint now) final {
    ++this->context_.occurrences.template of<Fsm>().at(state_, event);
    const auto step = Fsm::step(state_, event);
    if (!step) {
      ++this->context_.counters.meaningless_events;
      return;
    }
    state_ = step->next;
    if (this->connection_.traced) {
      this->context_.traces.state(this->connection_, to_string(this->state()).data());
    }
    arm(now);
    perform(step->action, now);  // may delete the procedure
  }
  void arm(TimePoint now) final {
    const Timer timer = Fsm::timer(state_);
    if (timer == Timer::kUndo && planted(Bug::kTimerForgotten)) {
      this->context_.timers.arm(*this, Timer::kNone, now);
    } else if (timer != Timer::kHold) {
      this->context_.timers.arm(*this, timer, now);
    }
  }
  virtual void perform(Action action, TimePoint now) = 0;

  FsmState state_{};
};

}  // namespace xbind::cmgr
