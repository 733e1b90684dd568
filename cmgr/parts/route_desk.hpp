// Routes: from the cache, or from RouteObject with one query for all connections that wait for it.
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
#include "cmgr/parts/peers.hpp"
#include "cmgr/parts/route_cache.hpp"
#include "cmgr/parts/switch_desk.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"

namespace xbind::cmgr {

class RouteDesk {
 public:
  RouteDesk(const Config& config, Peers& peers, SwitchDesk& switches, CallCounters& counters)
      : config_(config),
        peers_(peers),
        switches_(switches),
        counters_(counters),
        cache_(config.route_cache) {}

  // As RouteCache::find().
  const std::shared_ptr<const RouteReply>& find(const RouteNeed& need, TimePoint now,
                                                bool stale_too = false) {
    return cache_.find(need, now, stale_too);
  }
  // Registers that the connection waits for this route. RouteObject is queried at the end of the
  // step.
  void ask(ConnectionId waits, const RouteNeed& need);
  // One reply for each query sent. Stores it and calls found(connection, answer) for each
  // connection that registered for it; a connection may have stopped waiting.
  void answered(RouteReply&& reply, Duration validity, TimePoint now,
                const std::function<void(ConnectionId, const RouteReply&)>& found);
  // Sends the queries of the step.
  void flush();

  RouteCache& cache() { return cache_; }
  const RouteCache& cache() const { return cache_; }

 private:
  struct QueryHash {
    std::size_t operator()(const RouteQuery& query) const;
  };
  void resolve_switches(RouteReply& reply);
  std::vector<ConnectionId> take_waiting(const RouteQuery& query);

  const Config& config_;
  Peers& peers_;
  SwitchDesk& switches_;
  CallCounters& counters_;
  RouteCache cache_;
  // At most Config::operations_at_once connections.
  std::unordered_map<RouteQuery, std::vector<ConnectionId>, QueryHash> waiting_;
  std::vector<RouteQuery> queries_;  // to be sent at the end of the step
};

}  // namespace xbind::cmgr
