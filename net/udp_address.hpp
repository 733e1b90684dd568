// The address of an end of a line over UDP, a numeric IP address and a port, and its text. Host
// names are not supported, so no resolver is called. Pure; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace xbind::net {

struct UdpAddress {
  std::string host = "127.0.0.1";  // a numeric IPv4 or IPv6 address, without brackets
  std::uint16_t port = 0;

  friend auto operator<=>(const UdpAddress&, const UdpAddress&) = default;
};
// "127.0.0.1:6635", "[::1]:6635". The host is normalised to its shortest form, so that equal
// addresses are equal strings. kBadInput: another form, no numeric address, or no port 0..65535.
Result<UdpAddress> parse_udp_address(std::string_view text);
std::string to_string(const UdpAddress& address);
bool is_ipv6(const UdpAddress& address);

}  // namespace xbind::net
