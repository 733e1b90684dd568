// UDP: system addresses, a bound socket, and the buffers for one system call with many datagrams.
// One thread at a time for each object.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "net/descriptor.hpp"
#include "net/udp_address.hpp"

namespace xbind::net {

// An IPv4 or IPv6 address with its port. The functions below require one that resolve() or a
// received datagram has set.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
  // In host byte order.
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  // Compares the family and the IP address, not the port.
  bool same_host(const SocketAddress& other) const;
};

// Converts a numeric address; asks no resolver. kBadInput: the host is no numeric address.
Result<SocketAddress> resolve(const UdpAddress& address);
// As resolve(); also kBadInput when `peer` is not of `family`, which open_socket() returned for
// `local`. `local` itself serves only the error text.
Result<SocketAddress> resolve_peer(const UdpAddress& peer, const UdpAddress& local,
                                   sa_family_t family);

// Opens a non-blocking socket bound to `local` and sets `family` to its AF_INET or AF_INET6.
// `buffer_octets` is requested for each direction, at most 1 GiB. A smaller granted buffer is no
// error: bursts are lost earlier. kBadInput: as resolve(). kSystem: no socket, or the address is
// not available.
Result<std::shared_ptr<const Descriptor>> open_socket(const UdpAddress& local,
                                                      std::size_t buffer_octets,
                                                      sa_family_t& family);
// The bound port, in host byte order; 0 if the system does not tell it.
std::uint16_t local_port(const Descriptor& socket);

// Whether `error`, the errno of a send() that sent nothing, is temporary: full buffers or an
// interrupting signal. The same datagrams may be sent later. Any other error is permanent.
bool no_room(int error);

// Buffers of `octets_each` octets for up to kSize datagrams of one system call. Use an object
// either to receive or to send: put() shortens the buffers.
struct DatagramBatch {
  static constexpr std::size_t kSize = 32;

  // A received datagram that is longer is cut to `datagram_octets`. To detect that, allow one octet
  // more than the longest valid datagram.
  explicit DatagramBatch(std::size_t datagram_octets);
  DatagramBatch(const DatagramBatch&) = delete;
  DatagramBatch& operator=(const DatagramBatch&) = delete;

  // The whole buffer of datagram `index`, below kSize.
  std::span<std::byte> at(std::size_t index) {
    return std::span(octets).subspan(index * octets_each, octets_each);
  }
  // What receive() has put there; valid until the next receive(). `sources` has the sender.
  std::span<const std::byte> received(std::size_t index) {
    return at(index).first(messages[index].msg_len);
  }
  // Receives up to `count` (at most kSize) datagrams that have arrived; does not wait. Returns
  // their number; 0 also after an error.
  std::size_t receive(const Descriptor& socket, std::size_t count = kSize);
  // Sets the length (at most octets_each) and the destination of datagram `index`, whose octets the
  // caller writes to at(index). `to` must stay valid until send().
  void put(std::size_t index, std::size_t size, SocketAddress& to);
  // Sends datagrams 0 to `count` - 1; does not wait. Returns the number sent, which may be less;
  // negative: none, and errno has the error (no_room()).
  int send(const Descriptor& socket, std::size_t count);

  std::size_t octets_each;
  std::vector<std::byte> octets;
  std::array<SocketAddress, kSize> sources{};  // of received datagrams; their `size` is not set
  // `messages` points into the three members above: hence no copy.
  std::array<iovec, kSize> vectors{};
  std::array<mmsghdr, kSize> messages{};
};

}  // namespace xbind::net
