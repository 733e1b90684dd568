#include "console/http_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <utility>

#include "console/timers.hpp"

namespace xbind::console {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

// Octets of one write: the peer must read each of them in time.
constexpr std::size_t kWriteOctets = std::size_t{64} << 10;
constexpr std::size_t kRestOctetsMax = std::size_t{64} << 10;

// With every answer. The console's page loads nothing from elsewhere and is in no frame.
constexpr const char* kHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
    "'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

std::string head_of(const HttpAnswer& answer, bool keep_alive) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason_of(answer.status));
  if (answer.status != 304) head += fmt::format("Content-Type: {}\r\n", answer.type);
  if (!answer.stream) {
    const std::size_t octets = answer.body == nullptr ? 0 : answer.body->size();
    if (answer.status != 304) head += fmt::format("Content-Length: {}\r\n", octets);
  }
  bool cached = false;
  for (const auto& [name, value] : answer.headers) {
    head += fmt::format("{}: {}\r\n", name, value);
    cached = cached || name == "Cache-Control";
  }
  if (!cached) head += "Cache-Control: no-store\r\n";
  return head + kHeaders + (keep_alive ? "\r\n" : "Connection: close\r\n\r\n");
}

// The value of a header that may stand once; empty: it stands not at all, or several times.
template <class Request>
std::string only(const Request& request, http::field name) {
  const auto range = request.equal_range(name);
  if (std::distance(range.first, range.second) != 1) return {};
  const auto value = range.first->value();
  return {value.data(), value.size()};
}

template <class Request>
HttpRequest to_request(const Request& request) {
  HttpRequest plain;
  plain.method = std::string(request.method_string());
  plain.target = std::string(request.target());
  plain.host = only(request, http::field::host);
  plain.origin = std::string(request[http::field::origin]);
  if (request.count(http::field::origin) > 1) plain.origin = "(several)";
  plain.site = std::string(request["Sec-Fetch-Site"]);
  plain.content_type = only(request, http::field::content_type);
  plain.if_none_match = only(request, http::field::if_none_match);
  plain.body = request.body();
  return plain;
}

}  // namespace

HttpSession::HttpSession(asio::ip::tcp::socket socket, const Server& server)
    : server_(server), stream_(std::move(socket)), queue_(server.limits.stream_octets) {
  boost::system::error_code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
}

void HttpSession::start() {
  stream_.expires_after(kConsoleTimers["http-request"]);
  read();
}

void HttpSession::turn_away(const Problem& problem) { refuse(problem); }

void HttpSession::end() {
  if (std::exchange(ended_, true)) return;
  boost::system::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  stream_.close();
  server_.on_end(*this);
}

void HttpSession::read() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(server_.limits.head_octets));
  parser_->body_limit(server_.limits.body_octets);
  http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const Error& error, std::size_t) { self->on_read(error); });
}

void HttpSession::on_read(const Error& error) {
  if (ended_) return;
  if (!error) return hand_over();
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return refuse({.status = 431,
                   .name = "header-too-large",
                   .detail = fmt::format("request line and headers have at most {} octets",
                                         server_.limits.head_octets),
                   .value = fmt::format("{}", buffer_.size())});
  }
  if (error == http::error::body_limit) {
    // Not the parser's content_length(): it asserts that the head is complete, and a head whose
    // length is too large never is.
    const auto length = parser_->get()[http::field::content_length];
    return refuse({.status = 413,
                   .name = "body-too-large",
                   .detail = fmt::format("the body of a request has at most {} octets",
                                         server_.limits.body_octets),
                   .value = length.empty() ? "chunked" : std::string(length)});
  }
  if (error == beast::error::timeout) {
    if (buffer_.size() > 0 || parser_->got_some()) server_.on_cut_off();
    return end();
  }
  if (error.category() != make_error_code(http::error::bad_method).category() ||
      error == http::error::end_of_stream || error == http::error::partial_message) {
    return end();  // the peer has gone
  }
  refuse({.status = 400,
          .name = "not-http",
          .detail = "this is no request of HTTP/1.1: " + error.message(),
          .value = error.message()});
}

