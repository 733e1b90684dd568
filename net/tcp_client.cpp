#include "net/tcp_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <thread>
#include <utility>

#include "core/check.hpp"
#include "net/tcp_connection.hpp"

namespace xbind::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct TcpClient::Impl : std::enable_shared_from_this<TcpClient::Impl> {
  explicit Impl(TcpClientOptions given)
      : options(std::move(given)),
        resolver(io),
        timer(io),
        socket(io),
        backoff(options.backoff_min) {}

  std::string peer() const { return to_string(options.peer); }

  void resolve() {
    const std::uint64_t mine = ++attempt;
    timer.expires_after(options.connect_timeout);
    timer.async_wait([this, mine](const error_code& error) {
      if (error || mine != attempt) return;
      failed(mine, "connect: no answer in time");
    });
    resolver.async_resolve(options.peer.host, std::to_string(options.peer.port),
                           [this, mine](const error_code& error, const auto& results) {
                             if (mine != attempt || stopping) return;
                             if (error) return failed(mine, "resolve: " + error.message());
                             connect(mine, results);
                           });
  }

  void connect(std::uint64_t mine, const tcp::resolver::results_type& results) {
    socket = tcp::socket(io);
    asio::async_connect(socket, results, [this, mine](const error_code& error, const auto&) {
      if (mine != attempt || stopping) return;
      if (error) return failed(mine, "connect: " + error.message());
      timer.cancel();
      ++attempt;
      connected();
    });
  }

  void failed(std::uint64_t mine, const std::string& reason) {
    if (mine != attempt || stopping) return;
    ++attempt;  // handlers of this attempt are stale
    error_code ignored;
    socket.close(ignored);
    resolver.cancel();
    failed_attempts.fetch_add(1, std::memory_order_relaxed);
    upcalls.on_failed(fmt::format("{}: {}", peer(), reason));
    retry();
  }

  void retry() {
    timer.expires_after(backoff);
    timer.async_wait([this](const error_code& error) {
      if (!error && !stopping) resolve();
    });
    backoff = std::min(backoff * 2, options.backoff_max);
  }

  void connected() {
    auto made = std::make_shared<TcpConnection>(
        std::move(socket), TcpConnection::Limits{options.queue_octets_max, 0},
        TcpConnection::Callbacks{[this](std::span<const std::byte> octets) {
                                   backoff = options.backoff_min;
                                   octets_in.fetch_add(octets.size(), std::memory_order_relaxed);
                                   upcalls.on_octets(octets);
                                 },
                                 [this](const std::string& reason) { closed(reason); }});
    {
      const std::lock_guard lock(mutex);
      connection = made;
    }
    connections.fetch_add(1, std::memory_order_relaxed);
    upcalls.on_connected();
    made->start();
  }

  void closed(const std::string& reason) {
    {
      const std::lock_guard lock(mutex);
      connection.reset();
    }
    upcalls.on_closed(reason);
    if (!stopping) retry();
  }

  std::shared_ptr<TcpConnection> current() {
    const std::lock_guard lock(mutex);
    return connection;
  }

  const TcpClientOptions options;
  TransportUpcalls upcalls;  // set before the thread starts
  asio::io_context io{1};
  tcp::resolver resolver;
  asio::steady_timer timer;
  tcp::socket socket;  // of the attempt
  Duration backoff;
  std::uint64_t attempt = 0;
  bool stopping = false;  // io thread only
  std::mutex mutex;
  std::shared_ptr<TcpConnection> connection;
  std::thread thread;
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> failed_attempts{0};
  std::atomic<std::uint64_t> octets_in{0};
  std::atomic<std::uint64_t> octets_out{0};
};

TcpClient::TcpClient(TcpClientOptions options)
    : impl_(std::make_shared<Impl>(std::move(options))) {}

TcpClient::~TcpClient() { TcpClient::stop(); }

void TcpClient::start(TransportUpcalls upcalls) {
  XB_CHECK(!impl_->thread.joinable(), impl_->peer());
  impl_->upcalls = std::move(upcalls);
  impl_->thread = std::thread([impl = impl_.get()] {
    impl->resolve();
    impl->io.run();
  });
}

void TcpClient::stop() {
  if (!impl_->thread.joinable()) return;
  XB_CHECK(impl_->thread.get_id() != std::this_thread::get_id(), impl_->peer());
  asio::post(impl_->io, [impl = impl_.get()] {
    impl->stopping = true;
    impl->timer.cancel();
    impl->resolver.cancel();
    error_code ignored;
    impl->socket.close(ignored);
    if (const auto connection = impl->current()) connection->close("stopped");
  });
  impl_->thread.join();  // run() returns when no handler is pending
}

Result<void> TcpClient::send(std::span<const std::byte> octets) {
  const auto connection = impl_->current();
  if (!connection) {
    return fail(ErrorCode::kUnreachable, "not connected to {}", impl_->peer());
  }
  auto sent = connection->send(octets);
  if (sent) impl_->octets_out.fetch_add(octets.size(), std::memory_order_relaxed);
  return sent;
}

void TcpClient::drop(std::string reason) {
  if (const auto connection = impl_->current()) connection->close(std::move(reason));
}

std::string TcpClient::peer() const { return impl_->peer(); }

TransportCounters TcpClient::counters() const {
  return {impl_->connections.load(std::memory_order_relaxed),
          impl_->failed_attempts.load(std::memory_order_relaxed),
          impl_->octets_in.load(std::memory_order_relaxed),
          impl_->octets_out.load(std::memory_order_relaxed)};
}

}  // namespace xbind::net
