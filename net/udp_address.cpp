#include "net/udp_address.hpp"

#include "core/config/host_port.hpp"

namespace xbind::net {

bool is_ipv6(const UdpAddress& address) { return address.host.find(':') != std::string::npos; }

Result<UdpAddress> parse_udp_address(std::string_view text) {
  auto parsed = parse_host_port(text);
  if (!parsed) return tl::make_unexpected(std::move(parsed).error());
  auto numeric = parse_numeric_host(parsed->host);
  if (!numeric) {
    return fail(ErrorCode::kBadInput,
                "'{}': host '{}' is no IPv4 address and no IPv6 one in brackets", text,
                parsed->host);
  }
  return UdpAddress{.host = std::move(*numeric), .port = parsed->port};
}

std::string to_string(const UdpAddress& address) {
  return to_string(HostPort{address.host, address.port});
}

}  // namespace xbind::net
