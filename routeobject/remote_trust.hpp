// The clock of the Router's trust (switch_trust.hpp): a thread that lets the Router update which
// switches are unknown or trusted, logs changes and notifies the managers.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "core/clock.hpp"
#include "routeobject/remote_watchers.hpp"
#include "routeobject/route_service.hpp"

namespace xbind {

class TrustWatch {
 public:
  // Both must outlive this object. Starts the thread.
  TrustWatch(RouteService& routes, RemoteWatchers& watchers);
  ~TrustWatch();  // stop()
  TrustWatch(const TrustWatch&) = delete;
  TrustWatch& operator=(const TrustWatch&) = delete;

  void stop();  // idempotent

 private:
  void run();
  void log_changes(TimePoint now);

  RouteService& routes_;
  RemoteWatchers& watchers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::set<std::string> unknown_;  // as last logged; used by the thread only
  std::uint64_t version_ = 0;      // at the last comparison
  std::thread thread_;
};

}  // namespace xbind
