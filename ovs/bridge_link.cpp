#include "ovs/bridge_link.hpp"

#include <fmt/format.h>
#include <sys/un.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <utility>

#include "core/back_off.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "net/tcp_client.hpp"
#include "net/tcp_connection.hpp"
#include "ovs/timers.hpp"

namespace xbind::ovs {

namespace asio = boost::asio;

namespace {

// The bridge reads slowly only if it is stuck; the agent's limit of open requests keeps the queue
// far below this.
constexpr std::size_t kQueueOctetsMax = std::size_t{256} << 20;
constexpr std::size_t kPathOctetsMax = sizeof(sockaddr_un::sun_path) - 1;

}  // namespace

Result<BridgeAddress> parse_bridge_address(const std::string& text) {
  BridgeAddress address;
  if (text.starts_with("unix:") && text.size() > 5) {
    address.path = text.substr(5);
    if (address.path.size() > kPathOctetsMax) {
      return fail(ErrorCode::kBadInput, "'{}': the path has {} octets, a socket's at most {}",
                  printable(text), address.path.size(), kPathOctetsMax);
    }
    return address;
  }
  if (text.starts_with("tcp:")) {
    const auto peer = parse_host_port(text.substr(4));
    boost::system::error_code error;
    if (peer && peer->port != 0) asio::ip::make_address(peer->host, error);
    if (peer && peer->port != 0 && !error) return BridgeAddress{{}, peer->host, peer->port};
  }
  return fail(ErrorCode::kBadInput, "'{}' is neither unix:PATH nor tcp:ADDRESS:PORT",
              printable(text));
}

std::string to_string(const BridgeAddress& address) {
  if (!address.path.empty()) return "unix:" + address.path;
  return "tcp:" + to_string(HostPort{address.host, address.port});
}

struct BridgeLink::Impl : std::enable_shared_from_this<BridgeLink::Impl> {
  Impl(net::Loop& at_loop, BridgeAddress to, BridgeLinkCallbacks calls)
      : loop(at_loop), address(std::move(to)), callbacks(std::move(calls)) {}

  net::StreamSocket::endpoint_type endpoint() const {
    if (!address.path.empty()) return asio::local::stream_protocol::endpoint(address.path);
    return asio::ip::tcp::endpoint(asio::ip::make_address(address.host), address.port);
  }

  void connect() {
    next = kNever;
    auto socket = std::make_shared<net::StreamSocket>(loop.io());
    const auto to = endpoint();
    boost::system::error_code error;
    socket->open(to.protocol(), error);
    if (error) return failed(error.message(), false);
    socket->async_connect(
        to, [self = shared_from_this(), socket](const boost::system::error_code& result) {
          if (self->ended) return;
          if (result) return self->failed(result.message(), false);
          self->connection = std::make_shared<net::TcpConnection>(
              std::move(*socket), net::TcpConnection::Limits{kQueueOctetsMax, 0},
              net::TcpConnection::Callbacks{[self](std::span<const std::byte> octets) {
                                              if (!self->ended) self->callbacks.on_octets(octets);
                                            },
                                            [self](const std::string& reason) {
                                              self->connection.reset();
                                              if (!self->ended) self->failed(reason, true);
                                            }});
          self->connection->start();
          self->callbacks.on_connected();
        });
  }

  void failed(const std::string& reason, bool was_connected) {
    next = steady_now() + wait.next();
    callbacks.on_closed(reason, was_connected);
  }

  net::Loop& loop;
  BridgeAddress address;
  BridgeLinkCallbacks callbacks;
  std::shared_ptr<net::TcpConnection> connection;
  BackOff wait{{kOvsTimers["bridge-retry-min"], kOvsTimers["bridge-retry-max"]}};
  TimePoint next{};  // at once
  bool ended = false;
};

BridgeLink::BridgeLink(net::Loop& loop, BridgeAddress address, BridgeLinkCallbacks callbacks)
    : impl_(std::make_shared<Impl>(loop, std::move(address), std::move(callbacks))) {
  loop.on_stop([impl = std::weak_ptr(impl_)] {
    const auto there = impl.lock();
    if (!there) return;
    there->ended = true;
    if (there->connection) there->connection->close("this process ends");
  });
}

BridgeLink::~BridgeLink() { impl_->ended = true; }

void BridgeLink::tick(TimePoint now) {
  if (!impl_->ended && impl_->next <= now) impl_->connect();
}

TimePoint BridgeLink::next_attempt() const { return impl_->ended ? kNever : impl_->next; }

void BridgeLink::well() { impl_->wait.reset(); }

// A failed send closes the connection; on_closed follows.
void BridgeLink::send(std::span<const std::byte> octets) {
  if (!impl_->connection) return;
  if (const auto sent = impl_->connection->send(octets); !sent)
    impl_->connection->close(sent.error().text);
}

void BridgeLink::close(const std::string& reason) {
  if (impl_->connection) impl_->connection->close(reason);
}

}  // namespace xbind::ovs
