// The Transport over TCP; tcp_server.hpp is the other side. For GSMP: the controller's side of
// RFC 3293 section 4.
//
// TCP_NODELAY on both ends: whoever sends gathers many messages into one write, and a single
// message must not wait. RFC 3293 requires IPsec; use the loopback interface, a private network or
// a tunnel instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/config/host_port.hpp"
#include "core/result.hpp"
#include "net/timers.hpp"
#include "net/transport.hpp"

namespace xbind::net {

struct TcpClientOptions {
  HostPort peer;
  Duration backoff_min = kNetTimers["connect-back-off-min"];  // doubles after each failure ...
  Duration backoff_max =
      kNetTimers["connect-back-off-max"];  // ... up to this; restarts once octets arrive
  Duration connect_timeout = kNetTimers["connect"];
  std::size_t queue_octets_max = 16U << 20;  // unsent; more closes the connection
};

// Keeps one connection to one peer and reconnects after every loss. Its own thread makes the
// upcalls.
class TcpClient : public Transport {
 public:
  explicit TcpClient(TcpClientOptions options);
  ~TcpClient() override;  // stop()
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;

  void start(TransportUpcalls upcalls) override;
  void stop() override;

  // If nothing is queued, writes to the socket on the caller's thread, which saves a wake-up. The
  // rest is queued.
  Result<void> send(std::span<const std::byte> octets) override;
  void drop(std::string reason) override;

  std::string peer() const override;
  TransportCounters counters() const override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace xbind::net
