// One HTTP connection: it reads requests one after another, writes their answers, and may become an
// event stream. All its functions run on the server's thread, except where Reply comes from.
//
//   read ──▶ OnRequest ──Reply──▶ write ──▶ read ...          keep-alive
//                                   ├────▶ linger ──▶ end      refused, or Connection: close
//                                   └────▶ stream until the peer goes or is cut off
#pragma once

#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "console/http_message.hpp"
#include "console/http_server.hpp"
#include "console/problem.hpp"
#include "console/stream_queue.hpp"

namespace xbind::console {

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  // The server, as its sessions see it; it outlives them.
  struct Server {
    HttpLimits limits;
    HttpServer::OnRequest on_request;
    std::function<void(HttpSession&)> on_end;        // once
    std::function<bool(HttpSession&)> begin_stream;  // false: there are too many streams
    HttpServer::OnStream on_stream;
    std::function<void(bool refused)> on_answer;
    std::function<void()> on_cut_off;
  };

  HttpSession(boost::asio::ip::tcp::socket socket, const Server& server);

  void start();
  // Answers the problem without reading a request, and ends.
  void turn_away(const Problem& problem);
  // To a stream: the event, unless its first one contains it.
  void send_event(std::uint64_t number, const StreamQueue::Text& text);
  void end();

 private:
  using Error = boost::system::error_code;

  void read();
  void on_read(const Error& error);
  void hand_over();
  void answer(const HttpAnswer& answer);
  void refuse(const Problem& problem);
  void become_stream();
  void watch_peer();
  void push(StreamQueue::Text text);
  void write();
  void on_written(const Error& error, std::size_t octets);
  void on_all_written();
  void linger();
  void cut_off();

  const Server& server_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  StreamQueue queue_;
  std::size_t written_ = 0;  // octets of the queue's first text
  std::array<char, 4096> rest_{};
  std::size_t rest_octets_ = 0;  // read after the last request
  std::uint64_t first_number_ = 0;
  bool head_only_ = false;
  bool keep_alive_ = true;
  bool streaming_ = false;
  bool ended_ = false;
};

}  // namespace xbind::console
