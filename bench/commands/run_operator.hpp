// How `xbind-callgen run` is steered while it goes on: by keys at the terminal, and by lines at a
// Unix socket. callgen/run/run_command.hpp lists both.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/processes/terminal_keys.hpp"
#include "callgen/run/conduct.hpp"
#include "core/config/options.hpp"
#include "core/result.hpp"
#include "net/line_server.hpp"
#include "net/loop.hpp"

namespace xbind::callgen {

class RunOperator {
 public:
  // Also declares that --control needs a single generator, whose number `generators` has.
  void declare(config::OptionSet& set, const unsigned& generators);

  // Opens the socket, if one is wanted, and the keyboard, if `keys`. Errors as
  // net::TcpServer::listen().
  Result<void> open(bool keys);
  // Performs what was asked for since the last call.
  void operate(Conduct& conduct);
  // Restores the terminal and removes the socket.
  void close();

 private:
  net::LineAnswer on_line(std::string_view line);

  std::string socket_path_;
  double step_ = 0;             // calls/s
  Conduct* conduct_ = nullptr;  // only within operate()
  net::Loop loop_;
  std::unique_ptr<net::LineServer> socket_;
  std::unique_ptr<TerminalKeys> keys_;
};

}  // namespace xbind::callgen
