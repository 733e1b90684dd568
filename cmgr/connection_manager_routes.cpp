// ConnectionManager: routes are asked for, and others when one has refused (crankback).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cmgr/connection_manager.hpp"
#include "core/log.hpp"
#include "core/name.hpp"

namespace xbind::cmgr {
namespace {

// Whether another route may do what this one could not.
bool worth_another_try(Cause cause) {
  switch (cause) {
    case Cause::kNoBandwidth:
    case Cause::kNoBuffer:
    case Cause::kNoLabel:
    case Cause::kOverShare:
    case Cause::kUnknownPort:
    case Cause::kSwitchRefused:
    case Cause::kSwitchUnreachable:
    case Cause::kTimeout: return true;
    default: return false;
  }
}

// Whether the same route may do it with other labels: these had lapsed, or were not free yet.
bool worth_other_labels(Cause cause) {
  return cause == Cause::kLabelNotHeld || cause == Cause::kForeignInputLabel;
}

}  // namespace

RouteNeed ConnectionManager::need_of(const Connection& connection) {
  return {connection.ends->from, connection.ends->to, connection.most_cells_per_s(),
          connection.extras ? connection.extras->avoid : kNothingAvoided};
}

void ConnectionManager::find_route(Connection& connection, TimePoint now) {
  const RouteNeed need = need_of(connection);
  if (const auto& route = routes_.find(need, now)) {
    start_path(connection, *route, now);
    return;
  }
  arm(connection, now);
  RouteQuery query{std::string{need.from}, std::string{need.to}, need.cells_per_s, need.avoid};
  auto& waiting = waiting_for_route_[query];
  waiting.push_back(connection.id);
  // Without a cache every call asks for itself.
  if (waiting.size() == 1 || !config_.route_cache) queries_.push_back(std::move(query));
}

void ConnectionManager::on_routes(std::vector<RouteReply> replies, Duration validity,
                                  TimePoint now) {
  for (RouteReply& reply : replies) {
    if (reply.cause == Cause::kNone) resolve_switches(reply);
    std::vector<ConnectionId> asked;
    if (const auto waiting = waiting_for_route_.find(reply.query);
        waiting != waiting_for_route_.end()) {
      if (config_.route_cache) {
        asked = std::move(waiting->second);
      } else {
        asked.push_back(waiting->second.front());
        waiting->second.erase(waiting->second.begin());
      }
      if (config_.route_cache || waiting->second.empty()) waiting_for_route_.erase(waiting);
    }
    auto answer = std::make_shared<const RouteReply>(std::move(reply));
    if (answer->cause == Cause::kNoRouteObject) {
      // Better the last route known than none: the switches decide anyway.
      if (const auto& stale = routes_.find(answer->query, now, true)) answer = stale;
    } else {
      routes_.store(answer, now + validity, now);
    }
    for (const ConnectionId id : asked) {
      Connection* waits = connections_.find(id);
      if (waits == nullptr) continue;
      if (waits->state != State::kRouting) waits = waits->party();
      if (waits == nullptr || waits->state != State::kRouting) continue;
      start_path(*waits, *answer, now);
    }
  }
}

// RouteObject is another process: a path that cannot be used is no path.
void ConnectionManager::resolve_switches(RouteReply& reply) {
  if (reply.path.hops.empty() || reply.path.hops.size() > kHopsPerPath) {
    log::warn("routeobject names a path of {} hops from {} to {}", reply.path.hops.size(),
              reply.query.from, reply.query.to);
    reply.cause = Cause::kNoRoute;
    reply.element = "routeobject";
    return;
  }
  for (const PathHop& hop : reply.path.hops) {
    if (const auto named = check_name("switch", hop.switch_name); !named) {
      log::warn("routeobject names a path with what is none: {}", named.error().text);
      reply.cause = Cause::kNoRoute;
      reply.element = "routeobject";
      return;
    }
    if (!switches_.find(hop.switch_name) && switches_.size() >= SwitchDesk::kSwitches) {
      log::warn("routeobject names {}, but {} switches are known already", hop.switch_name,
                switches_.size());
      reply.cause = Cause::kNoRoute;
      reply.element = hop.switch_name;
      return;
    }
    reply.at.push_back(switches_.index_of(hop.switch_name));
  }
  if (switches_.size() != switches_resolved_) resolve_unusable();
}

// ===== crankback =====

// The next route is to do without this link, or switch. False: enough has been tried.
bool ConnectionManager::avoid(Connection& connection, SwitchIndex at, PortId output_port) {
  const std::uint32_t tries = connection.extras ? connection.extras->tries : 0;
  if (tries >= config_.crankbacks) return false;
  ConnectionExtras& extras = connection.more();
  if (extras.avoid.size() >= kAvoidMax) return false;
  extras.avoid.push_back({switches_.name(at), output_port});
  std::sort(extras.avoid.begin(), extras.avoid.end());
  return true;
}

// A hop has refused, or (null) did not answer in time: whether there may be a route without it.
void ConnectionManager::plan_next_try(Connection& connection, const Hop* hop,
                                      const HopResult* result) {
  if (connection.state != State::kReserving && connection.state != State::kCommitting &&
      connection.state != State::kSwitchingOver) {
    return;
  }
  // The commit of a hold has its route.
  if (connection.extras && connection.extras->changer) return;
  const std::uint32_t tries = connection.extras ? connection.extras->tries : 0;
  if (tries >= config_.crankbacks) return;
  if (hop == nullptr) {
    const auto silent =
        std::find_if(connection.hops.begin(), connection.hops.end(), [](const Hop& it) {
          return it.state == HopState::kReserving || it.state == HopState::kCommitting;
        });
    if (silent == connection.hops.end()) return;
    hop = &*silent;
  }
  const Cause cause = result == nullptr ? Cause::kTimeout : result->cause;
  bool possible = worth_other_labels(cause);
  if (worth_another_try(cause)) {
    const bool reverse = hop->leg == 1;
    const bool first = hop->number == 0 && !hop->branch;
    const PortId port = result == nullptr ? PortId{} : result->port;
    if (port == hop->output_port || (port.value() == 0 && cause == Cause::kSwitchRefused)) {
      // The link that it leads into; the last hop's is the endpoint's own.
      if (hop->last()) return;
      // The other direction's link is known by the port at its far end.
      const auto next = static_cast<std::size_t>(hop - connection.hops.data()) + 1;
      if (reverse && (next == connection.hops.size() ||
                      connection.hops[next].upstream != static_cast<std::int16_t>(next - 1))) {
        return;  // of another path: the rest is as it was
      }
      const Hop& owner = reverse ? connection.hops[next] : *hop;
      possible = avoid(connection, owner.at, reverse ? owner.input_port : hop->output_port);
    } else if (port.value() == 0) {
      if (first || hop->last()) return;  // every route passes there
      possible = avoid(connection, hop->at, PortId{});
    }
  }
  if (!possible) return;
  ConnectionExtras& extras = connection.more();
  ++extras.tries;
  ++counters_.crankbacks;
  extras.try_next = true;
}

}  // namespace xbind::cmgr
