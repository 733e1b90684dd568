// Watches the descriptors of a daemon. Closes idle accepted connections (selected by
// core/idle_connections.hpp), tells AcceptedConnections which are open, and logs when descriptors
// run short: without free descriptors omniORB accepts no connection, reports nothing and spins
// (decision 0032).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "core/idle_connections.hpp"
#include "orb/accepted_connections.hpp"

namespace xbind::orb {

// Raises the soft limit of descriptors to the hard one, at most to 65 536, and returns it. A
// process with many peers needs more than 1 024 connections; no code uses select(2).
std::uint64_t raise_descriptor_limit();

// One per process, while it serves. Its thread inspects the connections every quarter of a second.
class ConnectionGuard {
 public:
  // Closes idle connections beyond seven eighths of a limit or half of the descriptors. Without a
  // descriptor newcomers wait in the kernel's queue until there is room; beyond a limit they are
  // refused.
  ConnectionGuard(std::uint64_t descriptors_max, const ConnectionLimits& limits);
  ~ConnectionGuard();
  ConnectionGuard(const ConnectionGuard&) = delete;
  ConnectionGuard& operator=(const ConnectionGuard&) = delete;

 private:
  void run();
  void look(const std::vector<int>& descriptors);
  void close_one(int descriptor);

  const std::uint64_t descriptors_max_;
  IdleLimits limits_;
  IdleLimits limits_of_host_;
  int spare_;  // reserve: dup3() replaces it, so closing needs no new descriptor
  std::uint64_t closed_unlogged_ = 0;
  TimePoint closed_logged_at_{};
  bool shortage_logged_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace xbind::orb
