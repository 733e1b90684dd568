#include "core/config/host_port.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace xbind {
namespace {

// The form that inet_ntop writes.
std::optional<std::string> shortest(std::string_view address, int family) {
  std::array<std::byte, sizeof(in6_addr)> octets;
  std::array<char, INET6_ADDRSTRLEN> text;
  if (inet_pton(family, std::string(address).c_str(), octets.data()) != 1) return std::nullopt;
  return inet_ntop(family, octets.data(), text.data(), text.size());
}

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

std::optional<std::string> ipv6_of(std::string_view text) {
  const std::size_t percent = std::min(text.find('%'), text.size());
  const std::string_view zone = text.substr(percent);
  const auto address = shortest(text.substr(0, percent), AF_INET6);
  if (!address || zone == "%") return std::nullopt;
  if (!std::ranges::all_of(zone.substr(zone.empty() ? 0 : 1), is_name_letter)) return std::nullopt;
  return *address + std::string(zone);
}

std::optional<std::string> name_or_ipv4_of(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, is_name_letter)) return std::nullopt;
  return std::string(text);
}

std::optional<std::uint16_t> port_of(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return port;
}

tl::unexpected<Error> no_host(std::string_view text) {
  return fail(ErrorCode::kBadInput, "\"{}\" has no host: a name, an IPv4 or an IPv6 address", text);
}

}  // namespace

Result<HostMaybePort> parse_host_maybe_port(std::string_view text) {
  // With two colons or more and no bracket this is an IPv6 address alone.
  if (!text.starts_with('[') && std::ranges::count(text, ':') > 1) {
    if (auto host = ipv6_of(text)) return HostMaybePort{std::move(*host), std::nullopt};
    return fail(ErrorCode::kBadInput, "\"{}\" is no IPv6 address; with a port write [ADDRESS]:PORT",
                text);
  }
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return no_host(text);
  const std::size_t colon = std::min(text.find(':', bracket), text.size());
  const std::string_view word = text.substr(0, colon);
  auto host = bracket == 0          ? name_or_ipv4_of(word)
              : word.ends_with(']') ? ipv6_of(word.substr(1, word.size() - 2))
                                    : std::nullopt;
  if (!host) return no_host(text);
  if (colon == text.size()) return HostMaybePort{std::move(*host), std::nullopt};
  const auto port = port_of(text.substr(colon + 1));
  if (!port) {
    return fail(ErrorCode::kBadInput, "\"{}\" is not HOST:PORT with a port of 0 to 65535", text);
  }
  return HostMaybePort{std::move(*host), *port};
}

Result<HostPort> parse_host_port(std::string_view text) {
  auto parsed = parse_host_maybe_port(text);
  if (!parsed) return tl::make_unexpected(std::move(parsed).error());
  if (!parsed->port) {
    return fail(ErrorCode::kBadInput, "\"{}\" is not HOST:PORT{}", text,
                parsed->host.find(':') == std::string::npos ? "" : "; write [ADDRESS]:PORT");
  }
  return HostPort{std::move(parsed->host), *parsed->port};
}

Result<std::string> parse_numeric_host(std::string_view text) {
  const auto parsed = parse_host_maybe_port(text);
  if (parsed && !parsed->port) {
    if (parsed->host.find(':') != std::string::npos) return parsed->host;
    if (auto address = shortest(parsed->host, AF_INET)) return std::move(*address);
  }
  return fail(ErrorCode::kBadInput, "\"{}\" is no IPv4 or IPv6 address in numbers without a port",
              text);
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::string to_string(const HostPort& address) {
  return fmt::format("{}:{}", bracketed(address.host), address.port);
}

bool is_loopback(std::string_view host) {
  constexpr std::string_view kName = "localhost";
  if (std::ranges::equal(host, kName, [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
      })) {
    return true;
  }
  if (const auto ipv4 = shortest(host, AF_INET)) return ipv4->starts_with("127.");
  const auto ipv6 = shortest(host, AF_INET6);
  return ipv6 && (*ipv6 == "::1" || ipv6->starts_with("::ffff:127."));
}

}  // namespace xbind
