// Adds a destination to a connection that is up, or drops one (leaf_fsm.hpp, decision 0011). The
// procedure owns the leaf's hops, a scion of the connection's tree, until they are grafted or
// removed.
#pragma once

#include <string>

#include "cmgr/procedures/leaf_fsm.hpp"
#include "cmgr/procedures/path_procedure.hpp"

namespace xbind::cmgr {

class LeafProcedure final : public StepMachine<LeafFsm, PathProcedure> {
 public:
  static constexpr const char* kName = "leaf";  // in traces

  LeafProcedure(Context& context, Connection& connection, const Asker& asker,
                const std::string& end);
  // The end must not be a destination of the connection.
  void start_add(TimePoint now);
  // The end must be one of several destinations.
  void start_drop(TimePoint now);

  Hops& hops() override { return hops_; }
  bool aside() const override { return true; }
  State state() const override;
  const CallEnds& ends() const override { return *ends_; }

 private:
  void perform(Action action, TimePoint now) override;
  void all_answered(HopAction action, TimePoint now) override;
  bool lay(const RouteReply& route, TimePoint now) override;
  std::uint32_t generation() const override { return generation_; }
  void clear_hops() override;
  Hops* stock() override { return &connection_.hops(); }
  DebtLabels* debt_labels() override { return &lent_; }
  void join(TimePoint now);
  void refuse(TimePoint now);
  void answer_dropped(TimePoint now);
  void fold();
  void answer(Outcome outcome);

  Asker asker_;
  CallEndsRef ends_;  // from the connection's first end to the leaf
  HopTree hops_;
  DebtLabels lent_;
  std::uint32_t generation_ = 1;
  std::uint16_t leg_ = 0;
};

}  // namespace xbind::cmgr
