// A control socket: peers send lines, and each is answered with lines. ask.hpp is the other side.
//
// A peer that sends too long a line, or does not read its answers, loses its connection; the others
// notice nothing. On the thread of a Loop.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "net/lines.hpp"
#include "net/tcp_server.hpp"

namespace xbind::net {

struct LineAnswer {
  std::string text;           // without the end of its line
  std::string close_because;  // empty: the connection stays
};

struct LineServerOptions {
  TcpServerOptions server;
  std::size_t line_octets_max = 1'024;
  std::string too_long;  // the last answer to a peer whose line is longer; empty: none
};

struct LineServerUpcalls {
  std::function<LineAnswer(std::string_view line)> on_line;
  // For a log: a connection that was refused, or ended from this side. May be empty.
  std::function<void(const std::string& what)> on_trouble;
};

class LineServer {
 public:
  // Errors and lifetimes as TcpServer::listen().
  static Result<std::unique_ptr<LineServer>> listen(Loop& loop, LineServerOptions options,
                                                    LineServerUpcalls upcalls);
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

  const std::string& address() const { return server_->address(); }

 private:
  LineServer(LineServerOptions options, LineServerUpcalls upcalls);
  void on_octets(ConnectionKey key, std::string_view octets);
  void trouble(const std::string& what) const;

  const LineServerOptions options_;
  const LineServerUpcalls upcalls_;
  std::map<ConnectionKey, LineSplitter> peers_;
  std::unique_ptr<Server> server_;
};

}  // namespace xbind::net
