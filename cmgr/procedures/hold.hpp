// A hold (hold_fsm.hpp): the path is reserved for a duration that the client requests, and
// committed on the client's request. Until then no switch is programmed.
#pragma once

#include <algorithm>

#include "cmgr/procedures/hold_fsm.hpp"
#include "cmgr/procedures/path_procedure.hpp"

namespace xbind::cmgr {

class Hold final : public StepMachine<HoldFsm, PathProcedure> {
 public:
  static constexpr const char* kName = "hold";  // in traces

  // `hold`: counts from the moment when every hop is reserved, or of resume().
  Hold(Context& context, Connection& connection, Duration hold)
      : StepMachine(context, connection), hold_(hold) {}
  ~Hold() override;
  void start(TimePoint now) { find_route(now); }
  // For a connection that has been restored with every hop reserved; `hold` is the rest of its
  // time then.
  void resume(TimePoint now);

  bool is_held() const { return state_ == FsmState::kHeld; }
  // The client commits the hold. It must be held, and every switch of its path attached.
  void commit(const Asker& asker, TimePoint now);

  State state() const override;
  bool waits_unbounded() const override { return is_held(); }
  std::optional<Cause> refuses_release() const override;
  Cause refuses_change() const override {
    return is_held() ? Cause::kNotConnected : Cause::kUnknownConnection;
  }
  void timed_out(TimePoint now) override;
  bool holds() const override { return true; }
  Duration hold_left(TimePoint now) const override {
    return held_until_ == kNever ? hold_ : std::max(held_until_ - now, Duration::zero());
  }

 private:
  void perform(Action action, TimePoint now) override;
  void all_answered(HopAction action, TimePoint now) override;
  bool lay(const RouteReply& route, TimePoint now) override;
  std::uint32_t generation() const override { return connection_.generation(); }
  void clear_hops() override { context_.connections.clear(connection_); }
  bool route_is_given() const override { return committer_.has_value(); }
  void answer_held(TimePoint now);
  void arm_end(TimePoint now);
  void disarm();
  void connect(TimePoint now);
  void refuse(TimePoint now);

  Duration hold_;
  TimePoint held_until_ = kNever;  // kNever: not all hops have been reserved
  bool armed_ = false;             // its end is on the timers' list
  OptionalAsker committer_;
};

}  // namespace xbind::cmgr
