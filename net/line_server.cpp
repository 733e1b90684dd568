#include "net/line_server.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace xbind::net {

Result<std::unique_ptr<LineServer>> LineServer::listen(Loop& loop, LineServerOptions options,
                                                       LineServerUpcalls upcalls) {
  std::unique_ptr<LineServer> made(new LineServer(std::move(options), std::move(upcalls)));
  ServerUpcalls calls;
  calls.on_connected = [self = made.get()](ConnectionKey key) {
    self->peers_.emplace(key, LineSplitter(self->options_.line_octets_max));
  };
  calls.on_octets = [self = made.get()](ConnectionKey key, std::span<const std::byte> octets) {
    self->on_octets(key, {reinterpret_cast<const char*>(octets.data()), octets.size()});
  };
  calls.on_closed = [self = made.get()](ConnectionKey key, const std::string&) {
    self->peers_.erase(key);
  };
  calls.on_refused = [self = made.get()](const std::string& reason) {
    self->trouble("connection refused: " + reason);
  };
  auto opened = TcpServer::listen(loop, made->options_.server, std::move(calls));
  if (!opened) return tl::make_unexpected(opened.error());
  made->server_ = std::move(*opened);
  return made;
}

LineServer::LineServer(LineServerOptions options, LineServerUpcalls upcalls)
    : options_(std::move(options)), upcalls_(std::move(upcalls)) {}

void LineServer::trouble(const std::string& what) const {
  if (upcalls_.on_trouble) upcalls_.on_trouble(what);
}

void LineServer::on_octets(ConnectionKey key, std::string_view octets) {
  const auto found = peers_.find(key);
  if (found == peers_.end()) return;
  std::string answers;
  std::string close_because;
  const bool fits = found->second.feed(octets, [&](std::string_view line) {
    if (!close_because.empty()) return;
    LineAnswer answer = upcalls_.on_line(line);
    answers += answer.text + "\n";
    close_because = std::move(answer.close_because);
  });
  if (!fits && close_because.empty()) {
    close_because = fmt::format("a line of more than {} octets", options_.line_octets_max);
    if (!options_.too_long.empty()) answers += options_.too_long + "\n";
  }
  // A peer that does not read its answers loses the connection and its queue.
  if (!answers.empty() && !server_->send(key, std::as_bytes(std::span(answers)))) return;
  if (close_because.empty()) return;
  trouble(fmt::format("connection {}: {}", key, close_because));
  server_->close(key, std::move(close_because));
}

}  // namespace xbind::net
