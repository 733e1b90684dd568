#include "core/config/host_port.hpp"

#include <charconv>

namespace xbind {

Result<HostPort> parse_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return fail(ErrorCode::kBadInput, "\"{}\" is not HOST:PORT", text);
  }
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return fail(ErrorCode::kBadInput, "\"{}\" is not HOST:PORT; write [ADDRESS]:PORT", text);
  }
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || host.empty()) {
    return fail(ErrorCode::kBadInput, "\"{}\" is not HOST:PORT with a port of 0 to 65535", text);
  }
  return HostPort{std::string(host), port};
}

}  // namespace xbind
