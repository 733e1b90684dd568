// Watches the descriptors of a daemon: closes accepted connections that are idle
// (idle_connections.hpp says which), and says in the log when descriptors run short. omniORB has a
// thread for each connection and no bound on them; out of descriptors it accepts nobody, says
// nothing and spins (decision 0032).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "core/idle_connections.hpp"

namespace xbind::orb {

// Raises the soft limit of descriptors to the hard one, at most to 65 536, and returns it. A
// process has more than 1 024 connections when it has as many peers; select(2) is used nowhere.
std::uint64_t raise_descriptor_limit();

// One for a process, as long as it serves. Its thread looks every quarter of a second.
class ConnectionGuard {
 public:
  // The most connections are half of the descriptors, and no more than 4 096.
  explicit ConnectionGuard(std::uint64_t descriptors_max);
  ~ConnectionGuard();
  ConnectionGuard(const ConnectionGuard&) = delete;
  ConnectionGuard& operator=(const ConnectionGuard&) = delete;

 private:
  void run();
  void look(const std::vector<int>& descriptors);
  void close_one(int descriptor);

  const std::uint64_t descriptors_max_;
  IdleLimits limits_;
  int spare_;  // takes the place of a descriptor to be closed, so that no new one is needed
  std::uint64_t closed_untold_ = 0;
  TimePoint told_closed_{};
  bool short_told_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
