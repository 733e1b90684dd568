// The setup of a call (setup_fsm.hpp), asked for by a client, or by the manager itself in advance.
#pragma once

#include "cmgr/procedures/path_procedure.hpp"
#include "cmgr/procedures/setup_fsm.hpp"

namespace xbind::cmgr {

class Setup final : public StepMachine<SetupFsm, PathProcedure> {
 public:
  // The connection's asker is answered. `times`: of the call.
  Setup(Context& context, Connection& connection, TimesIndex times)
      : StepMachine(context, connection) {
    times_ = times;
  }
  void start(TimePoint now) { find_route(now); }

  State state() const override;
  // Its id has not been told yet: it is nobody's to release or change.
  std::optional<Cause> refuses_release() const override { return Cause::kUnknownConnection; }
  Cause refuses_change() const override { return Cause::kUnknownConnection; }
  TimesIndex times_of(Errand errand) const override {
    return errand == Errand::kCommit ? times_ : kNotTimed;
  }

 private:
  void perform(Action action, TimePoint now) override;
  void all_answered(HopAction action, TimePoint now) override;
  bool lay(const RouteReply& route, TimePoint now) override;
  std::uint32_t generation() const override { return connection_.generation(); }
  void clear_hops() override { context_.connections.clear(connection_); }
  void connect(TimePoint now);
  void refuse(TimePoint now);
};

}  // namespace xbind::cmgr
