#include "bench/live/live_server.hpp"

#include <cstdio>
#include <optional>
#include <utility>

#include "bench/live/live_page.hpp"
#include "core/config/host_port.hpp"

namespace xbind::callgen {

void declare_live_option(config::OptionSet& set, std::string& address) {
  set.add_string("live", &address, "",
                 "Serve a page that shows the run while it goes on, over HTTP on this HOST:PORT; "
                 "port 0: the system chooses. There is no access control, so prefer a loopback "
                 "address. Empty: nothing is served.");
  set.add_check([&address]() -> std::optional<std::string> {
    if (address.empty()) return std::nullopt;
    const auto parsed = parse_host_port(address);
    return parsed ? std::nullopt : std::optional("option --live: " + parsed.error().text);
  });
}

LiveServer::LiveServer(const std::string& words)
    : state_(words), json_(std::make_shared<const std::string>(state_.json())) {}

LiveServer::~LiveServer() = default;

Result<std::unique_ptr<LiveServer>> LiveServer::open(const std::string& address,
                                                     const std::string& words) {
  const auto listen = parse_host_port(address);
  if (!listen) return tl::make_unexpected(listen.error());
  std::unique_ptr<LiveServer> made(new LiveServer(words));
  auto server = exporter::HttpServer::open(
      *listen, [self = made.get()](std::string_view path) { return self->answer(path); }, [] {});
  if (!server) return fail(server.error().code, "option --live: {}", server.error().text);
  made->server_ = std::move(*server);
  std::fprintf(stderr, "xbind-callgen live on http://%s/\n", made->server_->address().c_str());
  return made;
}

void LiveServer::take(const Progress& progress) {
  state_.take(progress);
  auto json = std::make_shared<const std::string>(state_.json());
  const std::lock_guard lock(mutex_);
  json_ = std::move(json);
}

exporter::HttpAnswer LiveServer::answer(std::string_view path) {
  if (path == "/") return {.type = "text/html; charset=utf-8", .body = std::string(live_page())};
  if (path != "/live.json") return {.status = 404, .body = "there are / and /live.json\n"};
  std::shared_ptr<const std::string> json;
  {
    const std::lock_guard lock(mutex_);
    json = json_;
  }
  return {.type = "application/json", .body = *json};
}

}  // namespace xbind::callgen
