// Which requests the console takes at all: the page of another site must neither read nor change
// anything through the browser of an operator.
//
//   Host     must name this server. A name of another site that resolves to a loopback address (DNS
//            rebinding) sends that site's name.
//   Origin   must be this server, if it is there. Browsers send it with every request that changes
//            something (CSRF). Requests that have no Origin, as for an image, say in Sec-Fetch-Site
//            that they come from another site: these may load the page, and ask no question.
//   change   needs Content-Type application/json, which no HTML form can send, and --writable.
//
// Pure; thread-safe once built.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console/http_message.hpp"
#include "console/problem.hpp"
#include "core/config/host_port.hpp"

namespace xbind::console {

class Guard {
 public:
  // `listen`: where the server is reached, with its real port. `hosts`: further hosts, "name" or
  // "name:port" (a proxy's); without a port any port.
  Guard(const HostPort& listen, const std::vector<std::string>& hosts, bool writable);

  // nullopt: the request is taken.
  std::optional<Problem> check(const HttpRequest& request) const;

 private:
  bool known_host(const std::string& host) const;

  std::vector<std::string> exact_;     // "127.0.0.1:9480"
  std::vector<std::string> any_port_;  // "console.example.net"
  bool writable_;
};

bool is_loopback(const std::string& host);
bool is_change(const std::string& method);  // any but GET and HEAD
// The media type without parameters, in lower case.
std::string media_type(const std::string& content_type);

}  // namespace xbind::console
