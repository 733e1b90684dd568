#include "net/udp_socket.hpp"

#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace xbind::net {
namespace {

const sockaddr_in& v4(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in&>(storage);
}
const sockaddr_in6& v6(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in6&>(storage);
}

}  // namespace

// Declared in udp_end.hpp.
Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

std::uint16_t SocketAddress::port() const {
  return ntohs(storage.ss_family == AF_INET ? v4(storage).sin_port : v6(storage).sin6_port);
}
void SocketAddress::set_port(std::uint16_t port) {
  if (storage.ss_family == AF_INET) {
    reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
  }
}
bool SocketAddress::same_host(const SocketAddress& other) const {
  if (storage.ss_family != other.storage.ss_family) return false;
  if (storage.ss_family == AF_INET)
    return v4(storage).sin_addr.s_addr == v4(other.storage).sin_addr.s_addr;
  return std::memcmp(&v6(storage).sin6_addr, &v6(other.storage).sin6_addr, sizeof(in6_addr)) == 0;
}

Result<SocketAddress> resolve(const UdpAddress& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) {
    return fail(ErrorCode::kBadInput, "'{}' is no IP address: {}", address.host,
                gai_strerror(error));
  }
  SocketAddress result;
  std::memcpy(&result.storage, found->ai_addr, found->ai_addrlen);
  result.size = found->ai_addrlen;
  freeaddrinfo(found);
  return result;
}

Result<SocketAddress> resolve_peer(const UdpAddress& peer, const UdpAddress& local,
                                   sa_family_t family) {
  auto address = resolve(peer);
  if (address && address->storage.ss_family != family) {
    return fail(ErrorCode::kBadInput, "'{}' and '{}' are addresses of two kinds", local.host,
                peer.host);
  }
  return address;
}

Result<std::shared_ptr<const Descriptor>> open_socket(const UdpAddress& local,
                                                      std::size_t buffer_octets,
                                                      sa_family_t& family) {
  const auto address = resolve(local);
  if (!address) return tl::make_unexpected(address.error());
  family = address->storage.ss_family;
  auto socket = std::make_shared<const Descriptor>(
      ::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket->number() < 0)
    return fail(ErrorCode::kSystem, "no UDP socket: {}", std::strerror(errno));
  const int octets = static_cast<int>(std::min<std::size_t>(buffer_octets, 1U << 30));
  setsockopt(socket->number(), SOL_SOCKET, SO_SNDBUF, &octets, sizeof octets);
  setsockopt(socket->number(), SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets);
  if (bind(socket->number(), address->raw(), address->size) != 0) {
    return fail(ErrorCode::kSystem, "UDP address {} port {}: {}", local.host, local.port,
                std::strerror(errno));
  }
  return socket;
}

std::uint16_t local_port(const Descriptor& socket) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (getsockname(socket.number(), address.raw(), &address.size) != 0) return 0;
  return address.port();
}

bool no_room(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == EINTR;
}

DatagramBatch::DatagramBatch(std::size_t datagram_octets)
    : octets_each(datagram_octets), octets(kSize * datagram_octets) {
  for (std::size_t index = 0; index < kSize; ++index) {
    vectors[index] = {at(index).data(), octets_each};
    messages[index].msg_hdr.msg_iov = &vectors[index];
    messages[index].msg_hdr.msg_iovlen = 1;
  }
}

std::size_t DatagramBatch::receive(const Descriptor& socket, std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) {
    messages[index].msg_hdr.msg_name = &sources[index].storage;
    messages[index].msg_hdr.msg_namelen = sizeof(sockaddr_storage);
  }
  const int got = recvmmsg(socket.number(), messages.data(), static_cast<unsigned>(count),
                           MSG_DONTWAIT, nullptr);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

void DatagramBatch::put(std::size_t index, std::size_t size, SocketAddress& to) {
  vectors[index].iov_len = size;
  messages[index].msg_hdr.msg_name = &to.storage;
  messages[index].msg_hdr.msg_namelen = to.size;
}

int DatagramBatch::send(const Descriptor& socket, std::size_t count) {
  return sendmmsg(socket.number(), messages.data(), static_cast<unsigned>(count), MSG_DONTWAIT);
}

}  // namespace xbind::net
