// Common part of setup, hold, leaf and re-route: finds a route, reserves and commits its hops. When
// one refuses, removes the others and tries another route (crankback, bounded by
// Config::crankbacks).
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
  void no_more_tries() final {
    tries_ = static_cast<std::uint32_t>(context_.config.crankbacks);
    try_next_ = false;
  }
  void switch_lost(SwitchIndex at, TimePoint now) override;

 protected:
  // Lays the hops of the route; no command is sent yet. False: the procedure has refused the route.
  virtual bool lay(const RouteReply& route, TimePoint now) = 0;
  virtual std::uint32_t generation() const = 0;
  // The hops have been removed or are owed.
  virtual void clear_hops() = 0;
  // The route is fixed: no other may be tried.
  virtual bool route_is_given() const { return false; }

  void find_route(TimePoint now);
  // The same without the cache: RouteObject's answer is for the rate of this connection.
  void ask_route(TimePoint now);
  // Discards the path that was tried, and looks for another.
  void find_another(TimePoint now);
  void reserve_hops(TimePoint now);
  void commit_hops(TimePoint now);
  // Removes the hops of a refused path. `planted_to_keep`: a planted mistake (core/planted.hpp)
  // that does not.
  void undo(TimePoint now, bool planted_to_keep = false);
  void clear_path(TimePoint now);
  void hop_refused(Hop& hop, const HopResult& result, TimePoint now) final;
  void removals_over(bool owed, TimePoint now) override;
  // Keeps the first refusal, which is more specific than a later one.
  void refuse_unless_refused(Refusal refusal) {
    if (refusal_.cause == Cause::kNone) refusal_ = std::move(refusal);
  }
  // The refusal as an outcome, with the removals that are owed.
  Outcome refused_outcome();

  TimesIndex times_ = kNotTimed;  // of the setup; kNotTimed for other procedures
  Refusal refusal_;

 private:
  RouteNeed need() const;
  void start_path(const RouteReply& route, TimePoint now);
  // Why the route cannot be used now. `avoidable`: the next query avoids the obstacle.
  struct Obstacle {
    Refusal refusal;
    bool avoidable = false;
  };
  std::optional<Obstacle> obstacle_on(const RouteReply& route);
  void take_labels(bool& all_at_hand, TimePoint now);
  // Makes the next query avoid this link, or switch. False: enough routes have been tried.
  bool avoid(SwitchIndex at, PortId output_port);
  // A hop has refused or, if null, did not answer in time: decides whether a route without it may
  // exist.
  void plan_next_try(const Hop* hop, const HopResult* result);
  bool plan_around(const Hop& hop, Cause cause, PortId port);
  const Hop* silent_hop();

  std::vector<PathElement> avoid_;  // elements that refused
  std::vector<SwitchIndex> owing_;  // switches where removals were owed when paths were given up
  std::uint32_t tries_ = 0;         // routes given up so far
  // Of the present path, the hop whose output label the next switch has for another connection, or
  // for an unclaimed entry; null: none.
  const Hop* refused_label_ = nullptr;
  bool try_next_ = false;  // look for another route once the removals are done
};

}  // namespace xbind::cmgr
