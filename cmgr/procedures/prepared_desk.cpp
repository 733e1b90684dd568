#include "cmgr/procedures/prepared_desk.hpp"

#include <algorithm>

#include "cmgr/parts/outcomes.hpp"
#include "cmgr/parts/service.hpp"
#include "cmgr/procedures/path_watch.hpp"
#include "cmgr/procedures/recovery.hpp"
#include "cmgr/procedures/setup.hpp"
#include "cmgr/procedures/start.hpp"
#include "core/name.hpp"
#include "core/planted.hpp"

namespace xbind::cmgr {
namespace {

// The first hop, and the first one that leads to a destination.
template <class Visitor>
void for_each_told(const Connection& connection, Visitor&& visit) {
  const Hops& hops = connection.hops();
  const Hop& first = hops.front();
  visit(first);
  const auto last =
      std::find_if(hops.begin(), hops.end(), [](const Hop& hop) { return hop.last(); });
  if (last != hops.end() && &*last != &first) visit(*last);
}

}  // namespace

Result<NetworkService> PreparedDesk::prepare(const std::string& from, const std::string& to,
                                             const ServiceSpec& service, std::size_t count,
                                             TimePoint now) {
  const auto mapped = network_of(service, *context_.config.catalogue);
  if (!mapped) {
    return fail(ErrorCode::kBadInput, "{}: {}", to_string(mapped.error().cause),
                mapped.error().reason);
  }
  if (const auto prepared = prepare_mapped(from, to, *mapped, count, now); !prepared) {
    return tl::make_unexpected(prepared.error());
  }
  return *mapped;
}

Result<void> PreparedDesk::prepare_mapped(const std::string& from, const std::string& to,
                                          const NetworkService& service, std::size_t count,
                                          TimePoint now) {
  if (count > PreparedPools::kWantedMax) {
    return fail(ErrorCode::kBadInput, "{} connections to prepare, at most {}", count,
                PreparedPools::kWantedMax);
  }
  for (const std::string& end : {from, to}) {
    if (const auto named = check_name("endpoint", end); !named) return named;
  }
  std::uint32_t number = pools_.find(from, to, service);
  if (number == 0) {
    if (count == 0) return {};
    number = ended_pool();
    if (number == 0 && pools_.size() >= context_.config.pools_max) {
      return fail(ErrorCode::kExhausted, "pools: {} are there already, at most {}", pools_.size(),
                  context_.config.pools_max);
    }
    if (number == 0) {
      number = pools_.add(from, to, service);
    } else {
      pools_.at(number) = {from, to, service};
    }
  }
  pools_.at(number).wanted = count;
  fill(now);
  return {};
}

std::uint32_t PreparedDesk::ended_pool() const {
  std::uint32_t number = 0;
  for (const PreparedPool& pool : pools_.all()) {
    ++number;
    if (pool.wanted == 0 && context_.connections.members_of(number) == 0) return number;
  }
  return 0;
}

void PreparedDesk::fill(TimePoint now) {
  std::uint32_t number = 0;
  for (PreparedPool& pool : pools_.all()) {
    ++number;
    // There may be too many after setups that were under way when the count was lowered.
    while (pool.ready.size() > pool.wanted) {
      const ConnectionId id = pool.ready.back().connection;
      pool.ready.pop_back();
      start_release(context_, context_.connections.at(id), {}, kNotTimed, now);
    }
    if (pool.rests_until > now) continue;
    if (context_.recovery.rebuilding()) {
      pool.rests_until = now + PreparedPools::kRest;
      continue;
    }
    // A setup that cannot be routed now is answered within this loop, and the pool then rests.
    while (pool.missing() != 0 && pool.rests_until <= now) {
      if (context_.connections.size() >= context_.config.connections_max) {
        pool.rests_until = now + PreparedPools::kRest;
        break;
      }
      Connection& connection =
          context_.connections.open({{},
                                     pool.from,
                                     pool.to,
                                     {pool.service.resources, {}, pool.service.contract},
                                     false,
                                     number});
      ++pool.under_way;
      begin<Setup>(context_, connection, kNotTimed).start(now);
    }
  }
}

bool PreparedDesk::take(const Asker& asker, const ConnectRequest& request,
                        const RequestTimes& times, const Contract& contract, TimePoint now) {
  if (pools_.empty() || request.reverse || request.hold_ms != 0) return false;
  if (request.from_frames || request.to_frames) return false;  // has other labels at its ends
  const std::uint32_t number =
      pools_.find(request.from, request.to, {contract.forward, contract.traffic});
  if (number == 0) return false;
  PreparedPool& pool = pools_.at(number);
  if (pool.ready.empty()) {
    ++pool.misses;
    return false;
  }
  ++pool.hits;
  Connection& connection = context_.connections.at(pool.ready.front().connection);
  pool.ready.pop_front();
  context_.connections.assign(connection, asker);
  context_.clients.owns(asker.client, +1);
  tell_owner(connection, now);
  const TimesIndex timed = context_.times.open_setup(times, now);
  context_.times.answered(timed, now);
  if (context_.traces.samples(connection.id, asker.client == ClientDesk::kLocal)) {
    connection.traced = true;
    context_.traces.whole(connection, "setup", context_.times, timed);
  }
  context_.outcomes.tell(asker, connected_outcome(connection), connection.ends.get(), timed);
  context_.paths.look(connection);
  return true;
}

bool PreparedDesk::give_back(Connection& connection, const Asker& releaser, TimesIndex times,
                             TimePoint now) {
  if (!connection.rests() || connection.pool() == 0 || context_.paths.is_astray(connection)) {
    return false;
  }
  PreparedPool& pool = pools_.at(connection.pool());
  if (pool.missing() == 0) return false;
  Outcome outcome;
  outcome.kind = OutcomeKind::kReleased;
  outcome.connection = connection.shown_id();
  context_.times.answered(times, now);
  if (connection.traced) context_.traces.whole(connection, "release", context_.times, times);
  context_.outcomes.tell(releaser, std::move(outcome), connection.ends.get(), times);
  context_.clients.owns(releaser.client, -1);
  const Asker owner = *connection.asker();
  context_.connections.hand_back(connection);
  context_.clients.owns(owner.client, -1);
  tell_owner(connection, now);
  pool.ready.push_back({connection.id, now});
  return true;
}

void PreparedDesk::found(Connection& connection, TimePoint now) {
  const std::uint32_t number = connection.pool();
  if (number == 0 || pools_.at(number).ready.size() >= pools_.at(number).wanted) {
    start_release(context_, connection, {}, kNotTimed, now);
    return;
  }
  pools_.at(number).ready.push_back({connection.id, now});  // fill() releases what is too many
}

std::optional<HopHandover> PreparedDesk::handover_of(const Connection& connection) const {
  if (connection.pool() == 0 && connection.shown_id() == connection.id) return std::nullopt;
  const Asker asker = connection.asker().value_or(Asker{});
  HopHandover handover{{context_.clients.name(asker.client), context_.clients.epoch(asker.client),
                        connection.ends->from, connection.ends->to},
                       asker.request,
                       {}};
  if (connection.asker()) handover.shown_id = connection.shown_id();
  return handover;
}

PreparedDesk::ToldHops PreparedDesk::told_hops(const Connection& connection) {
  ToldHops told;
  for_each_told(connection, [&](const Hop& hop) { told.push_back(key_of(connection, hop)); });
  return told;
}

std::optional<HopHandover> PreparedDesk::handover_for(const Connection& connection,
                                                      const Hop& hop) const {
  std::optional<HopHandover> handover = handover_of(connection);
  bool told = false;
  if (handover) for_each_told(connection, [&](const Hop& one) { told = told || &one == &hop; });
  return told ? std::move(handover) : std::nullopt;
}

void PreparedDesk::tell_owner(Connection& connection, TimePoint now) {
  const auto handover = handover_of(connection);
  if (!handover || planted(Bug::kHandoverNotTold)) return;
  const Contract contract = connection.contract();
  const std::uint32_t revision = context_.connections.next_revision(connection);
  for_each_told(connection, [&](const Hop& hop) {
    context_.switches.debts().owe_change_at_once(
        hop.at,
        {key_of(connection, hop), revision, contract.of_leg(hop.leg),
         contract.traffic_of_leg(hop.leg), handover},
        now);
  });
}

void PreparedDesk::connected(Connection& connection, TimePoint now) {
  PreparedPool& pool = pools_.at(connection.pool());
  --pool.under_way;
  pool.ready.push_back({connection.id, now});
}

void PreparedDesk::refused(Connection& connection, TimePoint now) {
  PreparedPool& pool = pools_.at(connection.pool());
  --pool.under_way;
  pool.rests_until = now + PreparedPools::kRest;
}

void PreparedDesk::drop(Connection& connection) {
  if (connection.pool() != 0) pools_.at(connection.pool()).drop(connection.id);
}

}  // namespace xbind::cmgr
