// Routes: from the cache, or from RouteObject with one query for all connections that wait for it.
//
// A call does not wait while a path is at hand. An expired path serves at once, and RouteObject is
// asked beside. While RouteObject is silent (it does not answer, or cannot be reached), a pair
// without a cached path gets one over the last known network (known_network.hpp). A connection for
// which neither exists waits, at most until its route timer ends.
//
// Not thread-safe; owned by the connection manager.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "cmgr/parts/config.hpp"
#include "cmgr/parts/counters.hpp"
#include "cmgr/parts/known_network.hpp"
#include "cmgr/parts/peers.hpp"
#include "cmgr/parts/route_cache.hpp"
#include "cmgr/parts/switch_desk.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"

namespace xbind::cmgr {

class RouteDesk {
 public:
  static constexpr Duration kSilence = kManagerTimers["route-silence"];
  static constexpr Duration kAskAgain = kManagerTimers["route-ask-again"];
  // Queries that are open at once while RouteObject is silent, and about expired routes.
  static constexpr std::size_t kQueriesMax = 1'024;

  using Route = std::shared_ptr<const RouteReply>;
  using Found = std::function<void(ConnectionId, const RouteReply&)>;

  RouteDesk(const Config& config, Peers& peers, SwitchDesk& switches, CallCounters& counters)
      : config_(config),
        peers_(peers),
        switches_(switches),
        counters_(counters),
        cache_(config.route_cache) {}

  // The answer that serves without waiting, or null: the connection waits (ask()). The reference is
  // valid until the desk is called again.
  const Route& at_hand(const RouteNeed& need, TimePoint now);
  // The answer for a connection that has waited in vain; null: none. As above.
  const Route& after_silence(const RouteNeed& need, TimePoint now);
  // Registers that the connection waits for this route. RouteObject is queried at the end of the
  // step, unless it is silent and kQueriesMax queries are open.
  void ask(ConnectionId waits, const RouteNeed& need, TimePoint now);
  // The connection waits no more.
  void forget(ConnectionId waits, const RouteNeed& need);
  // One reply for each query sent. Stores it and calls found(connection, answer) for each
  // connection that registered for it.
  void answered(RouteReply&& reply, Duration validity, TimePoint now, const Found& found);
  // Serves the waiting connections over the last known network when RouteObject has been silent.
  void tick(TimePoint now, const Found& found);
  TimePoint next_deadline() const;
  // The network as RouteObject describes it now: KnownNetwork::set(). Paths that the cache has and
  // that do not follow its links are forgotten.
  void set_network(const std::vector<NetworkLink>& links, const std::vector<NetworkEnd>& ends);
  // Sends the queries of the step.
  void flush(TimePoint now);

  RouteCache& cache() { return cache_; }
  const RouteCache& cache() const { return cache_; }
  KnownNetwork& network() { return network_; }

 private:
  struct QueryHash {
    std::size_t operator()(const RouteQuery& query) const;
  };
  bool silent(TimePoint now) const {
    return away_ || (open_ != 0 && now >= quiet_since_ + kSilence);
  }
  void serve_waiting(TimePoint now, const Found& found);
  const Route& expired_path(const RouteNeed& need);
  const Route& path_found_here(const RouteNeed& need, TimePoint now);
  // Asks about an expired route; nobody waits for the answer.
  void refresh(const RouteNeed& need, TimePoint now);
  void resolve_switches(RouteReply& reply);
  std::vector<ConnectionId> take_waiting(const RouteQuery& query);

  const Config& config_;
  Peers& peers_;
  SwitchDesk& switches_;
  CallCounters& counters_;
  RouteCache cache_;
  KnownNetwork network_;
  // Open queries. At most Config::operations_at_once connections wait.
  std::unordered_map<RouteQuery, std::vector<ConnectionId>, QueryHash> waiting_;
  std::vector<RouteQuery> queries_;  // to be sent at the end of the step
  std::size_t open_ = 0;             // queries sent and not answered
  TimePoint quiet_since_{};          // while open_ != 0: the last answer, or the first of these
  bool away_ = false;                // the last answer was that RouteObject cannot be reached
  TimePoint ask_again_at_{};         // while away_: when to ask about expired routes
  bool served_ = true;               // no call waits that tick() could serve from here
};

}  // namespace xbind::cmgr
