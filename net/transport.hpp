// The transport of a protocol's side that connects: a reliable, ordered stream of octets to one
// peer that reconnects after every loss. No framing and no protocol. TcpClient is one over TCP; TLS
// or SCTP would be another class. server.hpp is the side that listens.
//
//   start() ──▶ connecting ──on_connected──▶ connected ──on_closed──▶ connecting ... ──▶ stop()
//                   └─on_failed─▶ (retries)      └─on_octets, any number
//
// Threads: start() and stop() from the owner's thread, stop() never from an upcall. send(), drop(),
// peer() and counters() from any thread. The upcalls come one at a time, from a thread of the
// transport, with no lock held: an upcall may call send() and drop().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/result.hpp"

namespace xbind::net {

struct TransportUpcalls {
  std::function<void()> on_connected;
  // Valid during the upcall only. Any number of octets; chunk ends are no message boundaries.
  std::function<void(std::span<const std::byte>)> on_octets;
  // Once for every on_connected, with the reason. The next attempt follows automatically.
  std::function<void(const std::string& reason)> on_closed;
  // A connection attempt failed; the reason has peer and error. The next attempt follows
  // automatically.
  std::function<void(const std::string& reason)> on_failed;
};

// Free-running since start().
struct TransportCounters {
  std::uint64_t connections = 0;      // established
  std::uint64_t failed_attempts = 0;  // to connect
  std::uint64_t octets_in = 0;
  std::uint64_t octets_out = 0;  // accepted by send(), including those lost with a connection
};

class Transport {
 public:
  virtual ~Transport() = default;  // stop()

  // Call once, with all four upcalls set.
  virtual void start(TransportUpcalls upcalls) = 0;
  // Closes; on_closed follows if connected. No upcall comes after the return. Idempotent.
  virtual void stop() = 0;

  // Never blocks. The octets of one call stay contiguous, and calls keep their order. kUnreachable:
  // not connected, nothing was sent. kExhausted: too many unsent octets; the connection is being
  // closed.
  virtual Result<void> send(std::span<const std::byte> octets) = 0;
  // Closes the current connection, if any; on_closed(reason) follows, then a new attempt.
  virtual void drop(std::string reason) = 0;

  // Address of the peer for log lines, "HOST:PORT".
  virtual std::string peer() const = 0;
  virtual TransportCounters counters() const = 0;
};

}  // namespace xbind::net
