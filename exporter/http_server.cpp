#include "exporter/http_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/first_usable.hpp"
#include "core/steady_now.hpp"
#include "exporter/timers.hpp"

namespace xbind::exporter {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Error = boost::system::error_code;

// Octets of one write: the peer must read each of them in time.
constexpr std::size_t kWriteOctets = std::size_t{16} << 10;
// Octets of a body that are read after the answer, so that the kernel does not discard the answer.
constexpr std::size_t kRestOctetsMax = std::size_t{64} << 10;

std::string_view reason_of(int status) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(status));
  return {reason.data(), reason.size()};
}

std::string text_of(const HttpAnswer& answer, bool with_body) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n",
      answer.status, reason_of(answer.status), answer.type, answer.body.size(),
      answer.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  if (with_body) text += answer.body;
  return text;
}

// Without the query; of "http://host/path" the path.
std::string path_of(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (!target.starts_with('/')) {
    const std::size_t scheme = target.find("://");
    const std::size_t path =
        scheme == std::string_view::npos ? scheme : target.find('/', scheme + 3);
    return path == std::string_view::npos ? "/" : std::string(target.substr(path));
  }
  return std::string(target);
}

// What a connection needs of its server, which outlives it.
struct Shared {
  HttpServer::OnGet on_get;
  HttpServer::OnRefused on_refused;
  std::function<void()> on_end;  // of a connection; any thread
};

// One connection, one request. Its handlers run one at a time, on any of the server's threads.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const Shared& shared)
      : shared_(shared),
        stream_(std::move(socket)),
        buffer_(HttpServer::kRequestOctetsMax + kRestOctetsMax) {
    Error ignored;
    stream_.socket().set_option(tcp::no_delay(true), ignored);
    parser_.header_limit(HttpServer::kRequestOctetsMax);
  }
  ~Connection() { shared_.on_end(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->read(); });
  }

 private:
  void read() {
    stream_.expires_after(kExporterTimers["http-silence"]);
    http::async_read_header(
        stream_, buffer_, parser_,
        [self = shared_from_this()](const Error& error, std::size_t) { self->on_read(error); });
  }

  void on_read(const Error& error) {
    if (!error) return answer();
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return refuse({.status = 431,
                     .body = fmt::format("request line and headers have at most {} octets\n",
                                         HttpServer::kRequestOctetsMax)});
    }
    const bool of_http = error.category() == make_error_code(http::error::bad_method).category();
    if (!of_http || error == http::error::end_of_stream || error == http::error::partial_message) {
      return;  // the peer has gone, or sends nothing
    }
    refuse({.status = 400, .body = fmt::format("no request of HTTP/1.1: {}\n", error.message())});
  }

  void refuse(const HttpAnswer& answer) {
    shared_.on_refused();
    write(text_of(answer, true));
  }

  void answer() {
    stream_.expires_never();
    const auto& request = parser_.get();
    const bool head = request.method() == http::verb::head;
    if (!head && request.method() != http::verb::get) {
      return refuse({.status = 405, .body = "only GET and HEAD\n"});
    }
    const auto target = request.target();
    write(text_of(shared_.on_get(path_of({target.data(), target.size()})), !head));
  }

  void write(std::string text) {
    text_ = std::move(text);
    deadline_ = steady_now() + kExporterTimers["http-answer"];
    write_on();
  }

  void write_on() {
    const Duration left = deadline_ - steady_now();
    if (left <= Duration::zero()) return;
    if (written_ == text_.size()) return end();
    stream_.expires_after(std::min<Duration>(left, kExporterTimers["http-silence"]));
    const std::size_t octets = std::min(text_.size() - written_, kWriteOctets);
    asio::async_write(stream_, asio::buffer(text_.data() + written_, octets),
                      [self = shared_from_this()](const Error& error, std::size_t sent) {
                        self->written_ += sent;
                        if (!error) self->write_on();
                      });
  }

  // Closing with octets unread would reset the connection, and the peer would lose the answer.
  void end() {
    Error ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kExporterTimers["http-silence"]);
    read_rest();
  }

  void read_rest() {
    stream_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this()](const Error& error, std::size_t octets) {
                              self->rest_octets_ += octets;
                              if (!error && self->rest_octets_ < kRestOctetsMax) self->read_rest();
                            });
  }

  const Shared& shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  std::string text_;
  std::size_t written_ = 0;
  TimePoint deadline_{};
  std::array<char, 1024> rest_{};
  std::size_t rest_octets_ = 0;
};

}  // namespace

struct HttpServer::Impl {
  static constexpr std::size_t kConnections = kWorkers + kQueued;

  Shared shared;  // outlives the connections, which end with `io`
  asio::io_context io{kWorkers};
  asio::strand<asio::io_context::executor_type> order{io.get_executor()};
  tcp::acceptor acceptor{order};
  asio::steady_timer retry{order};
  std::string address;
  std::size_t connections = 0;  // within `order`
  bool full = false;            // nothing is accepted until a connection ends
  std::vector<std::thread> threads;

  Result<void> listen(const HostPort& at) {
    Error unknown;
    const auto found = tcp::resolver(io).resolve(at.host, std::to_string(at.port),
                                                 tcp::resolver::passive, unknown);
    const std::error_code error =
        unknown ? std::error_code{unknown} : listen_on_first_usable(found, [this](const auto& one) {
          return listen_at(acceptor, one.endpoint());
        });
    if (error) {
      return fail(ErrorCode::kSystem, "cannot listen on {}: {}", to_string(at), error.message());
    }
    address = to_string(HostPort{at.host, acceptor.local_endpoint().port()});
    return {};
  }

  void accept() {
    full = connections >= kConnections;
    if (full) return;
    acceptor.async_accept(asio::make_strand(io), [this](const Error& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        // Most likely no descriptors are left: an immediate retry would spin.
        retry.expires_after(kExporterTimers["accept-retry"]);
        retry.async_wait([this](const Error& ended) {
          if (!ended) accept();
        });
        return;
      }
      ++connections;
      std::make_shared<Connection>(std::move(socket), shared)->start();
      accept();
    });
  }

  void ended() {
    --connections;
    if (full) accept();
  }

  void run() {
    shared.on_end = [this] { asio::post(order, [this] { ended(); }); };
    asio::post(order, [this] { accept(); });
    for (int i = 0; i < kWorkers; ++i) threads.emplace_back([this] { io.run(); });
  }

  void stop() {
    io.stop();
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    // The connections that are left end with the handlers that `io` destroys.
    shared.on_end = [] {};
  }
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { impl_->stop(); }

const std::string& HttpServer::address() const { return impl_->address; }

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HostPort& listen, OnGet on_get,
                                                     OnRefused on_refused) {
  auto impl = std::make_unique<Impl>();
  impl->shared.on_get = std::move(on_get);
  impl->shared.on_refused = std::move(on_refused);
  if (const auto listening = impl->listen(listen); !listening) {
    return tl::make_unexpected(listening.error());
  }
  impl->run();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

}  // namespace xbind::exporter
