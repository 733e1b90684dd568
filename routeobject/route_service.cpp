#include "routeobject/route_service.hpp"

#include <utility>

#include "core/check.hpp"

namespace xbind {

RouteService::RouteService(Topology topology, std::uint32_t validity_ms)
    : validity_ms_(validity_ms), current_(std::make_shared<const Snapshot>(std::move(topology))) {
  XB_CHECK(validity_ms >= 1 && validity_ms <= kRouteValidityMsMax, validity_ms);
}

std::shared_ptr<const RouteService::Snapshot> RouteService::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

Result<RouteAnswers> RouteService::answer(std::span<const RouteQuery> queries) const {
  if (queries.size() > kRouteQueriesMax) {
    return fail(ErrorCode::kBadInput, "{} queries in one batch, the most is {}", queries.size(),
                kRouteQueriesMax);
  }
  for (const RouteQuery& query : queries) {
    if (query.avoid.size() > kRouteAvoidMax) {
      return fail(ErrorCode::kBadInput, "{} elements to avoid from '{}' to '{}', the most is {}",
                  query.avoid.size(), query.from, query.to, kRouteAvoidMax);
    }
  }
  const std::shared_ptr<const Snapshot> snapshot = current();
  RouteAnswers answers;
  answers.topology_version = snapshot->version;
  answers.validity_ms = validity_ms_;
  answers.answers.reserve(queries.size());
  for (const RouteQuery& query : queries) {
    answers.answers.push_back(
        snapshot->search.find(query.from, query.to, query.cells_per_s, query.avoid));
  }
  return answers;
}

std::uint64_t RouteService::replace(Topology topology) {
  auto next = std::make_shared<Snapshot>(std::move(topology));  // outside the lock: it takes time
  const std::lock_guard lock(mutex_);
  next->version = current_->version + 1;
  current_ = std::move(next);
  return current_->version;
}

std::uint64_t RouteService::version() const { return current()->version; }

std::shared_ptr<const Topology> RouteService::topology() const {
  auto snapshot = current();
  return {snapshot, &snapshot->topology};
}

}  // namespace xbind
