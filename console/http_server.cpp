#include "console/http_server.hpp"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "console/http_session.hpp"
#include "console/timers.hpp"
#include "core/first_usable.hpp"

namespace xbind::console {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Peers beyond the bound of connections that get an answer at a time; further ones are closed.
constexpr std::size_t kTurnedAway = 64;

Problem too_many(std::size_t connections) {
  return {.status = 503,
          .name = "too-many-connections",
          .detail = fmt::format("there are {} connections already", connections),
          .value = fmt::format("{}", connections),
          .advice = "close other windows of this console, or end what holds its connections"};
}

}  // namespace

struct HttpServer::Impl {
  explicit Impl(const HttpLimits& limits) { shared.limits = limits; }

  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer retry{io};
  asio::steady_timer beat{io};
  HostPort address;
  HttpSession::Server shared;
  std::set<std::shared_ptr<HttpSession>> sessions;
  std::set<HttpSession*> streams;
  std::thread thread;
  std::atomic<std::uint64_t> connections = 0, streaming = 0, requests = 0, refused = 0, cut_off = 0;

  void accept() {
    acceptor.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        retry.expires_after(kConsoleTimers["accept-retry"]);
        retry.async_wait([this](const boost::system::error_code& ended) {
          if (!ended) accept();
        });
        return;
      }
      take(std::move(socket));
      accept();
    });
  }

  void take(tcp::socket socket) {
    const std::size_t bound = shared.limits.connections;
    if (sessions.size() >= bound + kTurnedAway) {
      ++refused;
      return;  // closes the socket
    }
    const auto session = std::make_shared<HttpSession>(std::move(socket), shared);
    const bool room = sessions.size() < bound;
    sessions.insert(session);
    connections = sessions.size();
    if (room) {
      session->start();
    } else {
      session->turn_away(too_many(bound));
    }
  }

  void forget(HttpSession& session) {
    streams.erase(&session);
    sessions.erase(session.shared_from_this());
    connections = sessions.size();
    streaming = streams.size();
  }

  void tell_streams(std::uint64_t number, const std::shared_ptr<const std::string>& text) {
    // A stream that is cut off leaves the set.
    const std::vector<HttpSession*> all(streams.begin(), streams.end());
    for (HttpSession* const stream : all) stream->send_event(number, text);
  }

  void keep_beating() {
    beat.expires_after(kConsoleTimers["stream-beat"]);
    beat.async_wait([this](const boost::system::error_code& ended) {
      if (ended) return;
      tell_streams(UINT64_MAX, std::make_shared<const std::string>(": still here\n\n"));
      keep_beating();
    });
  }

  void connect_sessions(OnRequest on_request, OnStream on_stream) {
    shared.on_request = [this, on_request = std::move(on_request)](const HttpRequest& request,
                                                                   Reply reply) {
      ++requests;
      on_request(request, std::move(reply));
    };
    shared.on_stream = std::move(on_stream);
    shared.on_end = [this](HttpSession& session) { forget(session); };
    shared.begin_stream = [this](HttpSession& session) {
      if (streams.size() >= shared.limits.streams) return false;
      streams.insert(&session);
      streaming = streams.size();
      return true;
    };
    shared.on_answer = [this](bool was_refused) { refused += was_refused ? 1 : 0; };
    shared.on_cut_off = [this] { ++cut_off; };
  }
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { stop(); }

const HostPort& HttpServer::address() const { return impl_->address; }

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HostPort& listen,
                                                     const HttpLimits& limits) {
  auto impl = std::make_unique<Impl>(limits);
  boost::system::error_code unknown;
  const auto found = tcp::resolver(impl->io).resolve(listen.host, std::to_string(listen.port),
                                                     tcp::resolver::passive, unknown);
  const std::error_code error =
      unknown ? std::error_code{unknown} : listen_on_first_usable(found, [&](const auto& one) {
        return listen_at(impl->acceptor, one.endpoint());
      });
  if (error) {
    return fail(ErrorCode::kSystem, "cannot listen on {}: {}", to_string(listen), error.message());
  }
  impl->address = {listen.host, impl->acceptor.local_endpoint().port()};
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

void HttpServer::start(OnRequest on_request, OnStream on_stream) {
  impl_->connect_sessions(std::move(on_request), std::move(on_stream));
  impl_->accept();
  impl_->keep_beating();
  impl_->thread = std::thread([this] { impl_->io.run(); });
}

void HttpServer::stop() {
  if (!impl_->thread.joinable()) return;
  impl_->io.stop();
  impl_->thread.join();
}

void HttpServer::publish(std::uint64_t number, std::shared_ptr<const std::string> text) {
  asio::post(impl_->io,
             [this, number, text = std::move(text)] { impl_->tell_streams(number, text); });
}

HttpCounts HttpServer::counts() const {
  return {impl_->connections, impl_->streaming, impl_->requests, impl_->refused, impl_->cut_off};
}

}  // namespace xbind::console
