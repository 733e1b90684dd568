// A listening socket, of TCP or a Unix one, and its connections, on the thread of a Loop. The
// switch's side of RFC 3293 section 4; tcp_transport.hpp has the controller's side.
//
// allow() limits how much is read from a connection. Unread octets fill the peer's own socket, as
// with a switch that cannot keep up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "core/result.hpp"
#include "net/loop.hpp"
#include "net/tcp_client.hpp"

namespace xbind::net {

struct TcpServerOptions {
  HostPort listen;  // port 0: the operating system picks
  // A Unix socket instead, which only its owner may use (mode 0600); empty: none. At most
  // kUnixPathMax octets. One that nobody listens at any more is replaced; removed at the end.
  std::string path{};
  std::size_t connections_max = 64;  // further ones are closed at once
  std::size_t queue_octets_max = 64U << 20;
  // While more than this is unsent to a peer, nothing is read from it.
  std::size_t read_pause_octets = 1U << 20;
};

inline constexpr std::size_t kUnixPathMax = 107;  // of a socket's address

using TcpConnectionKey = std::uint64_t;  // never reused

inline constexpr std::size_t kReadUnlimited = std::numeric_limits<std::size_t>::max();

// All called from Loop::run(), one at a time.
struct TcpServerCallbacks {
  std::function<void(TcpConnectionKey)> on_connected;
  std::function<void(TcpConnectionKey, std::span<const std::byte>)> on_octets;
  std::function<void(TcpConnectionKey, const std::string& reason)> on_closed;
  // A refused connection, or a failed accept. May be empty.
  std::function<void(const std::string& reason)> on_refused;
};

// Call everything on the loop's thread, or before Loop::run().
class TcpServer {
 public:
  // `loop` must outlive the server, and the server must outlive Loop::run(). Accepts connections
  // once run() is called. kSystem: the address is not available, or at the path is another file or
  // a socket of somebody who listens. kNotFound: the host has no address.
  static Result<std::unique_ptr<TcpServer>> listen(Loop& loop, TcpServerOptions options,
                                                   TcpServerCallbacks callbacks);
  ~TcpServer();
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  const std::string& address() const;  // "127.0.0.1:6068", with the actual port; or the path
  std::uint16_t port() const;

  // As TcpClient::send(); an unknown key is kUnreachable.
  Result<void> send(TcpConnectionKey connection, std::span<const std::byte> octets);
  // Sets how many octets may be read from now on; replaces the earlier allowance. A pending read is
  // not cancelled: up to 64 kB more may arrive once. With a limit the socket's buffer is made
  // small, so that the peer stalls soon.
  void allow(TcpConnectionKey connection, std::size_t octets);
  // Tries once to send the queue, then closes the connection; on_closed follows.
  void close(TcpConnectionKey connection, std::string reason);
  // The same with a TCP reset, and without sending the queue.
  void reset(TcpConnectionKey connection, std::string reason);

 private:
  struct Impl;
  explicit TcpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace xbind::net
