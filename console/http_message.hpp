// An HTTP request and its answer, as the logic sees them: no socket, no library.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace xbind::console {

struct HttpRequest {
  std::string method;        // "GET"
  std::string target;        // "/api/v1/calls?limit=20", as sent
  std::string host;          // the Host header; empty: none, or several
  std::string origin;        // empty: none
  std::string site;          // Sec-Fetch-Site; empty: none, or an old browser
  std::string content_type;  // empty: none
  std::string if_none_match;
  std::string body;
};

struct HttpAnswer {
  static constexpr const char* kJson = "application/json";
  static constexpr const char* kProblem = "application/problem+json";

  int status = 200;
  std::string type = kJson;
  // Shared, because many peers read the same text.
  std::shared_ptr<const std::string> body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  // The connection stays open and gets the events of the server (http_server.hpp); `body` is empty.
  bool stream = false;
};

// Called once, from any thread.
using Reply = std::function<void(HttpAnswer)>;

inline HttpAnswer json_answer(std::string text, int status = 200) {
  return {.status = status, .body = std::make_shared<const std::string>(std::move(text))};
}

}  // namespace xbind::console
