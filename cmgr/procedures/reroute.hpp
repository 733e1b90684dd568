// Another path for a connection that is up, make before break (reroute_fsm.hpp, decision 0022). The new
// hops are the procedure's own, a scion of the connection's tree, until the connection goes over to them;
// then it has the old ones, to be removed.
#pragma once

#include <string>
#include <vector>

#include "cmgr/parts/unusable_paths.hpp"
#include "cmgr/procedures/path_procedure.hpp"
#include "cmgr/procedures/reroute_fsm.hpp"

namespace xbind::cmgr {

class Reroute final : public StepMachine<RerouteFsm, PathProcedure> {
 public:
  // `why` the connection is to leave its path, as of that version of the network.
  Reroute(Context& context, Connection& connection, const Blocked& why, std::uint64_t version)
      : StepMachine(context, connection),
        left_(why.words),
        old_down_(why.down()),
        version_(version),
        generation_(connection.generation() + 1) {}
  void start(TimePoint now) { find_route(now); }

  Hops& hops() override { return hops_; }
  bool aside() const override { return true; }
  State state() const override;

 private:
  void perform(Action action, TimePoint now) override;
  void all_answered(HopAction action, TimePoint now) override;
  void removals_over(bool owed, TimePoint now) override;
  bool lay(const RouteReply& route, TimePoint now) override;
  void lay_leg(std::uint16_t leg, const RouteReply& route);
  std::uint32_t generation() const override { return generation_; }
  void clear_hops() override;
  Hops* stock() override { return &connection_.hops(); }
  LentLabels* lent() override { return &lent_; }
  void take_over(TimePoint now);
  void go_over();
  void lead_back(TimePoint now);
  void lead_back_again(TimePoint now);
  void remove_all(TimePoint now);
  void fold();
  void end(bool given_up, TimePoint now);
  void leave_turn();

  std::vector<HopTree::Step> path_;  // the new path, one leg after the other
  HopTree hops_;
  LentLabels lent_;
  std::string left_;        // what the connection is to leave: "switch-1 port 2"
  bool old_down_;           // and that is down
  bool turn_left_ = false;  // it counts no more among those at once: it waits for a switch
  std::uint64_t version_;
  std::uint32_t generation_;
};

}  // namespace xbind::cmgr
