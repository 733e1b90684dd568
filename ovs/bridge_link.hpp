// The socket of a bridge's OpenFlow connection: connects, and connects again after a failure.
// Octets only; bridge.hpp has the protocol.
//
// On the thread of a Loop, all calls and callbacks.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "net/loop.hpp"

namespace xbind::ovs {

// Where a bridge listens for OpenFlow: unix:PATH (ovs-vswitchd makes RUNDIR/BRIDGE.mgmt) or
// tcp:HOST:PORT with a numeric host.
struct BridgeAddress {
  std::string path;  // of a UNIX socket; empty: TCP
  std::string host;
  std::uint16_t port = 0;
};
// kBadInput quotes any other text, and a path that no socket can have.
Result<BridgeAddress> parse_bridge_address(const std::string& text);
std::string to_string(const BridgeAddress& address);

struct BridgeLinkCallbacks {
  std::function<void()> on_connected;
  std::function<void(std::span<const std::byte>)> on_octets;
  // A connection has ended, or an attempt has failed (`was_connected` false). The next attempt is
  // due at next_attempt().
  std::function<void(const std::string& reason, bool was_connected)> on_closed;
};

class BridgeLink {
 public:
  // `loop` must outlive the link.
  BridgeLink(net::Loop& loop, BridgeAddress address, BridgeLinkCallbacks callbacks);
  ~BridgeLink();
  BridgeLink(const BridgeLink&) = delete;
  BridgeLink& operator=(const BridgeLink&) = delete;

  // Begins an attempt if one is due.
  void tick(TimePoint now);
  TimePoint next_attempt() const;  // kNever while connected or connecting
  // The connection serves: the next wait is the shortest again.
  void well();
  void send(std::span<const std::byte> octets);
  void close(const std::string& reason);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace xbind::ovs
