// What setting up, holding, adding a leaf and leading another way have in common: a route is looked for, its
// hops are reserved and committed, and when one refuses the others are removed and another route is tried
// (crankback, bounded by Config::crankbacks).
#pragma once

#include <cstdint>
#include <vector>

#include "cmgr/parts/refusal.hpp"
#include "cmgr/parts/route_cache.hpp"
#include "cmgr/procedures/procedure.hpp"

namespace xbind::cmgr {

class PathProcedure : public Procedure {
 public:
  using Procedure::Procedure;

  bool waits_for_route() const final { return state() == State::kRouting; }
  void route_answered(const RouteReply& route, TimePoint now) final;
  void timed_out(TimePoint now) override;
  void switch_lost(SwitchIndex at, TimePoint now) override;

 protected:
  // Lays the hops of that route; what is not told to them yet. False: the procedure has refused the route.
  virtual bool lay(const RouteReply& route, TimePoint now) = 0;
  virtual std::uint32_t generation() const = 0;
  // The hops are no more.
  virtual void clear_hops() = 0;
  // The route is given: no other may be tried.
  virtual bool route_is_given() const { return false; }

  void find_route(TimePoint now);
  // Forgets the path that was tried, and looks for another.
  void find_another(TimePoint now);
  void reserve_hops(TimePoint now);
  void commit_hops(TimePoint now);
  // Removes the hops of a path that was refused. `planted_to_keep`: a planted mistake does not.
  void undo(TimePoint now, bool planted_to_keep = false);
  void clear_path(TimePoint now);
  void hop_refused(Hop& hop, const HopResult& result, TimePoint now) final;
  void removals_over(bool owed, TimePoint now) override;
  // The first refusal says more than a later one.
  void refuse_unless_refused(Refusal refusal) {
    if (refusal_.cause == Cause::kNone) refusal_ = std::move(refusal);
  }
  // The outcome of a refusal, with what is owed.
  Outcome refused_outcome();

  TimesIndex times_ = kNotTimed;  // of the setup
  Refusal refusal_;

 private:
  RouteNeed need() const;
  void start_path(const RouteReply& route, TimePoint now);
  // Why the route cannot be used now, having avoided what is in its way; nothing: it can.
  struct Obstacle {
    Refusal refusal;
    bool avoidable = false;
  };
  std::optional<Obstacle> obstacle_on(const RouteReply& route);
  void take_labels(bool& all_at_hand, TimePoint now);
  // The next route is to do without this link, or switch. False: enough has been tried.
  bool avoid(SwitchIndex at, PortId output_port);
  // A hop has refused, or (null) did not answer in time: whether there may be a route without it.
  void plan_next_try(const Hop* hop, const HopResult* result);
  bool plan_around(const Hop& hop, Cause cause, PortId port);
  const Hop* silent_hop();

  std::vector<PathElement> avoid_;  // what refused
  std::vector<SwitchIndex> owing_;  // where removals were owed when paths were given up
  std::uint32_t tries_ = 0;         // routes given up so far
  bool try_next_ = false;           // once undone, another route is looked for
};

}  // namespace xbind::cmgr
