// A lower layer with a frame in each datagram, between two addresses: a subscriber's line without a
// switch. Datagrams of another address are counted and dropped.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "net/descriptor.hpp"
#include "net/udp_address.hpp"
#include "net/udp_socket.hpp"
#include "smds/lower_layer.hpp"

namespace xbind::smds {

struct UdpLine {
  net::UdpAddress local;
  net::UdpAddress peer;
};
struct NamedUdpLine {
  std::string name;  // of a subscriber
  UdpLine line;
};
// "anna=127.0.0.1:5000/127.0.0.1:5001": SUBSCRIBER=LOCAL/PEER. kBadInput: another form, or a PEER
// without a port.
Result<NamedUdpLine> parse_udp_line(std::string_view text);

// Free-running.
struct UdpLayerCounters {
  std::uint64_t frames_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t foreign = 0;   // datagrams of another address
  std::uint64_t too_long = 0;  // datagrams longer than a frame
  std::uint64_t lost = 0;      // datagrams that the system refused
};

class UdpLayer : public LowerLayer {
 public:
  // kBadInput: an address; kSystem: the socket cannot be opened.
  static Result<std::unique_ptr<UdpLayer>> open(PortIndex port, const UdpLine& line,
                                                std::size_t frame_octets_max);

  bool room() const override { return filled_ < net::DatagramBatch::kSize; }
  void send(PortIndex port, std::span<const std::byte> head,
            std::span<const std::byte> body) override;
  std::size_t poll(TimePoint now, const Deliver& deliver) override;
  void flush() override;

  int descriptor() const;
  std::uint16_t local_port() const { return net::local_port(*socket_); }
  const UdpLayerCounters& counters() const { return counters_; }

 private:
  UdpLayer(PortIndex port, std::shared_ptr<const net::Descriptor> socket,
           const net::SocketAddress& peer, std::size_t frame_octets_max);

  const PortIndex port_;
  const std::size_t frame_octets_max_;
  std::shared_ptr<const net::Descriptor> socket_;
  net::SocketAddress peer_;
  net::DatagramBatch in_;
  net::DatagramBatch out_;
  std::size_t filled_ = 0;  // datagrams of out_ that wait for flush()
  UdpLayerCounters counters_;
};

}  // namespace xbind::smds
