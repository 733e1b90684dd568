// Where an end of a line over UDP is: an IP address in numbers and a port, and its text. Names of hosts
// are nobody's business here: nothing is asked of a resolver. Pure; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace xbind::dataplane {

struct UdpAddress {
  std::string host = "127.0.0.1";  // an IPv4 or IPv6 address in numbers, without brackets
  std::uint16_t port = 0;

  friend auto operator<=>(const UdpAddress&, const UdpAddress&) = default;
};
// "127.0.0.1:6635", "[::1]:6635". The host comes back in its shortest form, so that equal addresses
// are equal strings. kBadInput: no such form, no address in numbers, or no port 0..65535.
Result<UdpAddress> parse_udp_address(std::string_view text);
std::string to_string(const UdpAddress& address);
bool is_ipv6(const UdpAddress& address);

}  // namespace xbind::dataplane
