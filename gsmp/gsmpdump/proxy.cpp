#include "gsmp/gsmpdump/proxy.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <utility>
#include <vector>

#include "core/first_usable.hpp"
#include "gsmp/gsmpdump/timers.hpp"

namespace xbind::gsmpdump {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kReadOctets = 64U << 10;
constexpr Duration kAcceptAgain = kDumpTimers["accept-retry"];

std::string text(const tcp::endpoint& endpoint) {
  return to_string(HostPort{endpoint.address().to_string(), endpoint.port()});
}

// A controller's connection and its connection to the switch. Pending handlers keep the pair alive.
class Pair : public std::enable_shared_from_this<Pair> {
 public:
  Pair(tcp::socket controller, Dump& dump, const std::function<Micros()>& now)
      : now_(now),
        dump_(dump),
        controller_(std::move(controller)),
        switch_(controller_.get_executor()),
        up_(dump),
        down_(dump) {}

  void start(const std::vector<tcp::endpoint>& targets) {
    error_code ignored;
    controller_.set_option(tcp::no_delay(true), ignored);
    const std::string from = text(controller_.remote_endpoint(ignored));
    asio::async_connect(
        switch_, targets,
        [self = shared_from_this(), from](const error_code& error, const tcp::endpoint& to) {
          if (error) {
            self->dump_.trouble({self->now_(), from}, "no switch: " + error.message());
            return;  // closes the controller's connection
          }
          error_code no_matter;
          self->switch_.set_option(tcp::no_delay(true), no_matter);
          self->up_.seen.way = fmt::format("{} > {}", from, text(to));
          self->down_.seen.way = fmt::format("{} > {}", text(to), from);
          self->dump_.note({self->now_(), self->up_.seen.way}, "connected");
          self->pump(self->controller_, self->switch_, self->up_);
          self->pump(self->switch_, self->controller_, self->down_);
        });
  }

  void close() {
    error_code ignored;
    controller_.close(ignored);
    switch_.close(ignored);
  }

 private:
  struct Way {
    explicit Way(Dump& dump) : messages(dump, true) {}
    Seen seen;
    Stream messages;
    std::array<std::byte, kReadOctets> chunk{};
  };

  // Copies one chunk at a time: reads the next one after this one has been written.
  void pump(tcp::socket& from, tcp::socket& to, Way& way) {
    from.async_read_some(asio::buffer(way.chunk), [self = shared_from_this(), &from, &to, &way](
                                                      const error_code& error, std::size_t octets) {
      way.seen.time = self->now_();
      if (error) return self->ended(error, to, way);
      way.messages.feed(way.seen, std::span(way.chunk).first(octets));
      asio::async_write(to, asio::buffer(way.chunk, octets),
                        [self, &from, &to, &way](const error_code& failed, std::size_t) {
                          if (failed) return self->ended(failed, to, way);
                          self->pump(from, to, way);
                        });
    });
  }

  void ended(const error_code& error, tcp::socket& to, Way& way) {
    way.messages.end(way.seen);
    if (error == asio::error::operation_aborted) return;
    const bool orderly = error == asio::error::eof;
    dump_.note(way.seen, orderly ? "closed" : "closed: " + error.message());
    if (!orderly) return close();
    error_code ignored;
    to.shutdown(tcp::socket::shutdown_send, ignored);
  }

  const std::function<Micros()>& now_;
  Dump& dump_;
  tcp::socket controller_;
  tcp::socket switch_;
  Way up_;    // from the controller
  Way down_;  // from the switch
};

}  // namespace

struct Proxy::Impl {
  Impl(const ProxyOptions& given, Dump& given_dump, std::function<Micros()> given_now)
      : options(given),
        dump(given_dump),
        now(std::move(given_now)),
        acceptor(io),
        retry(io),
        signals(io, SIGINT, SIGTERM) {}

  Result<void> open() {
    error_code error;
    for (const auto& found :
         tcp::resolver(io).resolve(options.to.host, std::to_string(options.to.port), error)) {
      targets.push_back(found.endpoint());
    }
    if (error) {
      return fail(ErrorCode::kNotFound, "switch {}: {}", options.to.host, error.message());
    }
    const auto found =
        tcp::resolver(io).resolve(options.listen.host, std::to_string(options.listen.port), error);
    if (error || found.empty()) {
      return fail(ErrorCode::kNotFound, "listen address {}: {}", options.listen.host,
                  error.message());
    }
    const std::error_code refused = listen_on_first_usable(
        found, [this](const auto& one) { return listen_at(acceptor, one.endpoint()); });
    if (refused) {
      return fail(ErrorCode::kSystem, "listen on {}: {}", to_string(options.listen),
                  refused.message());
    }
    address = text(acceptor.local_endpoint());
    return {};
  }

  void accept() {
    acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        dump.trouble({now(), address}, "not accepted: " + error.message());
        // Most likely no descriptors are left: an immediate retry would spin.
        retry.expires_after(kAcceptAgain);
        retry.async_wait([this](const error_code& cancelled) {
          if (!cancelled) accept();
        });
        return;
      }
      std::erase_if(pairs, [](const std::weak_ptr<Pair>& pair) { return pair.expired(); });
      if (pairs.size() >= options.connections_max) {
        dump.trouble({now(), address},
                     fmt::format("connection refused: {} are open", pairs.size()));
      } else {
        const auto pair = std::make_shared<Pair>(std::move(socket), dump, now);
        pairs.push_back(pair);
        pair->start(targets);
      }
      accept();
    });
  }

  void stop() {
    error_code ignored;
    acceptor.close(ignored);
    retry.cancel();
    for (const auto& weak : pairs) {
      if (const auto pair = weak.lock()) pair->close();
    }
  }

  const ProxyOptions options;
  Dump& dump;
  const std::function<Micros()> now;
  asio::io_context io{1};
  tcp::acceptor acceptor;
  asio::steady_timer retry;
  asio::signal_set signals;
  std::vector<tcp::endpoint> targets;
  std::vector<std::weak_ptr<Pair>> pairs;
  std::string address;
};

Proxy::Proxy(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Proxy::~Proxy() = default;

Result<std::unique_ptr<Proxy>> Proxy::listen(const ProxyOptions& options, Dump& dump,
                                             std::function<Micros()> now) {
  auto impl = std::make_unique<Impl>(options, dump, std::move(now));
  if (auto opened = impl->open(); !opened) return tl::make_unexpected(opened.error());
  return std::unique_ptr<Proxy>(new Proxy(std::move(impl)));
}

const std::string& Proxy::address() const { return impl_->address; }

void Proxy::run() {
  impl_->signals.async_wait([impl = impl_.get()](const error_code& error, int) {
    if (!error) impl->stop();
  });
  impl_->accept();
  impl_->io.run();
}

}  // namespace xbind::gsmpdump
