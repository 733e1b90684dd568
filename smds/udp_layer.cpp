#include "smds/udp_layer.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace xbind::smds {
namespace {

constexpr std::size_t kSocketOctets = 4U << 20;  // each way

}  // namespace

Result<NamedUdpLine> parse_udp_line(std::string_view text) {
  const auto equals = text.find('=');
  const auto slash = text.find('/');
  if (equals == std::string_view::npos || equals == 0 || slash == std::string_view::npos ||
      slash < equals) {
    return fail(ErrorCode::kBadInput, "'{}' is not SUBSCRIBER=LOCAL/PEER, two addresses HOST:PORT",
                text);
  }
  const auto local = net::parse_udp_address(text.substr(equals + 1, slash - equals - 1));
  if (!local) return tl::make_unexpected(local.error());
  const auto peer = net::parse_udp_address(text.substr(slash + 1));
  if (!peer) return tl::make_unexpected(peer.error());
  if (peer->port == 0) return fail(ErrorCode::kBadInput, "'{}': the peer has no port", text);
  return NamedUdpLine{std::string(text.substr(0, equals)), {*local, *peer}};
}

Result<std::unique_ptr<UdpLayer>> UdpLayer::open(PortIndex port, const UdpLine& line,
                                                 std::size_t frame_octets_max) {
  sa_family_t family = 0;
  auto socket = net::open_socket(line.local, kSocketOctets, family);
  if (!socket) return tl::make_unexpected(socket.error());
  const auto peer = net::resolve_peer(line.peer, line.local, family);
  if (!peer) return tl::make_unexpected(peer.error());
  return std::unique_ptr<UdpLayer>(new UdpLayer(port, std::move(*socket), *peer, frame_octets_max));
}

UdpLayer::UdpLayer(PortIndex port, std::shared_ptr<const net::Descriptor> socket,
                   const net::SocketAddress& peer, std::size_t frame_octets_max)
    : port_(port),
      frame_octets_max_(frame_octets_max),
      socket_(std::move(socket)),
      peer_(peer),
      in_(frame_octets_max + 1),
      out_(frame_octets_max) {}

int UdpLayer::descriptor() const { return socket_->number(); }

void UdpLayer::send(PortIndex, std::span<const std::byte> head, std::span<const std::byte> body) {
  const auto octets = out_.at(filled_);
  std::ranges::copy(head, octets.begin());
  std::ranges::copy(body, octets.begin() + static_cast<std::ptrdiff_t>(head.size()));
  out_.put(filled_, head.size() + body.size(), peer_);
  ++filled_;
}

void UdpLayer::flush() {
  if (filled_ == 0) return;
  // What the system does not take is lost, as on any line; the next datagrams may fit.
  const int sent = std::max(out_.send(*socket_, filled_), 0);
  counters_.frames_out += static_cast<std::uint64_t>(sent);
  counters_.lost += filled_ - static_cast<std::size_t>(sent);
  filled_ = 0;
}

std::size_t UdpLayer::poll(TimePoint now, const Deliver& deliver) {
  const std::size_t got = in_.receive(*socket_);
  for (std::size_t index = 0; index < got; ++index) {
    const auto frame = in_.received(index);
    if (!in_.sources[index].same_host(peer_) || in_.sources[index].port() != peer_.port()) {
      ++counters_.foreign;
    } else if (frame.size() > frame_octets_max_) {
      ++counters_.too_long;
    } else {
      ++counters_.frames_in;
      deliver(port_, frame, now);
    }
  }
  return got;
}

}  // namespace xbind::smds
