// Releases a connection (release_fsm.hpp): removes all hops at once; a removal that is not
// confirmed in time becomes a debt.
#pragma once

#include "cmgr/procedures/procedure.hpp"
#include "cmgr/procedures/release_fsm.hpp"

namespace xbind::cmgr {

class Release final : public StepMachine<ReleaseFsm, Procedure> {
 public:
  static constexpr const char* kName = "release";  // in traces

  // `releaser` gets the outcome; none: the manager itself releases, or a hold has expired.
  Release(Context& context, Connection& connection, const OptionalAsker& releaser, TimesIndex times,
          EndWhy why)
      : StepMachine(context, connection), releaser_(releaser), times_(times), why_(why) {}
  void start(TimePoint now);

  State state() const override { return State::kReleasing; }
  std::optional<Cause> refuses_release() const override { return Cause::kBeingReleased; }
  Cause refuses_change() const override { return Cause::kBeingReleased; }
  void timed_out(TimePoint now) override { happen(Event::kTimeout, now); }
  void switch_lost(SwitchIndex at, TimePoint now) override { removals_lost(at, now); }
  TimesIndex times_of(Errand) const override { return times_; }

 private:
  void perform(Action action, TimePoint now) override;
  void removals_over(bool owed, TimePoint now) override;
  void answer(TimePoint now);

  OptionalAsker releaser_;
  TimesIndex times_;
  EndWhy why_;
};

}  // namespace xbind::cmgr
