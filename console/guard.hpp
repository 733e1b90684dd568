// Which requests the console takes at all: the page of another site must neither read nor change
// anything through the browser of an operator.
//
//   Host     must name this server, or be a loopback name with any port, as behind a tunnel
//            (decision 0094). A name of another site that resolves to a loopback address (DNS
//            rebinding) sends that site's name.
//   Origin   must be the Host of the request or a name of this server, if it is there: a page of
//            another port of the browser's machine is a page of another site. Browsers send it
//            with every request that changes something (CSRF). Requests that have no Origin, as for
//            an image, say in Sec-Fetch-Site that they come from another site: these may load the
//            page, and ask no question.
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
  // `listen`: where the server is reached, with its real port. `hosts`: further hosts (a proxy's);
  // without a port any port.
  Guard(const HostPort& listen, const std::vector<HostMaybePort>& hosts, bool writable);

  // nullopt: the request is taken.
  std::optional<Problem> check(const HttpRequest& request) const;

 private:
  bool known_host(const HostMaybePort& host) const;
  bool known_origin(const std::string& origin, const std::string& host) const;

  std::vector<HostMaybePort> known_;
  std::string own_;  // "127.0.0.1:9480"
  bool writable_;
};

bool is_change(const std::string& method);  // any but GET and HEAD
// The media type without parameters, in lower case.
std::string media_type(const std::string& content_type);

}  // namespace xbind::console
