// Keeps connections on usable paths: stores what the network cannot use now, finds the connections
// that use it, and decides which of them gets another path next (procedures/reroute.hpp).
//
// A connection whose path uses an unusable element is astray. It waits in the queue, or has a
// re-route under way, or its re-route found no path. In the last case it stays as it is, and its
// client gets a notice if the path is down. It is tried again when the network changes, and every
// Config::reroute_retry, because ending calls free capacity.
//
// A re-route reserves before it knows whether its whole path has room, so two of them can refuse
// each other what one alone would get, at every retry. Therefore up to kAloneMax connections that
// found no room are tried again one after the other, when no other re-route is under way. Each asks
// RouteObject for a path anew. One that finds no room alone is tried with the others the next time.
//
// A step looks at most at kPerStep connections, so that no step is long, however many a change of
// the network concerns. Not thread-safe; owned by the connection manager.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "cmgr/parts/client_desk.hpp"
#include "cmgr/parts/counters.hpp"
#include "cmgr/parts/unusable_paths.hpp"
#include "cmgr/procedures/connection_table.hpp"
#include "cmgr/procedures/context.hpp"

namespace xbind::cmgr {

class PathWatch {
 public:
  static constexpr std::size_t kPerStep = 2'000;
  static constexpr std::size_t kAloneMax = 16;

  explicit PathWatch(Context& context) : context_(context), unusable_(context.switches) {}
  PathWatch(const PathWatch&) = delete;
  PathWatch& operator=(const PathWatch&) = delete;

  // `state` lists everything that is unusable now. It is ignored unless its version is above the
  // last one. `restarted`: RouteObject has restarted, and its versions count from the beginning.
  // Returns true if it was not ignored.
  bool on_topology(const TopologyState& state, bool restarted);
  void resolve_new_switches() { unusable_.resolve_new_switches(); }
  const UnusablePaths& unusable() const { return unusable_; }

  // Call when the connection has come up, its path has changed, or the network has changed.
  void look(Connection& connection);
  bool is_astray(const Connection& connection) const {
    return !astray_.empty() && astray_.contains(connection.id);
  }
  // The connection is being deleted.
  void forget(const Connection& connection) {
    if (!astray_.empty()) astray_.erase(connection.id);
  }
  void tick(TimePoint now);
  // End of a step: looks at connections and begins re-routes.
  void finish_step(TimePoint now);
  TimePoint next_deadline() const;

  // --- for re-routes
  // A re-route has ended or waits: another may begin.
  void reroute_slot_freed() { --under_way_; }
  // The connection has moved to another path.
  void replaced(Connection& connection, const std::string& left);
  // The re-route found no path. `version`: of the network when the re-route began.
  void failed(Connection& connection, const Refusal& why, std::uint64_t version, TimePoint now);

  // A call of an earlier epoch that was incomplete stands.
  void notify_mended(const Connection& connection) { notify(connection, NoticeKind::kMended, {}); }

  std::size_t astray() const { return astray_.size(); }
  std::size_t under_way() const { return under_way_; }

 private:
  struct Astray : boost::intrusive::list_base_hook<
                      boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    ConnectionId id;
    bool queued = false;  // in queue_, and not since a retry
    bool alone = false;   // no other re-route was under way when its own began
  };
  using List = boost::intrusive::list<Astray, boost::intrusive::constant_time_size<false>>;

  // Puts the connection into the queue.
  void enqueue(const Connection& connection);
  void look_again(std::size_t& left);
  void sweep(std::size_t& left);
  // Returns what it leaves of `left`.
  std::size_t start_reroutes(std::size_t left, TimePoint now);
  bool may_start_alone() const;
  void start_alone(std::size_t left, TimePoint now);
  // Its re-route has found no room.
  void try_alone(const Connection& connection);
  void start_reroute(Connection& connection, bool alone, TimePoint now);
  void notify(const Connection& connection, NoticeKind kind, Refusal why);
  void report_broken(Connection& connection, const Blocked& blocked, Refusal why);

  Context& context_;
  UnusablePaths unusable_;
  // Declared before the items that they contain, so destroyed after them.
  List recheck_;                                     // were astray before the network changed
  List queue_;                                       // wait for their turn
  List idle_;                                        // re-routed in vain, or being re-routed
  List alone_;                                       // found no room; tried one after the other
  std::unordered_map<ConnectionId, Astray> astray_;  // never more than connections
  // The rest of a sweep over the connections at switches with unusable elements.
  std::vector<SwitchIndex> to_sweep_;
  std::size_t sweep_left_ = 0;  // entries of the last switch not yet looked at
  bool sweeping_ = false;
  std::size_t under_way_ = 0;
  bool alone_due_ = false;  // since the last retry
  TimePoint retry_at_ = kNever;
  TimePoint more_at_ = kNever;  // set when a slice was not the last
};

}  // namespace xbind::cmgr
