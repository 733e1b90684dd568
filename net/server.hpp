// The transport of a protocol's side that listens: connections that peers open, each a reliable,
// ordered stream of octets. No framing and no protocol. transport.hpp is the side that connects.
//
//   listening ──on_connected──▶ connected ──on_octets, any number──▶ on_closed
//       └──on_refused──▶ (listening)
//
// One thread: the upcalls come on the thread of the server's loop, one at a time, and the functions
// are called there, or before the loop runs. An upcall may call any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/result.hpp"

namespace xbind::net {

using ConnectionKey = std::uint64_t;  // never reused

struct ServerUpcalls {
  std::function<void(ConnectionKey)> on_connected;
  // Valid during the upcall only. Any number of octets; chunk ends are no message boundaries.
  std::function<void(ConnectionKey, std::span<const std::byte>)> on_octets;
  // Once for every on_connected.
  std::function<void(ConnectionKey, const std::string& reason)> on_closed;
  // A refused connection, or a failed accept. May be empty.
  std::function<void(const std::string& reason)> on_refused;
};

class Server {
 public:
  virtual ~Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Where it listens, for people: "127.0.0.1:6068".
  virtual const std::string& address() const = 0;
  // As Transport::send(); kUnreachable also for an unknown key.
  virtual Result<void> send(ConnectionKey connection, std::span<const std::byte> octets) = 0;
  // Sets how many octets may be read from now on; replaces the earlier allowance. Unread octets
  // stay with the peer, as with a server that cannot keep up.
  virtual void allow(ConnectionKey connection, std::size_t octets) = 0;
  // Tries once to send the queue, then closes the connection; on_closed follows.
  virtual void close(ConnectionKey connection, std::string reason) = 0;
  // The same at once, without sending the queue; the peer learns that it was cut.
  virtual void reset(ConnectionKey connection, std::string reason) = 0;

 protected:
  Server() = default;
};

}  // namespace xbind::net
