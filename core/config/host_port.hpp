// Addresses as options, files and HTTP headers have them: the only parser of them.
//
//   name        letters, digits, '-', '_' and '.'
//   IPv4        192.0.2.1
//   IPv6        2001:db8::1, with a zone fe80::1%eth0; before a port in brackets
//
// An IPv6 address is returned in its shortest form, in lower case and without brackets. Every
// refusal is kBadInput and contains the text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace xbind {

struct HostPort {
  std::string host;  // a name, an IPv4 address, or an IPv6 address without brackets
  std::uint16_t port = 0;
};

struct HostMaybePort {
  std::string host;
  std::optional<std::uint16_t> port;
};

// "host:port", "[::1]:port".
Result<HostPort> parse_host_port(std::string_view text);
// The same, also without the port; then the brackets may be missing.
Result<HostMaybePort> parse_host_maybe_port(std::string_view text);
// "192.0.2.1", "::1", "[::1]": an address in numbers, without port.
Result<std::string> parse_numeric_host(std::string_view text);

// The host as it stands before a port: "[::1]", "127.0.0.1".
std::string bracketed(const std::string& host);
std::string to_string(const HostPort& address);  // "[::1]:6068"

// Whether a host without brackets always means the machine itself: "localhost", an address of
// 127.0.0.0/8, ::1. Not a name that only begins like such an address.
bool is_loopback(std::string_view host);

}  // namespace xbind
