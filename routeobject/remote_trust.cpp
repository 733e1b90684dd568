#include "routeobject/remote_trust.hpp"

#include "core/log.hpp"
#include "core/steady_now.hpp"

namespace xbind {

TrustWatch::TrustWatch(RouteService& routes, RemoteWatchers& watchers)
    : routes_(routes), watchers_(watchers), thread_([this] { run(); }) {}

TrustWatch::~TrustWatch() { stop(); }

void TrustWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void TrustWatch::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    const TimePoint now = steady_now();
    if (routes_.tick(now)) watchers_.tell();
    log_changes(now);
    lock.lock();
    wake_.wait_for(lock, kTrustTick, [this] { return stop_; });
  }
}

void TrustWatch::log_changes(TimePoint now) {
  const std::uint64_t version = routes_.version();
  if (version == version_) return;
  version_ = version;
  std::set<std::string> unknown;
  for (const UnknownSwitch& one : routes_.unknown_switches(now)) {
    unknown.insert(one.name);
    if (unknown_.contains(one.name)) continue;
    log::routes.warn(
        "{} is unknown: {} for {} ms; no new path uses it, topology version {}", one.name,
        one.silent ? "its SwitchServer has not reported" : "its SwitchServer has not had it",
        std::chrono::duration_cast<std::chrono::milliseconds>(one.in_doubt).count(), version);
  }
  for (const std::string& name : unknown_) {
    if (unknown.contains(name)) continue;
    log::routes.info("{} is trusted again, topology version {}", name, version);
  }
  unknown_ = std::move(unknown);
}

}  // namespace xbind
