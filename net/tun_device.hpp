// A TUN device in a network namespace: an interface whose IP packets this process reads and writes.
// It exists until it is closed. Needs CAP_SYS_ADMIN (to enter the namespace) and CAP_NET_ADMIN.
//
// open() is called from any thread; a device is used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "net/descriptor.hpp"

namespace xbind::net {

// Packets that the kernel keeps for a process that does not read at the moment; it drops further
// ones and counts them (`ip -s link`).
inline constexpr int kTunQueuePackets = 10'000;

struct TunOptions {
  std::string network_namespace;  // as `ip netns` names it
  std::string interface;          // its name; the namespace has none of that name
  std::size_t mtu = 1500;         // octets of a packet
  // IPv4 addresses in host order. If the namespace has one already, at a different interface, it
  // stays there, and so do connections when this process ends.
  std::vector<std::uint32_t> addresses;
  // Addresses of hosts to which packets of the namespace go through the device.
  std::vector<std::uint32_t> routes;
};

class TunDevice {
 public:
  // Makes the device, and takes it up. kNotFound: there is no such namespace. kSystem: a capability
  // is missing, the name is in use, or the kernel has no TUN.
  static Result<std::unique_ptr<TunDevice>> open(const TunOptions& options);

  // For a loop that waits until a packet can be read.
  int descriptor() const { return descriptor_.number(); }
  // Reads one packet without waiting; returns its octets, 0: there is none. A packet longer than
  // `buffer` is cut. kSystem: the device is gone, with its namespace.
  Result<std::size_t> read(std::span<std::byte> buffer);
  // Gives the kernel a packet as one that has arrived there. False: it does not take it, because
  // the interface is down or the packet is no IP packet.
  bool write(std::span<const std::byte> packet);

 private:
  explicit TunDevice(int descriptor) : descriptor_(descriptor) {}
  Descriptor descriptor_;
};

}  // namespace xbind::net
