// ConnectionManager: connections prepared in advance (prepared_pools.hpp).
#include <utility>

#include "cmgr/connection_manager.hpp"
#include "cmgr/service.hpp"
#include "core/name.hpp"

namespace xbind::cmgr {

Result<void> ConnectionManager::prepare(const std::string& from, const std::string& to,
                                        const ServiceSpec& service, std::size_t count,
                                        TimePoint now) {
  if (count > PreparedPools::kWantedMax) {
    return fail(ErrorCode::kBadInput, "{} connections to prepare, at most {}", count,
                PreparedPools::kWantedMax);
  }
  for (const std::string& end : {from, to}) {
    if (const auto named = check_name("endpoint", end); !named) return named;
  }
  const auto mapped = network_of(service, *config_.catalogue);
  if (!mapped) {
    return fail(ErrorCode::kBadInput, "{}: {} {}", to_string(mapped.error().cause),
                mapped.error().element, mapped.error().asked);
  }
  std::uint32_t number = pools_.find(from, to, *mapped);
  if (number == 0) {
    if (count == 0) return {};
    if (pools_.size() >= config_.pools_max) {
      return fail(ErrorCode::kExhausted, "{} pools are there already", pools_.size());
    }
    number = pools_.add(from, to, *mapped);
  }
  pools_.at(number).wanted = count;
  fill_pools(now);
  return {};
}

void ConnectionManager::fill_pools(TimePoint now) {
  std::uint32_t number = 0;
  for (PreparedPool& pool : pools_.all()) {
    ++number;
    // Perhaps of setups that were under way when fewer came to be wanted.
    while (pool.ready.size() > pool.wanted) {
      const ConnectionId id = pool.ready.back().connection;
      pool.ready.pop_back();
      happen(connections_.at(id), Event::kReleaseAsked, now);
    }
    if (pool.rests_until > now) continue;
    // What cannot be routed or set up now answers within this loop, and the pool rests then.
    while (pool.missing() != 0 && pool.rests_until <= now) {
      if (connections_.size() >= config_.connections_max) {
        pool.rests_until = now + PreparedPools::kRest;
        break;
      }
      Connection& connection = make_connection({}, pool.from, pool.to,
                                               {pool.service.resources, {}, pool.service.contract});
      connection.more().pool = number;
      ++pool.under_way;
      find_route(connection, now);
    }
  }
}

// What became of a connection that nobody asked for.
void ConnectionManager::prepared_answered(Connection& connection, OutcomeKind kind, TimePoint now) {
  PreparedPool& pool = pools_.at(connection.extras->pool);
  if (kind == OutcomeKind::kConnected) {
    --pool.under_way;
    pool.ready.push_back({connection.id, now});
  } else if (kind == OutcomeKind::kRefused) {
    --pool.under_way;
    pool.rests_until = now + PreparedPools::kRest;
  }
}

bool ConnectionManager::take_prepared(Asker asker, const ConnectRequest& request,
                                      const RequestTimes& times, const Contract& contract,
                                      TimePoint now) {
  if (pools_.empty() || request.reverse || request.hold_ms != 0) return false;
  const std::uint32_t number =
      pools_.find(request.from, request.to, {contract.forward, contract.traffic});
  if (number == 0) return false;
  PreparedPool& pool = pools_.at(number);
  if (pool.ready.empty()) {
    ++pool.misses;
    return false;
  }
  ++pool.hits;
  Connection& connection = connections_.at(pool.ready.front().connection);
  pool.ready.pop_front();
  connection.asker = asker;
  connection.times = times_.open_setup(times, now);
  connection.extras->alias = new_id();
  aliases_.insert(connection.extras->alias, connection.id);
  clients_.owns(asker.client, +1);
  happen(connection, Event::kTaken, now);
  return true;
}

bool ConnectionManager::return_prepared(Connection& connection, TimePoint now) {
  if (connection.state != State::kConnected || !connection.extras) return false;
  if (connection.extras->pool == 0) return false;
  if (connection.party() != nullptr || astray_.contains(connection.id)) return false;
  PreparedPool& pool = pools_.at(connection.extras->pool);
  if (pool.missing() == 0) return false;
  const Asker owner = *connection.asker;
  happen(connection, Event::kReturned, now);
  aliases_.erase(std::exchange(connection.extras->alias, ConnectionId{}));
  connection.asker.reset();
  clients_.owns(owner.client, -1);
  pool.ready.push_back({connection.id, now});
  return true;
}

}  // namespace xbind::cmgr
