// Sets up a connection (setup_fsm.hpp) for a client, or in advance for the manager itself.
#pragma once

#include "cmgr/procedures/path_procedure.hpp"
#include "cmgr/procedures/setup_fsm.hpp"

namespace xbind::cmgr {

class Setup final : public StepMachine<SetupFsm, PathProcedure> {
 public:
  static constexpr const char* kName = "setup";  // in traces

  // The connection's asker gets the outcome. `times`: timing index of the call.
  Setup(Context& context, Connection& connection, TimesIndex times)
      : StepMachine(context, connection) {
    times_ = times;
  }
  void start(TimePoint now) { find_route(now); }

  State state() const override;
  // The client does not have the id yet, so no client may release or change the connection.
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
