// The routes of the console: which method and path leads to which handler. The table is data, so
// that a test compares it with the OpenAPI description. Pure; thread-safe once built.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "console/http_message.hpp"
#include "console/query.hpp"

namespace xbind::console {

struct RoutedRequest {
  std::map<std::string, std::string> path;  // {"manager": "default", "id": "29849"}
  Parameters parameters;
  const HttpRequest& http;
};
// Answers at once, or later from another thread; must not block.
using Handler = std::function<void(RoutedRequest, Reply)>;

struct Route {
  std::string method;   // GET also serves HEAD
  std::string pattern;  // "/api/v1/calls/{manager}/{id}"
  Handler handle;
};

class Router {
 public:
  explicit Router(std::vector<Route> routes);

  // Calls the handler of the request. Otherwise a problem: "bad-target", "unknown-path",
  // "method-not-allowed".
  void handle(const HttpRequest& request, Reply reply) const;

  // "GET /api/v1/network", in the order of the table.
  std::vector<std::string> table() const;

 private:
  struct Entry {
    Route route;
    std::vector<std::string> steps;
  };

  std::vector<Entry> entries_;
};

}  // namespace xbind::console
