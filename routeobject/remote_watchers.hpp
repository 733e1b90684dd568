// The managers that watch the topology: notifies each of them at once when its version has risen.
//
// A thread of its own notifies them one after the other and holds no lock then; an upcall that
// changes the topology only wakes it. A notice has the whole state of that moment, so a burst of
// changes makes one notice and nothing queues up. A watcher that cannot be reached is dropped with
// a log line (it costs the others one connect timeout), and so is one whose lease has expired. Both
// return with their next watch(). The validity time makes up for a lost notice.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "route_object.hh"
#include "routeobject/route_service.hpp"
#include "routeobject/watch_list.hpp"

namespace xbind {

inline constexpr std::uint32_t kLeaseInValidities = 3;

class RemoteWatchers {
 public:
  // `routes` must outlive this object. Starts the thread.
  explicit RemoteWatchers(const RouteService& routes);
  ~RemoteWatchers();
  RemoteWatchers(const RemoteWatchers&) = delete;
  RemoteWatchers& operator=(const RemoteWatchers&) = delete;

  // From any thread. Opens the connection to a new watcher's observer, and waits for that at most
  // the connect timeout; kUnreachable if it cannot. Errors of WatchList::watch(), and kBadInput
  // without an observer.
  Result<void> watch(const std::string& name, v2::TopologyObserver_ptr observer);
  void unwatch(const std::string& name);
  // The topology has changed: notifies all watchers.
  void tell();
  // Stops all notices. Idempotent.
  void stop();

  struct Counters {
    std::uint64_t watchers = 0;  // at present
    std::uint64_t notices_sent = 0;
    std::uint64_t watchers_lost = 0;  // unreachable, or did not watch again in time
  };
  Counters counters() const;

 private:
  bool knows(const std::string& name) const;
  struct Watcher {
    std::string name;
    std::uint64_t registration = 0;
    v2::TopologyObserver_var observer;
  };

  void run();
  void tell_all(std::unique_lock<std::mutex>& lock);
  void expire(TimePoint now);

  const RouteService& routes_;
  mutable std::mutex mutex_;  // guards the members below; never held during a notice
  std::condition_variable wake_;
  WatchList list_;
  std::map<std::string, Watcher, std::less<>> watchers_;  // the same names as in list_
  bool changed_ = false;
  bool stop_ = false;
  std::uint64_t notices_sent_ = 0;
  std::uint64_t lost_ = 0;
  std::thread thread_;
};

}  // namespace xbind
