// Changes the contract of a connection that is up (modify_fsm.hpp), in two steps, so that undoing
// the first cannot be refused (decision 0012).
#pragma once

#include "cmgr/procedures/modify_fsm.hpp"
#include "cmgr/procedures/procedure.hpp"

namespace xbind::cmgr {

class Modify final : public StepMachine<ModifyFsm, Procedure> {
 public:
  static constexpr const char* kName = "modify";  // in traces

  // `target` must have the service categories of the connection's contract.
  Modify(Context& context, Connection& connection, const Asker& asker, const Contract& target)
      : StepMachine(context, connection), asker_(asker), target_(target) {}
  void start(TimePoint now);

  State state() const override;
  void timed_out(TimePoint now) override;
  void switch_lost(SwitchIndex at, TimePoint now) override;
  bool awaits_change(std::uint32_t revision) const override { return revision == revision_; }
  void change_answered(Hop& hop, const HopResult& result, TimePoint now) override;
  HopModify change_for(const Hop& hop) const override;

 private:
  void perform(Action action, TimePoint now) override;
  // A modification removes no hops.
  void removals_over(bool, TimePoint) override {}
  Contract contract_to_send() const;
  HopModify change_to(const Contract& contract, const Hop& hop) const;
  void raise_hops(TimePoint now);
  void lower_hops(TimePoint now);
  void modify_every_hop(TimePoint now);
  void restore_hops(TimePoint now);
  void changes_begun(TimePoint now);
  void changes_over(TimePoint now);
  void owe_changes(const Contract& contract, TimePoint now);
  void end(bool accepted, TimePoint now);

  Asker asker_;
  Contract target_;
  Refusal refusal_;  // why the old contract is restored
  std::uint32_t revision_ = 0;
};

}  // namespace xbind::cmgr
