// Shared by the lines over UDP: system addresses, a bound socket, and the buffers for one system
// call with many datagrams. Only for this folder.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "dataplane/links/link_spec.hpp"
#include "dataplane/links/udp_end.hpp"

namespace xbind::dataplane {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  bool same_host(const SocketAddress& other) const;
};

// kBadInput: the host is no numeric address.
Result<SocketAddress> resolve(const UdpAddress& address);
// As above; also requires the same address family as `local`.
Result<SocketAddress> resolve_peer(const UdpAddress& peer, const UdpAddress& local,
                                   sa_family_t family);

// Opens a bound, non-blocking socket. If the system grants a smaller buffer than requested, bursts
// are lost earlier. kSystem: no socket, or the address is not available.
Result<std::shared_ptr<const Descriptor>> open_socket(const UdpAddress& local,
                                                      std::size_t buffer_octets,
                                                      sa_family_t& family);
std::uint16_t local_port(const Descriptor& socket);

// After sendmmsg: nothing was sent because there is no room, as opposed to a permanent error.
bool no_room(int error);

// Datagrams for one system call.
struct DatagramBatch {
  static constexpr std::size_t kSize = 32;

  explicit DatagramBatch(std::size_t datagram_octets);
  DatagramBatch(const DatagramBatch&) = delete;
  DatagramBatch& operator=(const DatagramBatch&) = delete;

  std::span<std::byte> at(std::size_t index) {
    return std::span(octets).subspan(index * octets_each, octets_each);
  }
  std::span<const std::byte> received(std::size_t index) {
    return at(index).first(messages[index].msg_len);
  }
  // Receives at most `count` datagrams, up to kSize; returns their number.
  std::size_t receive(const Descriptor& socket, std::size_t count = kSize);
  // Sets the length and the destination, which must stay valid until send().
  void put(std::size_t index, std::size_t size, SocketAddress& to);
  // Sends the first `count`. Returns the number sent; negative: none, see errno.
  int send(const Descriptor& socket, std::size_t count);

  std::size_t octets_each;
  std::vector<std::byte> octets;
  std::array<SocketAddress, kSize> sources{};
  std::array<iovec, kSize> vectors{};
  std::array<mmsghdr, kSize> messages{};
};

}  // namespace xbind::dataplane
