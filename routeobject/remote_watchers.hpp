// The managers that watch the topology: tells each at once when its version has risen.
//
// A thread of its own tells them, one after the other, with no lock held: an upcall that changes the
// topology only wakes it. What is told is the state as it then is, whole, so that a burst of changes is
// one notice and nothing queues up. A watcher that cannot be told is dropped with a line in the log
// (it costs the others a connect time-out, once), and so is one whose lease is over; both are back with
// their next watch(). A notice that is lost on the way is made good by the validity time.
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
  // `routes` must outlive this; the thread starts.
  explicit RemoteWatchers(const RouteService& routes);
  ~RemoteWatchers();
  RemoteWatchers(const RemoteWatchers&) = delete;
  RemoteWatchers& operator=(const RemoteWatchers&) = delete;

  // Any thread; none of them waits for a watcher. Errors are those of WatchList::watch(), and kBadInput
  // without an observer.
  Result<void> watch(const std::string& name, v2::TopologyObserver_ptr observer);
  void unwatch(const std::string& name);
  // The topology has changed: all are told.
  void tell();
  // Nobody is told any more. Idempotent.
  void stop();

  struct Counters {
    std::uint64_t watchers = 0;  // now
    std::uint64_t notices_sent = 0;
    std::uint64_t watchers_lost = 0;  // could not be told, or did not watch again in time
  };
  Counters counters() const;

 private:
  struct Watcher {
    std::string name;
    std::uint64_t registration = 0;
    v2::TopologyObserver_var observer;
  };

  void run();
  void tell_all(std::unique_lock<std::mutex>& lock);
  void expire(TimePoint now);

  const RouteService& routes_;
  mutable std::mutex mutex_;  // guards what follows; never held while somebody is told
  std::condition_variable wake_;
  WatchList list_;
  std::map<std::string, Watcher, std::less<>> watchers_;  // as many as in the list
  bool changed_ = false;
  bool stop_ = false;
  std::uint64_t notices_sent_ = 0;
  std::uint64_t lost_ = 0;
  std::thread thread_;
};

}  // namespace xbind
