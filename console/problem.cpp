#include "console/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/name.hpp"

namespace xbind::console {
namespace {

constexpr std::size_t kShown = 1'024;

}  // namespace

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Payload Too Large";
    case 415: return "Unsupported Media Type";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "Unknown";
  }
}

std::string json_string(std::string_view text) {
  using Json = nlohmann::ordered_json;
  return Json(printable(text, kShown)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_of(const Problem& problem) {
  std::string title = problem.name;
  std::ranges::replace(title, '-', ' ');
  std::string text = fmt::format(
      R"({{"type":{},"title":{},"status":{},"detail":{},"name":{},"value":{},"advice":{})",
      json_string("urn:openxbind:problem:" + problem.name), json_string(title), problem.status,
      json_string(problem.detail), json_string(problem.name), json_string(problem.value),
      json_string(problem.advice));
  for (const auto& [name, json] : problem.members) {
    text += fmt::format(",{}:{}", json_string(name), json);
  }
  return text + "}";
}

HttpAnswer answer_of(const Problem& problem) {
  return {.status = problem.status,
          .type = HttpAnswer::kProblem,
          .body = std::make_shared<const std::string>(json_of(problem))};
}

}  // namespace xbind::console
