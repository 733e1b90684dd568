// An address of an option: a host and a TCP or UDP port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace xbind {

struct HostPort {
  std::string host;  // a name, an IPv4 address, or an IPv6 address without brackets
  std::uint16_t port = 0;
};
// "host:port", "[::1]:port"; kBadInput otherwise.
Result<HostPort> parse_host_port(std::string_view text);

}  // namespace xbind
