// What each client has of the network: its connections and their bandwidth, from the moment a
// setup begins until the connection is gone. ConnectionTable keeps it; limits for each client
// (Config) are compared with it.
//
// Not thread-safe; owned by the connection table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/indices.hpp"

namespace xbind::cmgr {

// What a connection with this contract takes, both directions together.
inline std::uint64_t cells_of(const Contract& contract) {
  return contract.forward.cells_per_s + contract.reverse.cells_per_s;
}

class ClientUsage {
 public:
  struct Usage {
    std::uint64_t connections = 0;
    std::uint64_t cells_per_s = 0;  // of their contracts; each counts once, however many leaves
  };

  // The owner of the connection, if it has one, gets it or loses it.
  void add(const Connection& connection) { change(connection, +1); }
  void remove(const Connection& connection) { change(connection, -1); }

  Usage of(ClientIndex client) const {
    return client.value() < by_client_.size() ? by_client_[client.value()] : Usage{};
  }

 private:
  void change(const Connection& connection, int sign) {
    if (!connection.asker()) return;
    const std::size_t at = connection.asker()->client.value();
    if (at >= by_client_.size()) by_client_.resize(at + 1);
    Usage& usage = by_client_[at];
    const std::uint64_t cells = cells_of(connection.contract());
    usage.connections += static_cast<std::uint64_t>(sign);
    usage.cells_per_s += sign > 0 ? cells : 0 - cells;
  }

  std::vector<Usage> by_client_;  // as many as the highest index so far
};

}  // namespace xbind::cmgr
