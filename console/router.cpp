#include "console/router.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "core/check.hpp"
#include "core/name.hpp"

namespace xbind::console {
namespace {

using Path = std::map<std::string, std::string>;

// nullopt: the path is another one.
std::optional<Path> matched(const std::vector<std::string>& pattern,
                            const std::vector<std::string>& steps) {
  if (pattern.size() != steps.size()) return std::nullopt;
  Path path;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const std::string& wanted = pattern[at];
    if (wanted.starts_with('{')) {
      path.emplace(wanted.substr(1, wanted.size() - 2), steps[at]);
    } else if (wanted != steps[at]) {
      return std::nullopt;
    }
  }
  return path;
}

}  // namespace

Router::Router(std::vector<Route> routes) {
  for (Route& route : routes) {
    auto target = parse_target(route.pattern);
    XB_CHECK(target.has_value(), route.pattern);
    entries_.push_back({std::move(route), std::move(target->steps)});
  }
}

void Router::handle(const HttpRequest& request, Reply reply) const {
  auto target = parse_target(request.target);
  if (!target) return reply(answer_of(target.error()));
  const std::string& method = request.method == "HEAD" ? "GET" : request.method;
  std::vector<std::string> allowed;
  for (const Entry& entry : entries_) {
    auto path = matched(entry.steps, target->steps);
    if (!path) continue;
    if (entry.route.method == method) {
      return entry.route.handle(
          {std::move(*path), Parameters{std::move(target->parameters)}, request}, std::move(reply));
    }
    allowed.push_back(entry.route.method);
  }
  if (allowed.empty()) {
    return reply(answer_of({.status = 404,
                            .name = "unknown-path",
                            .detail = fmt::format("there is no '{}'", printable(request.target)),
                            .value = request.target,
                            .advice = "/openapi.json describes what there is"}));
  }
  HttpAnswer answer =
      answer_of({.status = 405,
                 .name = "method-not-allowed",
                 .detail = fmt::format("{} is not possible here, but {}", printable(request.method),
                                       fmt::join(allowed, ", ")),
                 .value = request.method});
  answer.headers.emplace_back("Allow", fmt::format("{}", fmt::join(allowed, ", ")));
  reply(std::move(answer));
}

std::vector<std::string> Router::table() const {
  std::vector<std::string> rows;
  for (const Entry& entry : entries_)
    rows.push_back(entry.route.method + " " + entry.route.pattern);
  return rows;
}

}  // namespace xbind::console
