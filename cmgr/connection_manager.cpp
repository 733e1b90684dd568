#include "cmgr/connection_manager.hpp"

#include <algorithm>
#include <utility>

#include "cmgr/procedures/claims.hpp"
#include "cmgr/procedures/forced_end.hpp"
#include "cmgr/procedures/procedure.hpp"

namespace xbind::cmgr {
namespace {

void route_found(const Context& context, ConnectionId id, const RouteReply& answer, TimePoint now) {
  // The path may use switches that this manager sees for the first time.
  context.paths.resolve_new_switches();
  Connection* const waits = context.connections.find(id);
  if (waits == nullptr || waits->procedure == nullptr) return;
  if (!waits->procedure->waits_for_route()) return;
  waits->procedure->route_answered(answer, now);
}

}  // namespace

ConnectionManager::ConnectionManager(Config config, Peers& peers)
    : config_(std::move(config)),
      tally_{{}, {}, CallTraces(config_.traces)},
      clients_(config_, peers, times_),
      switches_(config_, peers, times_, tally_.traces),
      outcomes_(config_, peers, clients_, switches_, tally_.counters, log_),
      sender_(config_, clients_, switches_),
      routes_(config_, peers, switches_, tally_.counters),
      timers_(config_),
      context_{config_,  tally_.counters, tally_.occurrences, times_,   tally_.traces, log_,
               clients_, switches_,       connections_,       timers_,  sender_,       outcomes_,
               routes_,  paths_,          prepared_,          recovery_},
      connections_(config_.epoch),
      paths_(context_),
      prepared_(context_),
      recovery_(context_),
      network_(context_),
      requests_(context_, peers),
      answers_(context_, peers) {}

ConnectionManager::~ConnectionManager() = default;

void ConnectionManager::on_requests(SessionId session, session::Frame<RequestBatch> frame,
                                    TimePoint now) {
  tally_.traces.at(now);
  std::vector<std::shared_ptr<const RequestBatch>> batches;
  const auto client = clients_.receive(session, std::move(frame), now, batches);
  if (!client) return;
  for (const auto& batch : batches) requests_.on_batch(*client, *batch, now);
}

std::vector<HopClaims> ConnectionManager::claims_at(const std::string& switch_name, TimePoint now,
                                                    std::size_t per_page) const {
  const auto at = switches_.find(switch_name);
  if (!at) return {HopClaims{{}, {}, {}, true, true}};
  return cmgr::claims_at(context_, *at, now, per_page);
}

void ConnectionManager::on_routes(std::vector<RouteReply> replies, Duration validity,
                                  TimePoint now) {
  tally_.traces.at(now);
  for (RouteReply& reply : replies) {
    routes_.answered(
        std::move(reply), validity, now,
        [&](ConnectionId id, const RouteReply& answer) { route_found(context_, id, answer, now); });
  }
}

void ConnectionManager::tick(TimePoint now) {
  tally_.traces.at(now);
  clients_.tick(now);
  answers_.tick(now);
  timers_.expire(
      now, [&](TimerHook& hook) { static_cast<Procedure&>(hook).timed_out(now); },
      [&](ConnectionId held) { connections_.at(held).procedure->timed_out(now); });
  end_stuck(context_, now);
  requests_.tick(now);
  paths_.tick(now);
  network_.tick(now);
  routes_.tick(now, [&](ConnectionId id, const RouteReply& route) {
    route_found(context_, id, route, now);
  });
  requests_.pump(now);
  // A request that has waited may owe removals, which are due at once.
  if (switches_.next_deadline() <= now) answers_.tick(now);
}

TimePoint ConnectionManager::next_deadline() const {
  return std::min({clients_.next_deadline(), switches_.next_deadline(), requests_.next_deadline(),
                   prepared_.pools().next_deadline(), timers_.next_deadline(),
                   paths_.next_deadline(), network_.next_deadline(), routes_.next_deadline()});
}

void ConnectionManager::finish_step(TimePoint now) {
  tally_.traces.at(now);
  requests_.pump(now);
  paths_.finish_step(now);
  if (!prepared_.pools().empty()) prepared_.fill(now);
  switches_.queues().flush(now);
  clients_.flush(now);
  routes_.flush(now);
  requests_.flush();
  timers_.watch(now);
  log_.stamp(now);
}

ConnectionManager::ForcedEnd ConnectionManager::end_by_force(ConnectionId id, TimePoint now) {
  tally_.traces.at(now);
  const Connection* const found = connections_.find_shown(id);
  if (found == nullptr) return {};
  const std::size_t owed = switches_.debts().owed();
  ForcedEnd end{.stood = true};
  end.stands = cmgr::end_by_force(context_, found->id, now);
  end.owed = switches_.debts().owed() - std::min(owed, switches_.debts().owed());
  return end;
}

Result<void> ConnectionManager::set_aggregation(const Aggregation& settings, TimePoint now) {
  Aggregation wanted = settings;
  // Settings that the caller left out stay: the regions and the bound of batches in flight.
  if (wanted.regions.empty()) wanted.regions = switches_.queues().aggregation().settings().regions;
  if (auto set = switches_.queues().aggregation().set(std::move(wanted)); !set) return set;
  switches_.queues().flush(now);
  return {};
}

Result<void> ConnectionManager::change_settings(const Config& wanted, TimePoint now) {
  if (wanted.aggregation != config_.aggregation) {
    if (auto set = set_aggregation(wanted.aggregation, now); !set) return set;
  }
  timers_.change(wanted);
  requests_.change_route_timer(wanted.route_timer);
  take_live_settings(config_, wanted);
  outcomes_.gate().change(config_.operations_at_once, config_.queue_timer);
  switches_.caches().change_sizes();
  requests_.pump(now);  // there may be more room
  return {};
}

}  // namespace xbind::cmgr
