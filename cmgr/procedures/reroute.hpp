// Moves a connection that is up to another path, make before break (reroute_fsm.hpp, decision
// 0022). The procedure owns the new hops, a scion of the connection's tree, until the connection
// goes over to them. Then it owns the old hops, which it removes.
#pragma once

#include <string>
#include <vector>

#include "cmgr/parts/unusable_paths.hpp"
#include "cmgr/procedures/path_procedure.hpp"
#include "cmgr/procedures/reroute_fsm.hpp"

namespace xbind::cmgr {

class Reroute final : public StepMachine<RerouteFsm, PathProcedure> {
 public:
  static constexpr const char* kName = "reroute";  // in traces

  // `why`: the reason to leave the path, as of `version` of the network.
  Reroute(Context& context, Connection& connection, const Blocked& why, std::uint64_t version)
      : StepMachine(context, connection),
        left_(why.words),
        old_down_(why.down()),
        version_(version),
        generation_(connection.generation() + 1) {}
  // `afresh`: a cached path has led to no room. It may be the answer for a greater rate, which no
  // path has room for.
  void start(bool afresh, TimePoint now) { afresh ? ask_route(now) : find_route(now); }

  Hops& hops() override { return hops_; }
  bool aside() const override { return true; }
  bool waits_unbounded() const override { return state_ == FsmState::kLeadingBack; }
  State state() const override;

 private:
  void perform(Action action, TimePoint now) override;
  void all_answered(HopAction action, TimePoint now) override;
  void removal_refused(const Hop& hop, Cause cause) override;
  void removals_over(bool owed, TimePoint now) override;
  bool lay(const RouteReply& route, TimePoint now) override;
  void lay_leg(std::uint16_t leg, const RouteReply& route);
  std::uint32_t generation() const override { return generation_; }
  void clear_hops() override;
  Hops* stock() override { return &connection_.hops(); }
  DebtLabels* debt_labels() override { return &lent_; }
  void take_over(TimePoint now);
  void go_over(TimePoint now);
  void lead_back(TimePoint now);
  void lead_back_again(TimePoint now);
  bool is_led_back();
  void remove_all(TimePoint now);
  void fold();
  void end(bool given_up, TimePoint now);
  void free_reroute_slot();

  std::vector<HopTree::Step> path_;  // the new path, one leg after the other
  HopTree hops_;
  DebtLabels lent_;
  std::string left_;  // the element that the connection leaves: "switch-1 port 2"
  bool old_down_;     // that element is down
  // A switch that can be reached has refused to lead back, the last time that it was asked.
  bool refused_ = false;
  // it no longer counts towards reroutes_at_once, because it waits for a switch
  bool slot_freed_ = false;
  std::uint64_t version_;
  std::uint32_t generation_;
};

}  // namespace xbind::cmgr
