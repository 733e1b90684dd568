#include "gsmp/tcp_server.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <utility>

#include "core/first_usable.hpp"
#include "gsmp/messages/timers.hpp"
#include "gsmp/tcp_connection.hpp"

namespace xbind::gsmp {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct TcpServer::Impl {
  Impl(TcpLoop& loop, TcpServerOptions given_options, TcpServerCallbacks given_callbacks)
      : options(std::move(given_options)),
        callbacks(std::move(given_callbacks)),
        io(loop.io()),
        acceptor(io),
        retry(io) {}

  Result<void> open() {
    error_code error;
    const auto found =
        tcp::resolver(io).resolve(options.listen.host, std::to_string(options.listen.port), error);
    if (error || found.empty()) {
      return fail(ErrorCode::kNotFound, "listen address {}: {}", options.listen.host,
                  error.message());
    }
    const std::error_code fault = listen_on_first_usable(
        found, [this](const auto& one) { return listen_at(acceptor, one.endpoint()); });
    if (fault) {
      return fail(ErrorCode::kSystem, "listen on {}: {}", to_string(options.listen),
                  fault.message());
    }
    const tcp::endpoint real = acceptor.local_endpoint();
    real_port = real.port();
    address = to_string(HostPort{real.address().to_string(), real_port});
    return {};
  }

  void accept() {
    acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        refused("accept: " + error.message());
        // Most likely no descriptors are left: an immediate retry would spin.
        retry.expires_after(kGsmpTimers["accept-retry"]);
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

  void add(tcp::socket socket) {
    const TcpConnectionKey key = ++last_key;
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
    acceptor.close(ignored);
    retry.cancel();
    for (const auto& [key, connection] : connections) connection->close("stopped");
  }

  TcpConnection* find(TcpConnectionKey key) const {
    const auto found = connections.find(key);
    return found == connections.end() ? nullptr : found->second.get();
  }

  const TcpServerOptions options;
  const TcpServerCallbacks callbacks;
  asio::io_context& io;
  tcp::acceptor acceptor;
  asio::steady_timer retry;
  std::string address;
  std::uint16_t real_port = 0;
  TcpConnectionKey last_key = 0;
  std::map<TcpConnectionKey, std::shared_ptr<TcpConnection>> connections;
};

TcpServer::TcpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
TcpServer::~TcpServer() = default;

Result<std::unique_ptr<TcpServer>> TcpServer::listen(TcpLoop& loop, TcpServerOptions options,
                                                     TcpServerCallbacks callbacks) {
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

Result<void> TcpServer::send(TcpConnectionKey connection, std::span<const std::byte> octets) {
  const auto found = impl_->connections.find(connection);
  if (found == impl_->connections.end()) {
    return fail(ErrorCode::kUnreachable, "connection {} is closed", connection);
  }
  const auto held = found->second;
  return held->send(octets);
}

void TcpServer::allow(TcpConnectionKey connection, std::size_t octets) {
  if (TcpConnection* found = impl_->find(connection)) found->allow(octets);
}

void TcpServer::close(TcpConnectionKey connection, std::string reason) {
  if (TcpConnection* found = impl_->find(connection)) found->close(std::move(reason));
}

void TcpServer::reset(TcpConnectionKey connection, std::string reason) {
  if (TcpConnection* found = impl_->find(connection)) found->reset(std::move(reason));
}

}  // namespace xbind::gsmp
