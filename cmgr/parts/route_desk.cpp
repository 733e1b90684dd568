#include "cmgr/parts/route_desk.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/name_hash.hpp"

namespace xbind::cmgr {

std::size_t RouteDesk::QueryHash::operator()(const RouteQuery& query) const {
  std::uint64_t sum = mix_hash(name_hash(query.from, query.to) ^ query.cells_per_s);
  for (const PathElement& element : query.avoid) {
    sum = mix_hash(sum ^ name_hash(element.switch_name) ^ element.output_port.value());
  }
  return sum;
}

// ===== routes that serve at once =====

const RouteDesk::Route& RouteDesk::at_hand(const RouteNeed& need, TimePoint now) {
  const Route& valid = cache_.find(need, now);
  if (valid || !config_.route_cache) return valid;
  if (const Route& expired = expired_path(need)) {
    ++counters_.routes_expired;
    refresh(need, now);
    return expired;
  }
  if (!silent(now)) return valid;
  const Route& here = path_found_here(need, now);
  if (here) refresh(need, now);
  return here;
}

const RouteDesk::Route& RouteDesk::after_silence(const RouteNeed& need, TimePoint now) {
  const Route& valid = cache_.find(need, now);
  if (valid || !config_.route_cache) return valid;
  if (const Route& expired = expired_path(need)) return expired;
  if (const Route& here = path_found_here(need, now)) return here;
  // An expired refusal, because the question has no other answer.
  return cache_.find(need, now, true);
}

const RouteDesk::Route& RouteDesk::expired_path(const RouteNeed& need) {
  return cache_.expired_path(need, [this](const RouteReply& route) { return network_.has(route); });
}

void RouteDesk::set_network(const std::vector<NetworkLink>& links,
                            const std::vector<NetworkEnd>& ends) {
  network_.set(links, ends);
  cache_.doubt_paths([this](const RouteReply& route) { return network_.has(route); });
}

// The path is cached as one that has expired: RouteObject is asked about it with each use.
const RouteDesk::Route& RouteDesk::path_found_here(const RouteNeed& need, TimePoint now) {
  auto path = network_.path(need);
  RouteReply reply;
  if (path) {
    reply.query = {std::string{need.from}, std::string{need.to}, need.cells_per_s, need.avoid};
    reply.path = std::move(*path);
    resolve_switches(reply);
    if (reply.cause == Cause::kNone) {
      ++counters_.routes_found_here;
      cache_.store(std::make_shared<const RouteReply>(std::move(reply)), now, now);
    }
  }
  return expired_path(need);
}

// ===== queries =====

void RouteDesk::refresh(const RouteNeed& need, TimePoint now) {
  // While RouteObject is silent, one open query is enough to notice that it answers again.
  const bool pause =
      away_ ? now < ask_again_at_ || open_ + queries_.size() != 0 : silent(now) && open_ != 0;
  if (pause || open_ + queries_.size() >= kQueriesMax) return;
  RouteQuery query{std::string{need.from}, std::string{need.to}, need.cells_per_s, need.avoid};
  if (waiting_.try_emplace(query).second) queries_.push_back(std::move(query));
}

void RouteDesk::ask(ConnectionId waits, const RouteNeed& need, TimePoint now) {
  const bool quiet = silent(now);
  RouteQuery query{std::string{need.from}, std::string{need.to}, need.cells_per_s, need.avoid};
  const bool full = quiet && open_ + queries_.size() >= kQueriesMax;
  if (full && !waiting_.contains(query)) return;
  const auto [waiting, fresh] = waiting_.try_emplace(query);
  waiting->second.push_back(waits);
  if (!quiet) served_ = false;
  // Without a cache every call sends its own query.
  if (fresh || !config_.route_cache) queries_.push_back(std::move(query));
}

void RouteDesk::forget(ConnectionId waits, const RouteNeed& need) {
  // Without a cache there is one query for each connection, and their answers are counted.
  if (!config_.route_cache) return;
  const auto waiting =
      waiting_.find({std::string{need.from}, std::string{need.to}, need.cells_per_s, need.avoid});
  if (waiting != waiting_.end()) std::erase(waiting->second, waits);
}

void RouteDesk::tick(TimePoint now, const Found& found) {
  if (now < next_deadline()) return;
  serve_waiting(now, found);
}

void RouteDesk::serve_waiting(TimePoint now, const Found& found) {
  served_ = true;
  std::vector<std::pair<Route, std::vector<ConnectionId>>> served;
  for (auto& [query, connections] : waiting_) {
    if (connections.empty()) continue;
    if (const Route& route = after_silence(query, now)) {
      served.emplace_back(route, std::exchange(connections, {}));
    }
  }
  for (const auto& [route, connections] : served) {
    for (const ConnectionId id : connections) found(id, *route);
  }
}

TimePoint RouteDesk::next_deadline() const {
  return served_ || away_ || open_ == 0 ? kNever : quiet_since_ + kSilence;
}

std::vector<ConnectionId> RouteDesk::take_waiting(const RouteQuery& query) {
  std::vector<ConnectionId> asked;
  const auto waiting = waiting_.find(query);
  if (waiting == waiting_.end()) return asked;
  if (config_.route_cache) {
    asked = std::move(waiting->second);
  } else {
    asked.push_back(waiting->second.front());
    waiting->second.erase(waiting->second.begin());
  }
  if (config_.route_cache || waiting->second.empty()) waiting_.erase(waiting);
  return asked;
}

void RouteDesk::answered(RouteReply&& reply, Duration validity, TimePoint now, const Found& found) {
  open_ -= std::min<std::size_t>(open_, 1);
  quiet_since_ = now;
  const bool was_away = std::exchange(away_, reply.cause == Cause::kNoRouteObject);
  if (away_) {
    ask_again_at_ = now + kAskAgain;
  } else {
    served_ = false;  // tick() looks at these calls if RouteObject stays silent
  }
  if (reply.cause == Cause::kNone) resolve_switches(reply);
  const std::vector<ConnectionId> asked = take_waiting(reply.query);
  auto answer = std::make_shared<const RouteReply>(std::move(reply));
  if (answer->cause == Cause::kNoRouteObject) {
    // An expired route is better than none, because the switches decide anyway.
    if (!asked.empty()) {
      if (const Route& other = after_silence(answer->query, now)) answer = other;
    }
  } else {
    if (answer->cause == Cause::kNone) network_.learn(*answer);
    cache_.store(answer, now + validity, now);
  }
  for (const ConnectionId id : asked) found(id, *answer);
  if (away_ && !was_away) serve_waiting(now, found);
}

// RouteObject is another process, so its path is checked: an unusable path counts as no path.
void RouteDesk::resolve_switches(RouteReply& reply) {
  if (reply.path.hops.empty() || reply.path.hops.size() > kHopsPerPath) {
    log::routes.warn("routeobject returned a path of {} hops from {} to {}", reply.path.hops.size(),
                     reply.query.from, reply.query.to);
    reply.cause = Cause::kNoRoute;
    reply.element = "routeobject";
    return;
  }
  for (const PathHop& hop : reply.path.hops) {
    if (const auto named = check_name("switch", hop.switch_name); !named) {
      log::routes.warn("routeobject returned a path with an invalid switch name: {}",
                       named.error().text);
      reply.cause = Cause::kNoRoute;
      reply.element = "routeobject";
      return;
    }
    const auto known = switches_.index_of(hop.switch_name);
    if (!known) {
      log::routes.warn("a path leads over an unknown switch: {}", known.error().text);
      reply.cause = Cause::kNoRoute;
      reply.element = hop.switch_name;
      return;
    }
    reply.at.push_back(*known);
  }
}

void RouteDesk::flush(TimePoint now) {
  if (queries_.empty()) return;
  if (open_ == 0) quiet_since_ = now;
  open_ += queries_.size();
  counters_.route_queries += queries_.size();
  peers_.ask_routes(std::exchange(queries_, {}));
}

}  // namespace xbind::cmgr
