// A listening socket and what connects to it, on the thread of a TcpLoop. The switch's side of
// RFC 3293 section 4; tcp_transport.hpp has the controller's.
//
// A connection may be read from slowly or not at all (allow()): then the peer's octets stay in its
// own socket, as with a switch that cannot keep up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "core/result.hpp"
#include "gsmp/tcp_loop.hpp"
#include "gsmp/tcp_transport.hpp"

namespace xbind::gsmp {

struct TcpServerOptions {
  HostPort listen;                   // port 0: the operating system picks
  std::size_t connections_max = 64;  // one more is closed at once
  std::size_t queue_octets_max = 64U << 20;
  // A peer that lets more than this lie unread is not read from until it has caught up.
  std::size_t read_pause_octets = 1U << 20;
};

using TcpConnectionKey = std::uint64_t;  // never reused

inline constexpr std::size_t kReadUnlimited = std::numeric_limits<std::size_t>::max();

// All called from TcpLoop::run(), one at a time.
struct TcpServerCallbacks {
  std::function<void(TcpConnectionKey)> on_connected;
  std::function<void(TcpConnectionKey, std::span<const std::byte>)> on_octets;
  std::function<void(TcpConnectionKey, const std::string& reason)> on_closed;
  // A connection that was not taken, or an accept that failed. May be empty.
  std::function<void(const std::string& reason)> on_refused;
};

// Call everything on the loop's thread, or before TcpLoop::run().
class TcpServer {
 public:
  // `loop` outlives the server, the server TcpLoop::run(). Connections are taken from run() on.
  // kSystem when the address cannot be had, kNotFound when the host has none.
  static Result<std::unique_ptr<TcpServer>> listen(TcpLoop& loop, TcpServerOptions options,
                                                   TcpServerCallbacks callbacks);
  ~TcpServer();
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  const std::string& address() const;  // "127.0.0.1:6068", the real port
  std::uint16_t port() const;

  // As of TcpClient; an unknown key is kUnreachable.
  Result<void> send(TcpConnectionKey connection, std::span<const std::byte> octets);
  // Octets that may be read from now on, in place of what was left of an earlier allowance. A read
  // under way is not called back: up to 64 kB more may come once. With a limit the socket's own buffer
  // is made small, so that the peer feels it soon.
  void allow(TcpConnectionKey connection, std::size_t octets);
  // What is queued is tried once more, then the connection is closed; on_closed follows.
  void close(TcpConnectionKey connection, std::string reason);
  // The same, but the peer gets a TCP reset, and nothing of what is queued.
  void reset(TcpConnectionKey connection, std::string reason);

 private:
  struct Impl;
  explicit TcpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace xbind::gsmp
