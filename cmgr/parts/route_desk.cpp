#include "cmgr/parts/route_desk.hpp"

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

void RouteDesk::ask(ConnectionId waits, const RouteNeed& need) {
  RouteQuery query{std::string{need.from}, std::string{need.to}, need.cells_per_s, need.avoid};
  auto& waiting = waiting_[query];
  waiting.push_back(waits);
  // Without a cache every call sends its own query.
  if (waiting.size() == 1 || !config_.route_cache) queries_.push_back(std::move(query));
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

void RouteDesk::answered(RouteReply&& reply, Duration validity, TimePoint now,
                         const std::function<void(ConnectionId, const RouteReply&)>& found) {
  if (reply.cause == Cause::kNone) resolve_switches(reply);
  const std::vector<ConnectionId> asked = take_waiting(reply.query);
  auto answer = std::make_shared<const RouteReply>(std::move(reply));
  if (answer->cause == Cause::kNoRouteObject) {
    // An expired route is better than none, because the switches decide anyway.
    if (const auto& stale = cache_.find(answer->query, now, true)) answer = stale;
  } else {
    cache_.store(answer, now + validity, now);
  }
  for (const ConnectionId id : asked) found(id, *answer);
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

void RouteDesk::flush() {
  if (queries_.empty()) return;
  counters_.route_queries += queries_.size();
  peers_.ask_routes(std::exchange(queries_, {}));
}

}  // namespace xbind::cmgr
