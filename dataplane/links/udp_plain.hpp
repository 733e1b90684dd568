// A line over UDP, in either of two forms: cells in MPLS (mpls.hpp), many in a datagram, or plain
// (plain.hpp), one in each, to somebody else's ATM switch. The one file of the data plane with sockets.
//
// Many datagrams go in one system call and come in one. Never blocks; whoever wants to wait for cells
// polls descriptor(). There is no acknowledgement: what the network loses is lost, as on a line.
//
// Only datagrams from the peer's address are taken. With MPLS from any port of it, for RFC 7510 lets
// the sender choose that; plain from the peer's port only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "dataplane/links/link.hpp"
#include "dataplane/links/mpls.hpp"

namespace xbind::dataplane {

struct UdpAddress {
  std::string host = "127.0.0.1";  // an IPv4 or IPv6 address in numbers
  std::uint16_t port = 0;
};

enum class UdpForm : std::uint8_t { kMpls, kPlain };

struct UdpLinkOptions {
  UdpForm form = UdpForm::kMpls;
  UdpAddress local{};  // port 0: one that the operating system chooses
  // The peer; port 0: not known yet, nothing is sent or taken before set_peer_port().
  UdpAddress peer{};
  // Of the pseudowire in both directions, kMplsLabelMin..kMplsLabelMax; not used with kPlain.
  std::uint32_t label = 1000;
  std::size_t cells_per_datagram = 24;  // 1..170; 28 fill an Ethernet frame, 170 one of 9000 octets
  HeaderForm plain_header = HeaderForm::kNni;  // kUni: cells with a VPI above 255 are lost, counted
  std::size_t socket_buffer_octets = 1U << 20;  // asked of the operating system, each way
};

class UdpLink final : public Link {
 public:
  // kBadInput: an option out of its range, or a host that is no address; kSystem: no such socket here.
  static Result<std::unique_ptr<UdpLink>> open(const UdpLinkOptions& options);
  ~UdpLink() override;
  UdpLink(const UdpLink&) = delete;
  UdpLink& operator=(const UdpLink&) = delete;

  std::size_t receive(std::span<Cell> cells) override;
  std::size_t send(std::span<const Cell> cells) override;
  const LinkCounters& counters() const override;

  std::uint16_t local_port() const;
  void set_peer_port(std::uint16_t port);
  int descriptor() const;  // of the socket, for poll(); stays ours

 private:
  struct State;
  explicit UdpLink(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace xbind::dataplane
