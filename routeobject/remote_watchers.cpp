#include "routeobject/remote_watchers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "orb/oneway.hpp"
#include "routeobject/servant_values.hpp"

namespace xbind {

RemoteWatchers::RemoteWatchers(const RouteService& routes)
    : routes_(routes),
      list_(std::chrono::milliseconds{routes.validity_ms()} * kLeaseInValidities),
      thread_([this] { run(); }) {}

RemoteWatchers::~RemoteWatchers() { stop(); }

void RemoteWatchers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<void> RemoteWatchers::watch(const std::string& name, v2::TopologyObserver_ptr observer) {
  if (CORBA::is_nil(observer)) {
    return fail(ErrorCode::kBadInput, "'{}' watches without an observer", name);
  }
  // Whenever it watches again, because the ORB closes connections that nothing uses.
  const bool known = knows(name);
  const auto opened = orb::open_for_oneways("watcher " + name, observer, [&] {
    v2::TopologyState state;
    state.topology_version = 0;
    state.network_version = 0;
    state.validity_ms = routes_.validity_ms();
    state.unusable_count = 0;
    if (!known) to_idl(routes_.condition()->state, 0, kUnusableAtOnce, state.validity_ms, state);
    observer->topology_changed(state);
  });
  if (!opened) return tl::make_unexpected(opened.error());
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = steady_now();
    expire(now);
    const auto registration = list_.watch(name, now);
    if (!registration) return tl::make_unexpected(registration.error());
    watchers_[name] = {name, *registration, v2::TopologyObserver::_duplicate(observer)};
  }
  wake_.notify_all();  // the next lease may expire sooner
  return {};
}

bool RemoteWatchers::knows(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return watchers_.contains(name);
}

void RemoteWatchers::unwatch(const std::string& name) {
  const std::lock_guard lock(mutex_);
  list_.unwatch(name);
  watchers_.erase(name);
}

void RemoteWatchers::tell() {
  {
    const std::lock_guard lock(mutex_);
    changed_ = true;
  }
  wake_.notify_all();
}

RemoteWatchers::Counters RemoteWatchers::counters() const {
  const std::lock_guard lock(mutex_);
  return {list_.size(), notices_sent_, lost_};
}

void RemoteWatchers::expire(TimePoint now) {
  for (const std::string& name : list_.expire(now)) {
    watchers_.erase(name);
    ++lost_;
    log::routes.warn("watcher {} did not renew its watch within {} ms; it receives no more notices",
                     name, kLeaseInValidities * routes_.validity_ms());
  }
}

void RemoteWatchers::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    expire(steady_now());
    if (std::exchange(changed_, false)) {
      tell_all(lock);
      continue;
    }
    const TimePoint next = list_.next_expiry();
    if (next == kNever) {
      wake_.wait(lock);
    } else {
      wake_.wait_until(lock, std::chrono::steady_clock::time_point{next.time_since_epoch()});
    }
  }
}

void RemoteWatchers::tell_all(std::unique_lock<std::mutex>& lock) {
  std::vector<Watcher> to_tell;
  to_tell.reserve(watchers_.size());
  for (const auto& [name, watcher] : watchers_) to_tell.push_back(watcher);
  lock.unlock();
  v2::TopologyState state;
  to_idl(routes_.condition()->state, 0, kUnusableAtOnce, routes_.validity_ms(), state);
  for (const Watcher& watcher : to_tell) {
    const auto notified = orb::send_oneway("watcher " + watcher.name, watcher.observer,
                                           [&] { watcher.observer->topology_changed(state); });
    lock.lock();
    if (notified) {
      ++notices_sent_;
    } else if (list_.end(watcher.name, watcher.registration)) {
      watchers_.erase(watcher.name);
      ++lost_;
      log::routes.warn("{}; it receives no notices until it watches again", notified.error().text);
    }
    const bool ending = stop_;
    lock.unlock();
    if (ending) break;
  }
  lock.lock();
}

}  // namespace xbind
