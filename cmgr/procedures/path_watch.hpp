// Keeps connections on usable paths: what the network cannot use now, which connections lead over it, and
// whose turn it is to get another path (procedures/reroute.hpp).
//
// A connection whose path touches something unusable is astray. It waits in the queue, has another path
// under way, or none could be had: then it stays as it is, its client hears it if the path is down, and it
// is tried again when the network changes, and every Config::reroute_retry, for calls that end make room.
//
// Connections are looked at in slices of kPerStep a step, so that no step is long, however many a change of
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

  explicit PathWatch(Context& context) : context_(context), unusable_(context.switches) {}
  PathWatch(const PathWatch&) = delete;
  PathWatch& operator=(const PathWatch&) = delete;

  // What is unusable now, whole; one whose version is not above the last is ignored. `restarted`:
  // RouteObject has begun anew, and its versions with it. True: it is news.
  bool on_topology(const TopologyState& state, bool restarted);
  void resolve_new_switches() { unusable_.resolve_new_switches(); }
  const UnusablePaths& unusable() const { return unusable_; }

  // The connection is up, or its path has changed, or the network has.
  void look(Connection& connection);
  bool is_astray(const Connection& connection) const {
    return !astray_.empty() && astray_.contains(connection.id);
  }
  // The connection is no more.
  void forget(const Connection& connection) {
    if (!astray_.empty()) astray_.erase(connection.id);
  }
  void tick(TimePoint now);
  // The end of a step: looks at connections, begins re-routes.
  void finish_step(TimePoint now);
  TimePoint next_deadline() const;

  // --- for re-routes
  // Another may begin.
  void turn_over() { --under_way_; }
  // The connection has another path.
  void replaced(Connection& connection, const std::string& left);
  // None could be had. `version`: the network's when it was begun.
  void failed(Connection& connection, const Refusal& why, std::uint64_t version, TimePoint now);

  std::size_t astray() const { return astray_.size(); }
  std::size_t under_way() const { return under_way_; }

 private:
  struct Astray : boost::intrusive::list_base_hook<
                      boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    ConnectionId id;
    bool queued = false;  // in queue_, and not since a retry
  };
  using List = boost::intrusive::list<Astray, boost::intrusive::constant_time_size<false>>;

  // It waits for its turn.
  void enqueue(const Connection& connection);
  void look_again(std::size_t& left);
  void sweep(std::size_t& left);
  void start_reroutes(std::size_t left, TimePoint now);
  void start_reroute(Connection& connection, TimePoint now);
  void notify(const Connection& connection, NoticeKind kind, Refusal why);
  void report_broken(Connection& connection, const Blocked& blocked, Refusal why);

  Context& context_;
  UnusablePaths unusable_;
  // The lists before what is in them.
  List recheck_;  // were astray before the network changed
  List queue_;    // wait for their turn
  List idle_;     // tried in vain, or have another path under way
  std::unordered_map<ConnectionId, Astray> astray_;  // never more than connections
  // The rest of a sweep over what passes the switches with something unusable.
  std::vector<SwitchIndex> to_sweep_;
  std::size_t sweep_left_ = 0;  // of the last of these: entries that have not been looked at
  bool sweeping_ = false;
  std::size_t under_way_ = 0;
  TimePoint retry_at_ = kNever;
  TimePoint more_at_ = kNever;  // a slice was not the last
};

}  // namespace xbind::cmgr
