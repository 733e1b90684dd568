// Where a program takes orders while it runs: the address of its control socket, and its text.
// Pure; any thread.
#pragma once

#include <string>

#include "core/config/host_port.hpp"
#include "core/result.hpp"

namespace xbind::net {

struct ControlAddress {
  std::string path;  // of the Unix socket; empty: TCP
  HostPort tcp;      // port 0: the operating system picks
};
// Reads "tcp:HOST:PORT", or a path, which has a '/'. kBadInput quotes any other text, or a path of
// more than kUnixPathMax octets.
Result<ControlAddress> parse_control_address(const std::string& text);
// A path alone.
Result<std::string> parse_control_path(const std::string& text);

}  // namespace xbind::net
