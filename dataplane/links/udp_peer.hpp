// A UDP socket and the one peer of its line: what the forms with a cell in each datagram share.
// One thread. Only for the lines in this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/result.hpp"
#include "dataplane/links/link.hpp"
#include "net/descriptor.hpp"
#include "net/udp_socket.hpp"

namespace xbind::dataplane {

class UdpPeer {
 public:
  // kBadInput: an invalid address; kSystem: the socket cannot be opened.
  static Result<UdpPeer> open(const net::UdpAddress& local, const net::UdpAddress& peer,
                              std::size_t socket_buffer_octets);

  bool known() const { return peer_.port() != 0; }
  std::uint16_t local_port() const { return net::local_port(*socket_); }
  void set_port(std::uint16_t port) { peer_.set_port(port); }
  const std::shared_ptr<const net::Descriptor>& socket() const { return socket_; }

  // Receives up to `count` datagrams and hands those of the peer to `take`; counts all, and the
  // foreign ones. Returns their number.
  template <class Take>
  std::size_t receive(net::DatagramBatch& in, std::size_t count, LinkCounters& counters,
                      Take take) {
    const std::size_t got = in.receive(*socket_, count);
    counters.datagrams_in += got;
    for (std::size_t index = 0; index < got; ++index) {
      if (is_from(in.sources[index])) {
        take(in.received(index));
      } else {
        ++counters.foreign;
      }
    }
    return got;
  }
  void put(net::DatagramBatch& out, std::size_t index, std::size_t octets) {
    out.put(index, octets, peer_);
  }

  struct Sent {
    std::size_t sent = 0;  // datagrams
    std::size_t lost = 0;  // the first one, refused for good; the others may still be sent
    bool full = false;     // nothing was sent: there is no room
  };
  Sent send(net::DatagramBatch& out, std::size_t count, LinkCounters& counters);

 private:
  UdpPeer(std::shared_ptr<const net::Descriptor> socket, const net::SocketAddress& peer)
      : socket_(std::move(socket)), peer_(peer) {}
  bool is_from(const net::SocketAddress& source) const;

  std::shared_ptr<const net::Descriptor> socket_;
  net::SocketAddress peer_;
};

}  // namespace xbind::dataplane
