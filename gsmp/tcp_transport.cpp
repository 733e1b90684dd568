#include "gsmp/tcp_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <mutex>
#include <thread>
#include <utility>

#include "core/check.hpp"
#include "gsmp/tcp_connection.hpp"

namespace xbind::gsmp {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Result<HostPort> parse_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return fail(ErrorCode::kBadInput, "\"{}\" is not HOST:PORT", text);
  }
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return fail(ErrorCode::kBadInput, "\"{}\" is not HOST:PORT; write [ADDRESS]:PORT", text);
  }
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || host.empty()) {
    return fail(ErrorCode::kBadInput, "\"{}\" is not HOST:PORT with a port of 0 to 65535", text);
  }
  return HostPort{std::string(host), port};
}

namespace {

// A timer that calls back every `period` until its io_context stops.
class Ticker {
 public:
  Ticker(asio::io_context& io, Duration period, const std::function<void()>& on_tick)
      : timer_(io), period_(period), on_tick_(on_tick) {}
  void start() {
    if (!on_tick_ || period_ <= Duration::zero()) return;
    timer_.expires_after(period_);
    timer_.async_wait([this](const error_code& error) {
      if (error) return;
      on_tick_();
      start();
    });
  }
  void stop() { timer_.cancel(); }

 private:
  asio::steady_timer timer_;
  const Duration period_;
  const std::function<void()>& on_tick_;
};

}  // namespace

struct TcpClient::Impl : std::enable_shared_from_this<TcpClient::Impl> {
  Impl(TcpClientOptions given_options, TcpClientCallbacks given_callbacks)
      : options(std::move(given_options)),
        callbacks(std::move(given_callbacks)),
        resolver(io),
        timer(io),
        socket(io),
        ticker(io, options.tick, callbacks.on_tick),
        backoff(options.backoff_min) {}

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
    if (callbacks.on_failed) {
      callbacks.on_failed(fmt::format("{}:{}: {}", options.peer.host, options.peer.port, reason));
    }
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
                                   callbacks.on_octets(octets);
                                 },
                                 [this](const std::string& reason) { closed(reason); }});
    {
      const std::lock_guard lock(mutex);
      connection = made;
    }
    callbacks.on_connected();
    made->start();
  }

  void closed(const std::string& reason) {
    {
      const std::lock_guard lock(mutex);
      connection.reset();
    }
    callbacks.on_closed(reason);
    if (!stopping) retry();
  }

  std::shared_ptr<TcpConnection> current() {
    const std::lock_guard lock(mutex);
    return connection;
  }

  const TcpClientOptions options;
  const TcpClientCallbacks callbacks;
  asio::io_context io{1};
  tcp::resolver resolver;
  asio::steady_timer timer;
  tcp::socket socket;  // of the attempt
  Ticker ticker;
  Duration backoff;
  std::uint64_t attempt = 0;
  bool stopping = false;  // io thread only
  std::mutex mutex;
  std::shared_ptr<TcpConnection> connection;
  std::thread thread;
};

TcpClient::TcpClient(TcpClientOptions options, TcpClientCallbacks callbacks)
    : impl_(std::make_shared<Impl>(std::move(options), std::move(callbacks))) {}

TcpClient::~TcpClient() { stop(); }

void TcpClient::start() {
  XB_CHECK(!impl_->thread.joinable(), impl_->options.peer.host);
  impl_->thread = std::thread([impl = impl_.get()] {
    impl->ticker.start();
    impl->resolve();
    impl->io.run();
  });
}

void TcpClient::stop() {
  if (!impl_->thread.joinable()) return;
  XB_CHECK(impl_->thread.get_id() != std::this_thread::get_id(), impl_->options.peer.host);
  asio::post(impl_->io, [impl = impl_.get()] {
    impl->stopping = true;
    impl->ticker.stop();
    impl->timer.cancel();
    impl->resolver.cancel();
    error_code ignored;
    impl->socket.close(ignored);
    if (const auto connection = impl->current()) connection->close("stopped");
  });
  impl_->thread.join();  // run() ends when nothing is pending any more
}

Result<void> TcpClient::send(std::span<const std::byte> octets) {
  const auto connection = impl_->current();
  if (!connection) {
    return fail(ErrorCode::kUnreachable, "not connected to {}:{}", impl_->options.peer.host,
                impl_->options.peer.port);
  }
  return connection->send(octets);
}

void TcpClient::drop(std::string reason) {
  if (const auto connection = impl_->current()) connection->close(std::move(reason));
}

}  // namespace xbind::gsmp
