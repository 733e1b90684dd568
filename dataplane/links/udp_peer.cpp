#include "dataplane/links/udp_peer.hpp"

#include <cerrno>

namespace xbind::dataplane {

Result<UdpPeer> UdpPeer::open(const net::UdpAddress& local, const net::UdpAddress& peer,
                              std::size_t socket_buffer_octets) {
  sa_family_t family = 0;
  auto socket = net::open_socket(local, socket_buffer_octets, family);
  if (!socket) return tl::make_unexpected(socket.error());
  const auto resolved = net::resolve_peer(peer, local, family);
  if (!resolved) return tl::make_unexpected(resolved.error());
  return UdpPeer(std::move(*socket), *resolved);
}

bool UdpPeer::is_from(const net::SocketAddress& source) const {
  return known() && source.port() == peer_.port() && source.same_host(peer_);
}

UdpPeer::Sent UdpPeer::send(net::DatagramBatch& out, std::size_t count, LinkCounters& counters) {
  const int got = out.send(*socket_, count);
  if (got < 0) {
    const bool full = net::no_room(errno);
    return {.lost = full ? std::size_t{0} : std::size_t{1}, .full = full};
  }
  counters.datagrams_out += static_cast<std::uint64_t>(got);
  return {.sent = static_cast<std::size_t>(got)};
}

}  // namespace xbind::dataplane
