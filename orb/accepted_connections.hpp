// Limits the connections that this process accepts, in total and from one host. omniORB has a
// thread for each connection, and no limit. A connection beyond the limit is closed at once and
// counted (orb/peer_faults.hpp); its peer sees that it is closed.
//
// The counts follow what ConnectionGuard sees four times a second, so that a limit may be exceeded
// by the connections of a quarter of a second at most. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace xbind::orb {

struct ConnectionLimits {
  std::size_t total = 4'096;
  std::size_t per_host = 3'072;
};

class AcceptedConnections {
 public:
  void set_limits(const ConnectionLimits& limits);
  ConnectionLimits limits() const;
  // Counts one more connection of the host. False: it is to be closed, and is not counted.
  bool admit(std::string_view host);
  // Replaces the counts by the hosts of the connections that are open.
  void seen(const std::vector<std::string>& hosts);
  std::size_t open() const;

 private:
  mutable std::mutex mutex_;
  ConnectionLimits limits_;
  std::size_t open_ = 0;
  std::map<std::string, std::size_t, std::less<>> hosts_;
};

// Those of this process.
AcceptedConnections& accepted_connections();

// Installs the interceptor that closes connections beyond the limits. Runtime calls it; a second
// call does nothing.
void limit_accepted_connections();

}  // namespace xbind::orb
