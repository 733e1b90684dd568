// xbind-routeobject: paths through a topology.
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "core/pace_clock.hpp"
#include "core/pace_options.hpp"
#include "naming/names.hpp"
#include "orb/daemon.hpp"
#include "orb/process.hpp"
#include "routeobject/import/load_topology.hpp"
#include "routeobject/remote_watchers.hpp"
#include "routeobject/servant.hpp"

namespace {

// Later lives begin with higher versions, so that a manager that has seen an earlier one takes notice:
// milliseconds since 1970, which no network outruns with its changes.
std::uint64_t first_version() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(xbind::orb::since_1970()).count());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace xbind;
  orb::take_signals();  // first: SIGTERM ends in order from here on
  orb::CommonOptions common;
  std::string topology_path;
  std::uint32_t validity_ms = 0;
  bool describe = false;
  config::OptionSet set("xbind-routeobject", "Answers which path a connection takes.");
  orb::add_daemon_options(set, common, "default");
  set.add_string("topology", &topology_path, "",
                 "Topology file: our TOML, SNDlib's native format or GraphML.");
  set.require("topology");
  ImportOptions import_options;
  set.add_double("default-rate", &import_options.default_rate_mbits, kDefaultRateMbits,
                 {kDefaultRateMbitsMin, kDefaultRateMbitsMax},
                 "Mbit/s of a link of a GraphML topology that states no rate.");
  set.add_uint("validity-ms", &validity_ms, kRouteValidityMsDefault, {1, kRouteValidityMsMax},
               "Milliseconds for which an answer may be cached.");
  set.add_flag("describe-topology", &describe,
               "Print the topology as JSON to standard output, notes on its import to standard "
               "error, and exit.");
  std::optional<LoadedTopology> loaded;
  set.add_check([&]() -> std::optional<std::string> {
    auto read = load_topology(topology_path, import_options);
    if (!read) return read.error().text;
    loaded = std::move(*read);
    return std::nullopt;
  });
  PaceOptions pace_options;
  declare_pace_options(set, pace_options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  if (describe) {
    for (const std::string& note : loaded->notes) std::fprintf(stderr, "note: %s\n", note.c_str());
    std::printf("%s\n", describe_as_json(loaded->topology).c_str());
    return 0;
  }
  log::start("xbind-routeobject " + common.name, common.log_level);
  log::info("options: {}", set.given_text());
  for (const std::string& note : loaded->notes) log::info("topology: {}", note);

  Pace pace(pace_options, "xbind-routeobject " + common.name, steady_pace_clock());
  RouteService routes(std::move(loaded->topology), validity_ms, first_version());
  orb::Runtime runtime(argc, argv, common.runtime());
  RemoteWatchers watchers(routes);
  const PortableServer::Servant_var<RouteObjectServant> servant =
      new RouteObjectServant(routes, watchers, &pace);
  const CORBA::Object_var object = runtime.activate(servant.in());
  orb::serve_until_signal(runtime.orb(), "xbind-routeobject", common,
                          naming::path_of(naming::kRouteObjects, common.name), object);
  runtime.shutdown();
  watchers.stop();
  return 0;
}
