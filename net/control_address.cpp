#include "net/control_address.hpp"

#include <string_view>
#include <utility>

#include "core/name.hpp"
#include "net/tcp_server.hpp"

namespace xbind::net {

Result<ControlAddress> parse_control_address(const std::string& text) {
  if (constexpr std::string_view kTcp = "tcp:"; text.starts_with(kTcp)) {
    auto tcp = parse_host_port(text.substr(kTcp.size()));
    if (!tcp) return tl::make_unexpected(tcp.error());
    return ControlAddress{.path = {}, .tcp = std::move(*tcp)};
  }
  if (text.find('/') == std::string::npos) {
    return fail(ErrorCode::kBadInput,
                "'{}' is no path, which has a '/', and no tcp:HOST:PORT: over TCP anybody who "
                "reaches the address gives orders",
                printable(text));
  }
  auto path = parse_control_path(text);
  if (!path) return tl::make_unexpected(path.error());
  return ControlAddress{.path = std::move(*path), .tcp = {}};
}

Result<std::string> parse_control_path(const std::string& text) {
  if (text.find('/') == std::string::npos) {
    return fail(ErrorCode::kBadInput, "'{}' is no path, which has a '/'", printable(text));
  }
  if (text.size() > kUnixPathMax) {
    return fail(ErrorCode::kBadInput, "'{}': the path of a socket has at most {} octets",
                printable(text), kUnixPathMax);
  }
  return text;
}

}  // namespace xbind::net