void HttpSession::hand_over() {
  const auto request = parser_->release();
  head_only_ = request.method() == http::verb::head;
  keep_alive_ = request.keep_alive();
  stream_.expires_never();
  server_.on_request(to_request(request), [self = shared_from_this()](HttpAnswer answer) {
    // From any thread back to the server's.
    asio::post(self->stream_.get_executor(),
               [self, answer = std::move(answer)] { self->answer(answer); });
  });
}

void HttpSession::answer(const HttpAnswer& answer) {
  if (ended_) return;
  if (answer.stream && !head_only_) return become_stream();
  server_.on_answer(answer.status >= 400);
  push(std::make_shared<const std::string>(head_of(answer, keep_alive_)));
  if (answer.body != nullptr && !answer.body->empty() && !head_only_ && answer.status != 304) {
    push(answer.body);
  }
}

void HttpSession::refuse(const Problem& problem) {
  head_only_ = false;
  keep_alive_ = false;
  answer(answer_of(problem));
}

void HttpSession::become_stream() {
  if (!server_.begin_stream(*this)) {
    return answer(answer_of(
        {.status = 503,
         .name = "too-many-streams",
         .detail = fmt::format("there are {} event streams already", server_.limits.streams),
         .value = fmt::format("{}", server_.limits.streams),
         .advice = "close other windows of this console"}));
  }
  server_.on_answer(false);
  streaming_ = true;
  const StreamStart start = server_.on_stream();
  first_number_ = start.number;
  watch_peer();
  push(std::make_shared<const std::string>(
      head_of({.type = "text/event-stream", .stream = true}, false)));
  push(start.text);
}

// A stream's peer has nothing more to say, but its end is to be noticed.
void HttpSession::watch_peer() {
  stream_.async_read_some(asio::buffer(rest_),
                          [self = shared_from_this()](const Error& error, std::size_t octets) {
                            if (self->ended_) return;
                            self->rest_octets_ += octets;
                            if (error || self->rest_octets_ > kRestOctetsMax) return self->end();
                            self->watch_peer();
                          });
}

void HttpSession::send_event(std::uint64_t number, const StreamQueue::Text& text) {
  if (streaming_ && !ended_ && number > first_number_) push(text);
}

void HttpSession::push(StreamQueue::Text text) {
  if (ended_) return;
  const bool idle = queue_.empty();
  if (!queue_.push(std::move(text)) && streaming_) return cut_off();
  if (idle) write();
}

void HttpSession::write() {
  const std::string& text = queue_.front();
  stream_.expires_after(kConsoleTimers["http-write"]);
  asio::async_write(
      stream_, asio::buffer(text.data() + written_, std::min(text.size() - written_, kWriteOctets)),
      [self = shared_from_this()](const Error& error, std::size_t octets) {
        self->on_written(error, octets);
      });
}

void HttpSession::on_written(const Error& error, std::size_t octets) {
  if (ended_) return;
  if (error == beast::error::timeout) return cut_off();
  if (error) return end();
  written_ += octets;
  if (written_ >= queue_.front().size()) {
    queue_.pop();
    written_ = 0;
  }
  if (!queue_.empty()) return write();
  on_all_written();
}

void HttpSession::on_all_written() {
  if (streaming_) return;
  if (!keep_alive_) return linger();
  stream_.expires_after(kConsoleTimers["http-idle"]);
  read();
}

// A socket that is closed while octets wait to be read resets the connection, and the answer is
// lost on its way.
void HttpSession::linger() {
  boost::system::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kConsoleTimers["http-linger"]);
  watch_peer();
}

void HttpSession::cut_off() {
  server_.on_cut_off();
  end();
}

}  // namespace xbind::console
