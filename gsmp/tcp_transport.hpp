// Octets over TCP (RFC 3293 section 4): the controller connects, the switch listens on port 6068
// (tcp_server.hpp). No framing here and no GSMP: a stream of octets in, one out.
//
// TCP_NODELAY on both ends: GSMP gathers many messages into one write itself, and a lone one must
// not wait. RFC 3293 wants IPsec around this; use the loopback interface, a private network or a
// tunnel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::gsmp {

inline constexpr std::uint16_t kGsmpPort = 6068;

struct HostPort {
  std::string host;  // a name, an IPv4 address, or an IPv6 address without brackets
  std::uint16_t port = kGsmpPort;
};
// "host:port", "[::1]:port"; kBadInput otherwise.
Result<HostPort> parse_host_port(std::string_view text);

struct TcpClientOptions {
  HostPort peer;
  Duration backoff_min = std::chrono::milliseconds(100);  // doubles after each failure ...
  Duration backoff_max = std::chrono::seconds(5);  // ... up to this; anew once octets have come
  Duration connect_timeout = std::chrono::seconds(5);
  std::size_t queue_octets_max = 16U << 20;  // unsent; more closes the connection
  Duration tick = std::chrono::milliseconds(50);
};

// All called on the client's own thread, one at a time, no lock held: they may call send() and
// drop().
struct TcpClientCallbacks {
  std::function<void()> on_connected;
  std::function<void(std::span<const std::byte>)> on_octets;
  // Once for every on_connected. The reason names what happened. A new attempt follows by itself.
  std::function<void(const std::string& reason)> on_closed;
  // A failed attempt to connect. May be empty.
  std::function<void(const std::string& reason)> on_failed;
  // Every TcpClientOptions::tick, connected or not. May be empty.
  std::function<void()> on_tick;
};

// Keeps one connection to one switch, for ever anew, on a thread of its own.
class TcpClient {
 public:
  TcpClient(TcpClientOptions options, TcpClientCallbacks callbacks);
  ~TcpClient();  // stop()
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;

  void start();  // once
  // Closes, calls on_closed if it was connected, joins the thread. Not from a callback. Idempotent.
  void stop();

  // From any thread; never blocks. When nothing is queued the octets go straight to the socket, on
  // the caller's thread, which saves waking the other; what does not fit is queued. Octets of one
  // call stay together, calls keep their order. kUnreachable: not connected, nothing was sent.
  // kExhausted: the queue is full; the connection is being closed.
  Result<void> send(std::span<const std::byte> octets);
  // Closes the present connection; on_closed(reason) follows, then a new attempt.
  void drop(std::string reason);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace xbind::gsmp
