#include "net/tcp_server.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "core/first_usable.hpp"
#include "net/tcp_connection.hpp"
#include "net/timers.hpp"

namespace xbind::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using unix_stream = asio::local::stream_protocol;
using boost::system::error_code;

namespace {

// Clang 14 evaluates no consteval look-up in a lambda of a template.
constexpr Duration kAcceptRetry = kNetTimers["accept-retry"];

// Removes the file of a socket at which nobody listens. kSystem: somebody does, or it is no socket.
Result<void> remove_abandoned(asio::io_context& io, const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return {};  // nothing there; or bind() says what is wrong
  if (!S_ISSOCK(there.st_mode)) return fail(ErrorCode::kSystem, "{}: is no socket", path);
  unix_stream::socket probe(io);
  error_code error;
  probe.connect(unix_stream::endpoint(path), error);
  if (!error) return fail(ErrorCode::kSystem, "{}: another process listens there", path);
  if (error == asio::error::connection_refused) ::unlink(path.c_str());
  return {};
}

}  // namespace

struct TcpServer::Impl {
  Impl(Loop& loop, TcpServerOptions given_options, ServerUpcalls given_callbacks)
      : options(std::move(given_options)),
        callbacks(std::move(given_callbacks)),
        io(loop.io()),
        acceptor(tcp::acceptor(io)),
        retry(io) {}
  ~Impl() { remove_path(); }

  Result<void> open() { return options.path.empty() ? open_tcp() : open_unix(); }

  Result<void> open_unix() {
    if (auto gone = remove_abandoned(io, options.path); !gone) return gone;
    unix_stream::acceptor opened(io);
    error_code error;
    opened.open(unix_stream(), error);
    if (!error) opened.bind(unix_stream::endpoint(options.path), error);
    if (error) {
      return fail(ErrorCode::kSystem, "listen on {}: {}", options.path, error.message());
    }
    bound = true;
    // Nobody can connect before listen(), so nobody else has been let in.
    if (::chmod(options.path.c_str(), S_IRUSR | S_IWUSR) != 0) {
      return fail(ErrorCode::kSystem, "{}: mode 0600: {}", options.path,
                  std::error_code(errno, std::generic_category()).message());
    }
    opened.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return fail(ErrorCode::kSystem, "listen on {}: {}", options.path, error.message());
    }
    acceptor = std::move(opened);
    address = options.path;
    return {};
  }

  void remove_path() {
    if (std::exchange(bound, false)) ::unlink(options.path.c_str());
  }

  Result<void> open_tcp() {
    auto& listening = std::get<tcp::acceptor>(acceptor);
    error_code error;
    const auto found =
        tcp::resolver(io).resolve(options.listen.host, std::to_string(options.listen.port), error);
    if (error || found.empty()) {
      return fail(ErrorCode::kNotFound, "listen address {}: {}", options.listen.host,
                  error.message());
    }
    const std::error_code fault = listen_on_first_usable(
        found, [&](const auto& one) { return listen_at(listening, one.endpoint()); });
    if (fault) {
      return fail(ErrorCode::kSystem, "listen on {}: {}", to_string(options.listen),
                  fault.message());
    }
    const tcp::endpoint real = listening.local_endpoint();
    real_port = real.port();
    address = to_string(HostPort{real.address().to_string(), real_port});
    return {};
  }

  void accept() {
    std::visit([this](auto& listening) { accept_at(listening); }, acceptor);
  }
  template <class Acceptor>
  void accept_at(Acceptor& listening) {
    listening.async_accept([this](const error_code& error, auto socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        refused("accept: " + error.message());
        // Most likely no descriptors are left: an immediate retry would spin.
        retry.expires_after(kAcceptRetry);
        retry.async_wait([this](const error_code& cancelled) {
          if (!cancelled) accept();
        });
        return;
      }
      if (connections.size() >= options.connections_max) {
        refused(fmt::format("{} connections already", connections.size()));
      } else {
        add(std::move(socket));
      }
      accept();
    });
  }

  void refused(const std::string& reason) {
    if (callbacks.on_refused) callbacks.on_refused(reason);
  }

  void add(StreamSocket socket) {
    const ConnectionKey key = ++last_key;
    auto made = std::make_shared<TcpConnection>(
        std::move(socket),
        TcpConnection::Limits{options.queue_octets_max, options.read_pause_octets},
        TcpConnection::Callbacks{
            [this, key](std::span<const std::byte> octets) { callbacks.on_octets(key, octets); },
            [this, key](const std::string& reason) {
              connections.erase(key);
              callbacks.on_closed(key, reason);
            }});
    connections.emplace(key, made);
    callbacks.on_connected(key);
    made->start();
  }

  void stop() {
    error_code ignored;
    std::visit([&ignored](auto& listening) { listening.close(ignored); }, acceptor);
    remove_path();
    retry.cancel();
    for (const auto& [key, connection] : connections) connection->close("stopped");
  }

  TcpConnection* find(ConnectionKey key) const {
    const auto found = connections.find(key);
    return found == connections.end() ? nullptr : found->second.get();
  }

  const TcpServerOptions options;
  const ServerUpcalls callbacks;
  asio::io_context& io;
  std::variant<tcp::acceptor, unix_stream::acceptor> acceptor;
  bool bound = false;  // the file of the Unix socket is ours
  asio::steady_timer retry;
  std::string address;
  std::uint16_t real_port = 0;
  ConnectionKey last_key = 0;
  std::map<ConnectionKey, std::shared_ptr<TcpConnection>> connections;
};

TcpServer::TcpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
TcpServer::~TcpServer() = default;

Result<std::unique_ptr<TcpServer>> TcpServer::listen(Loop& loop, TcpServerOptions options,
                                                     ServerUpcalls callbacks) {
  auto impl = std::make_shared<Impl>(loop, std::move(options), std::move(callbacks));
  if (auto opened = impl->open(); !opened) return tl::make_unexpected(opened.error());
  loop.on_stop([held = std::weak_ptr(impl)] {
    if (const auto still = held.lock()) still->stop();
  });
  impl->accept();
  return std::unique_ptr<TcpServer>(new TcpServer(std::move(impl)));
}

const std::string& TcpServer::address() const { return impl_->address; }
std::uint16_t TcpServer::port() const { return impl_->real_port; }

Result<void> TcpServer::send(ConnectionKey connection, std::span<const std::byte> octets) {
  const auto found = impl_->connections.find(connection);
  if (found == impl_->connections.end()) {
    return fail(ErrorCode::kUnreachable, "connection {} is closed", connection);
  }
  const auto held = found->second;
  return held->send(octets);
}

void TcpServer::allow(ConnectionKey connection, std::size_t octets) {
  if (TcpConnection* found = impl_->find(connection)) found->allow(octets);
}

void TcpServer::close(ConnectionKey connection, std::string reason) {
  if (TcpConnection* found = impl_->find(connection)) found->close(std::move(reason));
}

void TcpServer::reset(ConnectionKey connection, std::string reason) {
  if (TcpConnection* found = impl_->find(connection)) found->reset(std::move(reason));
}

}  // namespace xbind::net
