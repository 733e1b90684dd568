// A Transport without a network: a test opens and cuts the connection, and carries the octets.
//
//   driver ──▶ Transport (owned by the driver) ──▶ MemoryWire (owned by the test) ──▶ test
//
// The wire may outlive the driver: what is carried to a driver that is gone arrives nowhere. One
// thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/wire/writer.hpp"
#include "gsmp/transport.hpp"

namespace xbind {

class MemoryWire {
 public:
  MemoryWire();

  // Its transport, for one driver. Once.
  std::unique_ptr<gsmp::Transport> transport();

  // What happens to the connection. The driver hears of it within the call, if it has started.
  void connect();
  void cut(const std::string& reason);
  void refuse(const std::string& reason);  // an attempt to connect fails

  void carry_to_driver(std::span<const std::byte> octets);
  // What the driver has sent since the last call.
  wire::Buffer take_sent();
  // The driver's wish to close the connection; cut() is the test's. Taken once.
  std::optional<std::string> take_drop();

  bool connected() const { return state_->connected; }
  int writes() const { return state_->writes; }

 private:
  friend class MemoryTransport;
  struct State {
    gsmp::TransportUpcalls upcalls;
    bool running = false;
    bool connected = false;
    wire::Buffer sent;
    std::optional<std::string> drop;
    gsmp::TransportCounters counters;
    int writes = 0;
  };
  std::shared_ptr<State> state_;
};

}  // namespace xbind
