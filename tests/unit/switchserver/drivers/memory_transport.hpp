// A Transport without a network: the test opens and breaks the connection, and carries the octets.
//
//   driver ──▶ Transport ──▶ MemoryWire ──▶ test
//
// The driver owns the Transport and the test owns the MemoryWire. The wire may outlive the driver;
// octets for a destroyed driver are dropped. For one thread only.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/wire/writer.hpp"
#include "net/transport.hpp"

namespace xbind {

class MemoryWire {
 public:
  MemoryWire();

  // Returns the driver's end of the wire. Call it once.
  std::unique_ptr<net::Transport> transport();

  // Changes of the connection. A driver that has started is notified within the call.
  void connect();
  void cut(const std::string& reason);
  void refuse(const std::string& reason);  // an attempt to connect fails

  void carry_to_driver(std::span<const std::byte> octets);
  // Returns the octets that the driver has sent since the last call.
  wire::Buffer take_sent();
  // The driver's request to close the connection, which the test executes
  // with cut(). Returned once.
  std::optional<std::string> take_drop();

  bool connected() const { return state_->connected; }
  int writes() const { return state_->writes; }

 private:
  friend class MemoryTransport;
  struct State {
    net::TransportUpcalls upcalls;
    bool running = false;
    bool connected = false;
    wire::Buffer sent;
    std::optional<std::string> drop;
    net::TransportCounters counters;
    int writes = 0;
  };
  std::shared_ptr<State> state_;
};

}  // namespace xbind
