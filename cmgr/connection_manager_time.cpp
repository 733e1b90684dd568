// ConnectionManager: the timers of requests, connections and holds.
#include <algorithm>
#include <utility>

#include "cmgr/connection_manager.hpp"

namespace xbind::cmgr {

void ConnectionManager::tick(TimePoint now) {
  clients_.tick(now);
  for (const SwitchIndex at : switches_.tick(now)) {
    abandon_switch(at, now);
    peers_.attach_switch(switches_.name(at));
  }
  expire(routing_, now);
  expire(setting_up_, now);
  expire(removing_, now);
  expire(lingering_, now);
  while (!holds_.empty() && holds_.begin()->first <= now) {
    const ConnectionId id = holds_.begin()->second;
    holds_.erase(holds_.begin());
    ++counters_.holds_expired;
    constexpr std::size_t kExpiredHolds = 10'000;
    expired_holds_.insert(id);
    expired_order_.push_back(id);
    if (expired_order_.size() > kExpiredHolds) {
      expired_holds_.erase(expired_order_.front());
      expired_order_.pop_front();
    }
    happen(connections_.at(id), Event::kTimeout, now);
  }
  while (!parked_.empty() && parked_.front().deadline <= now) {
    const Request late = std::move(parked_.front().request);
    for (const auto& [service, network] : parked_.front().services) asked_services_.erase(service);
    parked_.pop_front();
    refuse_request({late.client, late.id()}, late.connection(), {Cause::kNoQosMapper, "qosmapper"});
  }
  retry_reroutes(now);
  pump(now);
}

void ConnectionManager::arm(Connection& connection, TimePoint now) {
  connection.unlink();
  if (connection.extras && connection.extras->held_until != kNever &&
      connection.state != State::kHeld) {
    holds_.erase({connection.extras->held_until, connection.id});
    connection.extras->held_until = kNever;
  }
  switch (connection.state) {
    case State::kRouting:
      connection.deadline = now + config_.route_timer;
      routing_.push_back(connection);
      break;
    case State::kReserving:
    case State::kCommitting:
    case State::kSwitchingOver:
    case State::kModifying:
    case State::kLowering:
    case State::kRestoring:
      connection.deadline = now + config_.hop_timer;
      setting_up_.push_back(connection);
      break;
    case State::kUndoing:
    case State::kReleasing:
      connection.deadline = now + config_.undo_timer;
      removing_.push_back(connection);
      break;
    case State::kLingering:
      connection.deadline = now + config_.break_delay;
      lingering_.push_back(connection);
      break;
    case State::kHeld:
      connection.deadline = kNever;
      connection.more().held_until = now + connection.more().hold;
      holds_.emplace(connection.more().held_until, connection.id);
      break;
    case State::kConnected:
    case State::kGone: connection.deadline = kNever; break;
  }
}

void ConnectionManager::expire(TimerList& list, TimePoint now) {
  while (!list.empty() && list.front().deadline <= now) {
    Connection& connection = list.front();
    if (connection.state == State::kRouting) {
      if (const auto& stale = routes_.find(need_of(connection), now, true)) {
        start_path(connection, *stale, now);
        continue;
      }
      if (connection.refusal().cause == Cause::kNone) {
        connection.refuse({Cause::kNoRouteObject, "routeobject"});
      }
    } else if (&list == &setting_up_) {
      plan_next_try(connection, nullptr, nullptr);
      connection.refuse({Cause::kTimeout, unanswered(connection)});
      if (connection.state == State::kModifying) {
        connection.more().change_refusal = connection.refusal();
      }
    } else if (connection.reroute() != nullptr && connection.reroute()->leading_back) {
      lead_back_again(connection, now);
      continue;
    } else if (connection.state == State::kUndoing && connection.extras &&
               std::exchange(connection.extras->try_next, false)) {
      happen(connection, Event::kTimeoutTryNext, now);
      continue;
    }
    happen(connection, Event::kTimeout, now);
  }
}

std::string ConnectionManager::unanswered(const Connection& connection) const {
  for (const Hop& hop : connection.hops) {
    if (hop.state == HopState::kReserving || hop.state == HopState::kCommitting ||
        hop.state == HopState::kChanging) {
      return switches_.name(hop.at);
    }
  }
  return "manager";
}

TimePoint ConnectionManager::next_deadline() const {
  TimePoint due = std::min({clients_.next_deadline(), switches_.next_deadline(),
                            gate_.next_deadline(), pools_.next_deadline()});
  for (const TimerList* list : {&routing_, &setting_up_, &removing_, &lingering_}) {
    if (!list->empty()) due = std::min(due, list->front().deadline);
  }
  due = std::min(due, reroute_retry_at_);
  if (!holds_.empty()) due = std::min(due, holds_.begin()->first);
  if (!parked_.empty()) due = std::min(due, parked_.front().deadline);
  return due;
}

}  // namespace xbind::cmgr
