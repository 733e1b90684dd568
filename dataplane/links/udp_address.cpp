#include "dataplane/links/udp_address.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <optional>

namespace xbind::dataplane {
namespace {

// The form that inet_ntop writes.
std::optional<std::string> shortest(const std::string& host, int family) {
  std::array<std::byte, sizeof(in6_addr)> octets;
  std::array<char, INET6_ADDRSTRLEN> text;
  if (inet_pton(family, host.c_str(), octets.data()) != 1) return std::nullopt;
  return inet_ntop(family, octets.data(), text.data(), text.size());
}

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool is_ipv6(const UdpAddress& address) { return address.host.find(':') != std::string::npos; }

Result<UdpAddress> parse_udp_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return fail(ErrorCode::kBadInput, "'{}' is no HOST:PORT", text);
  std::string_view host = text.substr(0, colon);
  const auto port = port_of(text.substr(colon + 1));
  if (!port) {
    return fail(ErrorCode::kBadInput, "'{}': port '{}' is no number from 0 to 65535", text,
                text.substr(colon + 1));
  }
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  const auto canonical = shortest(std::string(host), brackets ? AF_INET6 : AF_INET);
  if (!canonical) {
    return fail(ErrorCode::kBadInput,
                "'{}': host '{}' is no IPv4 address and no IPv6 one in brackets", text, host);
  }
  return UdpAddress{.host = *canonical, .port = *port};
}

std::string to_string(const UdpAddress& address) {
  return is_ipv6(address) ? fmt::format("[{}]:{}", address.host, address.port)
                          : fmt::format("{}:{}", address.host, address.port);
}

}  // namespace xbind::dataplane
