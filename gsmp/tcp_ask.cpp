#include "gsmp/tcp_ask.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace xbind::gsmp {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Result<std::string> ask(const HostPort& peer, std::string_view line, Duration patience) {
  asio::io_context io{1};
  tcp::resolver resolver(io);
  tcp::socket socket(io);
  const std::string request = std::string(line) + "\n";
  std::string answer;
  std::string step = "resolve";
  error_code trouble = asio::error::would_block;  // until the operation completes

  const auto on_answer = [&](const error_code& error, std::size_t octets) {
    trouble = error;
    if (!error) answer.resize(octets - 1);
  };
  const auto on_written = [&](const error_code& error, std::size_t) {
    step = "answer";
    trouble = error;
    if (error) return;
    trouble = asio::error::would_block;
    asio::async_read_until(socket, asio::dynamic_buffer(answer, kAnswerOctetsMax), '\n', on_answer);
  };
  const auto on_connected = [&](const error_code& error, const tcp::endpoint&) {
    if (error) {
      trouble = error;
      return;
    }
    asio::async_write(socket, asio::buffer(request), on_written);
  };
  const auto on_resolved = [&](const error_code& error,
                               const tcp::resolver::results_type& results) {
    step = "connect";
    if (error) {
      trouble = error;
      return;
    }
    asio::async_connect(socket, results, on_connected);
  };
  resolver.async_resolve(peer.host, std::to_string(peer.port), on_resolved);
  io.run_for(std::chrono::duration_cast<std::chrono::steady_clock::duration>(patience));

  if (!trouble) return answer;
  if (trouble == asio::error::would_block) {
    return fail(ErrorCode::kTimeout, "{}: {}: nothing within {} ms", to_string(peer), step,
                std::chrono::duration_cast<std::chrono::milliseconds>(patience).count());
  }
  if (trouble == asio::error::not_found) {
    return fail(ErrorCode::kProtocol, "{}: an answer of more than {} octets", to_string(peer),
                kAnswerOctetsMax);
  }
  return fail(ErrorCode::kUnreachable, "{}: {}: {}", to_string(peer), step, trouble.message());
}

}  // namespace xbind::gsmp
