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

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

// The part before the port: "[::1]:80" -> "[::1]", "host:80" -> "host".
std::string without_port(const std::string& host) {
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.rfind(':');
  if (colon == std::string::npos) return host;
  return bracket != std::string::npos && colon < bracket ? host : host.substr(0, colon);
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool is_change(const std::string& method) { return method != "GET" && method != "HEAD"; }

std::string media_type(const std::string& content_type) {
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  return type;
}

Guard::Guard(const HostPort& listen, const std::vector<std::string>& hosts, bool writable)
    : writable_(writable) {
  const auto add = [&](const std::string& host) {
    exact_.push_back(fmt::format("{}:{}", lower(bracketed(host)), listen.port));
    // A browser leaves out the port of http.
    if (listen.port == 80) exact_.push_back(lower(bracketed(host)));
  };
  add(listen.host);
  if (is_loopback(listen.host)) add("localhost");
  for (const std::string& host : hosts) {
    const std::string known = lower(host);
    (without_port(known) == known ? any_port_ : exact_).push_back(known);
  }
}

bool Guard::known_host(const std::string& host) const {
  const std::string typed = lower(host);
  return has(exact_, typed) || has(any_port_, without_port(typed));
}

std::optional<Problem> Guard::check(const HttpRequest& request) const {
  if (!known_host(request.host)) {
    return Problem{
        .status = 421,
        .name = "unknown-host",
        .detail = fmt::format("the Host header '{}' does not name this console, which is {}",
                              printable(request.host), exact_.front()),
        .value = request.host,
        .advice = "use that address; behind a proxy start xbind-console with --host NAME"};
  }
  if (!request.origin.empty()) {
    const std::size_t scheme = request.origin.find("://");
    const std::string from =
        scheme == std::string::npos ? std::string{} : request.origin.substr(scheme + 3);
    if (from.empty() || !known_host(from)) {
      return Problem{.status = 403,
                     .name = "foreign-origin",
                     .detail = fmt::format("a page of '{}' may not use this console",
                                           printable(request.origin)),
                     .value = request.origin};
    }
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
