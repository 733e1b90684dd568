#include "net/ask.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <utility>

namespace xbind::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Socket = asio::generic::stream_protocol::socket;

// One question, from the connection to the answer. It outlives io.run_for().
class Question {
 public:
  explicit Question(std::string_view line) : request_(std::string(line) + "\n") {}

  asio::io_context io{1};

  // `name` of the peer, for its failures.
  Result<std::string> outcome(const std::string& name, Duration patience) {
    const auto most = std::chrono::duration_cast<std::chrono::steady_clock::duration>(patience);
    io.run_for(most);
    if (!trouble_) return answer_;
    if (trouble_ == asio::error::would_block) {
      return fail(ErrorCode::kTimeout, "{}: {}: nothing within {} ms", name, step_,
                  std::chrono::duration_cast<std::chrono::milliseconds>(patience).count());
    }
    if (trouble_ == asio::error::not_found) {
      return fail(ErrorCode::kProtocol, "{}: an answer of more than {} octets", name,
                  kAnswerOctetsMax);
    }
    return fail(ErrorCode::kUnreachable, "{}: {}: {}", name, step_, trouble_.message());
  }

  void begin(const char* step) { step_ = step; }
  void failed(const error_code& error) { trouble_ = error; }
  void connected(Socket socket) {
    socket_.emplace(std::move(socket));
    asio::async_write(*socket_, asio::buffer(request_),
                      [this](const error_code& error, std::size_t) { written(error); });
  }

 private:
  void written(const error_code& error) {
    begin("answer");
    if (error) return failed(error);
    asio::async_read_until(*socket_, asio::dynamic_buffer(answer_, kAnswerOctetsMax), '\n',
                           [this](const error_code& fault, std::size_t octets) {
                             trouble_ = fault;
                             if (!fault) answer_.resize(octets - 1);
                           });
  }

  const std::string request_;
  std::string answer_;
  std::string step_ = "connect";
  std::optional<Socket> socket_;
  error_code trouble_ = asio::error::would_block;  // until the last step is done
};

}  // namespace

Result<std::string> ask(const HostPort& peer, std::string_view line, Duration patience) {
  Question question(line);
  question.begin("resolve");
  tcp::resolver resolver(question.io);
  tcp::socket socket(question.io);
  const auto on_connected = [&](const error_code& error, const tcp::endpoint&) {
    if (error) return question.failed(error);
    question.connected(std::move(socket));
  };
  resolver.async_resolve(peer.host, std::to_string(peer.port),
                         [&](const error_code& error, const tcp::resolver::results_type& results) {
                           question.begin("connect");
                           if (error) return question.failed(error);
                           asio::async_connect(socket, results, on_connected);
                         });
  return question.outcome(to_string(peer), patience);
}

Result<std::string> ask_at(const std::string& path, std::string_view line, Duration patience) {
  Question question(line);
  asio::local::stream_protocol::socket socket(question.io);
  socket.async_connect(asio::local::stream_protocol::endpoint(path), [&](const error_code& error) {
    if (error) return question.failed(error);
    question.connected(std::move(socket));
  });
  return question.outcome(path, patience);
}

}  // namespace xbind::net
