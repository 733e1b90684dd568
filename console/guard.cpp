#include "console/guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/name.hpp"

namespace xbind::console {
namespace {

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

bool implies_no_port(std::uint16_t port) { return port == 80 || port == 443; }

}  // namespace

bool is_change(const std::string& method) { return method != "GET" && method != "HEAD"; }

std::string media_type(const std::string& content_type) {
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return type;
}

Guard::Guard(const HostPort& listen, const std::vector<HostMaybePort>& hosts, bool writable)
    : own_(to_string(listen)), writable_(writable) {
  known_.push_back({lower(listen.host), listen.port});
  if (is_loopback(listen.host)) known_.push_back({"localhost", listen.port});
  for (const HostMaybePort& host : hosts) known_.push_back({lower(host.host), host.port});
}

bool Guard::known_host(const HostMaybePort& host) const {
  return std::ranges::any_of(known_, [&](const HostMaybePort& known) {
    if (known.host != host.host) return false;
    if (!known.port || known.port == host.port) return true;
    // A browser leaves out the port of http and https.
    return !host.port && implies_no_port(*known.port);
  });
}

bool Guard::known_origin(const std::string& origin, const std::string& host) const {
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string::npos) return false;
  const std::string from = lower(origin.substr(scheme + 3));
  if (from == lower(host)) return true;
  const auto parsed = parse_host_maybe_port(from);
  return parsed && known_host(*parsed);
}

std::optional<Problem> Guard::check(const HttpRequest& request) const {
  const auto host = parse_host_maybe_port(lower(request.host));
  if (!host || (!is_loopback(host->host) && !known_host(*host))) {
    return Problem{
        .status = 421,
        .name = "unknown-host",
        .detail = fmt::format("the Host header '{}' does not name this console, which is {}",
                              printable(request.host), own_),
        .value = request.host,
        .advice = "use that address; behind a proxy start xbind-console with --host NAME"};
  }
  if (!request.origin.empty() && !known_origin(request.origin, request.host)) {
    return Problem{
        .status = 403,
        .name = "foreign-origin",
        .detail = fmt::format("a page of '{}' may not use this console", printable(request.origin)),
        .value = request.origin};
  }
  if (request.site == "cross-site" && request.target.starts_with("/api/")) {
    return Problem{.status = 403,
                   .name = "foreign-origin",
                   .detail = "a page of another site may not ask this console",
                   .value = "Sec-Fetch-Site: cross-site"};
  }
  if (!is_change(request.method)) return std::nullopt;
  if (!writable_) {
    return Problem{.status = 403,
                   .name = "read-only",
                   .detail = fmt::format("{} changes something, and this console only shows",
                                         printable(request.method)),
                   .value = request.method,
                   .advice = "start xbind-console with --writable, or use xbindctl"};
  }
  if (request.method == "POST" && media_type(request.content_type) != "application/json") {
    return Problem{.status = 415,
                   .name = "not-json",
                   .detail = fmt::format("the Content-Type '{}' is not application/json",
                                         printable(request.content_type)),
                   .value = request.content_type};
  }
  return std::nullopt;
}

}  // namespace xbind::console
