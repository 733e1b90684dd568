#include "routeobject/watch_list.hpp"

#include <algorithm>

#include "core/name.hpp"

namespace xbind {

Result<std::uint64_t> WatchList::watch(std::string_view name, TimePoint now) {
  if (const auto named = check_name("watcher", name); !named) {
    return tl::make_unexpected(named.error());
  }
  const auto known = watchers_.find(name);
  if (known == watchers_.end() && watchers_.size() == kWatchersMax) {
    return fail(ErrorCode::kExhausted, "'{}' is one watcher more than {}", name, kWatchersMax);
  }
  const Watcher watcher{++registrations_, now + lease_};
  if (known == watchers_.end()) {
    watchers_.emplace(std::string{name}, watcher);
  } else {
    known->second = watcher;
  }
  return watcher.registration;
}

bool WatchList::unwatch(std::string_view name) {
  const auto known = watchers_.find(name);
  if (known == watchers_.end()) return false;
  watchers_.erase(known);
  return true;
}

bool WatchList::end(std::string_view name, std::uint64_t registration) {
  const auto known = watchers_.find(name);
  if (known == watchers_.end() || known->second.registration != registration) return false;
  watchers_.erase(known);
  return true;
}

std::vector<std::string> WatchList::expire(TimePoint now) {
  std::vector<std::string> over;
  for (auto watcher = watchers_.begin(); watcher != watchers_.end();) {
    if (now < watcher->second.until) {
      ++watcher;
      continue;
    }
    over.push_back(watcher->first);
    watcher = watchers_.erase(watcher);
  }
  return over;
}

TimePoint WatchList::next_expiry() const {
  TimePoint next = kNever;
  for (const auto& [name, watcher] : watchers_) next = std::min(next, watcher.until);
  return next;
}

}  // namespace xbind
