// xbind-console: the network in a browser.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "client/timers.hpp"
#include "console/daemon.hpp"
#include "console/timers.hpp"
#include "core/config/host_port.hpp"
#include "core/config/timer_option.hpp"
#include "core/output.hpp"
#include "exporter/exporter.hpp"
#include "orb/daemon.hpp"
#include "orb/process.hpp"
#include "xbindctl/timers.hpp"

namespace {

using namespace xbind;

struct Options {
  orb::CommonOptions common;
  std::string http;
  std::vector<std::string> hosts;
  std::uint32_t interval_ms = 0;
  console::ConsoleOptions console;
};

RequestId new_request() {
  std::random_device chance;
  return RequestId{(std::uint64_t{chance()} << 16 | (chance() & 0xffffU)) + 1};
}

void declare(config::OptionSet& set, Options& options) {
  set.add_timers(console::kConsoleTimers);
  set.add_timers(client::kClientTimers);
  set.add_timers(ctl::kXbindctlTimers);
  set.add_metrics(console::console_metrics());
  orb::add_client_options(set, options.common, log::Level::kInfo);
  exporter::add_option(set, options.common.metrics);
  set.add_string("http", &options.http, "127.0.0.1:9480",
                 "Serve the console on this HOST:PORT; port 0: the system chooses. There is no "
                 "access control, so prefer a loopback address and a proxy.");
  set.add_strings("host", &options.hosts,
                  "Also accept this HOST, or HOST:PORT, in the Host header: the name under which a "
                  "proxy serves the console.");
  set.add_flag(
      "writable", &options.console.writable,
      "Set up and release calls for whoever reaches the console; otherwise it only shows.");
  config::add_timer(set, console::kConsoleTimers.row("interval-ms"), &options.interval_ms,
                    {100, 60'000});
  const console::HttpLimits defaults;
  set.add_uint("connections-max", &options.console.limits.connections, defaults.connections,
               {4, 4'096}, "HTTP connections at a time; a further one is answered 503.");
  set.add_uint("streams-max", &options.console.limits.streams, defaults.streams, {1, 1'024},
               "Event streams at a time, which is one for each open page.");
  set.add_string("routeobject", &options.console.names.route_object, "default",
                 "Name of the RouteObject under xbind/routeobject/, for questions about paths.");
  set.add_string("qosmapper", &options.console.names.qos_mapper, "default",
                 "Name of the QOSMapper under xbind/qosmapper/, for questions about services.");
  orb::require_name(set, "routeobject", options.console.names.route_object);
  orb::require_name(set, "qosmapper", options.console.names.qos_mapper);
  set.add_check([&options]() -> std::optional<std::string> {
    const auto parsed = parse_host_port(options.http);
    if (!parsed) return "--http: " + parsed.error().text;
    options.console.http = *parsed;
    options.console.hosts.clear();
    for (const std::string& text : options.hosts) {
      auto host = parse_host_maybe_port(text);
      if (!host) return "--host: " + host.error().text;
      options.console.hosts.push_back(std::move(*host));
    }
    options.console.interval = std::chrono::milliseconds{options.interval_ms};
    return std::nullopt;
  });
  set.add_note(
      "Exit codes: 0 after SIGTERM or SIGINT; 1 the address of --http is taken; 2 options are "
      "refused. SIGHUP opens the file of --log-file again and changes nothing else.");
}

}  // namespace

int main(int argc, char** argv) {
  orb::take_signals();  // first: from here on SIGTERM ends the process in order
  Options options;
  config::OptionSet set("xbind-console", "Shows the network in a browser: HTTP, JSON and events.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-console", options.common.log);
  log::info("options: {}", set.given_text());

  orb::Runtime runtime(argc, argv, options.common.runtime());
  auto opened = console::ConsoleDaemon::open(runtime.orb(), options.common.name_service,
                                             options.console, new_request);
  if (!opened) {
    log::error("{}", opened.error().text);
    return 1;
  }
  auto& daemon = *opened;
  if (!is_loopback(options.console.http.host)) {
    log::warn("whoever reaches {} can {} this network: there is no access control",
              daemon->address(), options.console.writable ? "see and change" : "see");
  }
  auto exported =
      exporter::Exporter::open_or_log(options.common.metrics, "xbind-console",
                                      {daemon->exposed_part()}, {console::console_metrics()});
  if (exported == nullptr) return 1;
  daemon->start();
  exported->serving();
  log::info("{} on http://{}/", options.console.writable ? "writable" : "read-only",
            daemon->address());
  announce(fmt::format("xbind-console ready on http://{}/", daemon->address()));
  const orb::Ending end = orb::wait_for_end();
  exported.reset();
  daemon.reset();
  runtime.shutdown();
  return orb::log_ending(end);
}
