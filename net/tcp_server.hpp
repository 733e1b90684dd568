// The Server over TCP, or at a Unix socket, on the thread of a Loop. For GSMP: the switch's side
// of RFC 3293 section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/config/host_port.hpp"
#include "core/result.hpp"
#include "net/loop.hpp"
#include "net/server.hpp"

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

class TcpServer : public Server {
 public:
  // `loop` must outlive the server, and the server must outlive Loop::run(). Accepts connections
  // once run() is called. kSystem: the address is not available, or at the path is another file or
  // a socket of somebody who listens. kNotFound: the host has no address.
  static Result<std::unique_ptr<TcpServer>> listen(Loop& loop, TcpServerOptions options,
                                                   ServerUpcalls upcalls);
  ~TcpServer() override;

  const std::string& address() const override;  // with the actual port; or the path
  std::uint16_t port() const;

  Result<void> send(ConnectionKey connection, std::span<const std::byte> octets) override;
  // A pending read is not cancelled: up to 64 kB more may arrive once. With a limit the socket's
  // buffer is made small, so that the peer stalls soon.
  void allow(ConnectionKey connection, std::size_t octets) override;
  void close(ConnectionKey connection, std::string reason) override;
  void reset(ConnectionKey connection, std::string reason) override;

 private:
  struct Impl;
  explicit TcpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace xbind::net
