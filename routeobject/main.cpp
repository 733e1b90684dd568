// xbind-routeobject: paths through a topology.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/config/timer_option.hpp"
#include "core/pace_clock.hpp"
#include "core/pace_options.hpp"
#include "naming/names.hpp"
#include "orb/daemon.hpp"
#include "orb/dispatch.hpp"
#include "orb/process.hpp"
#include "routeobject/drain_file.hpp"
#include "routeobject/drain_keeper.hpp"
#include "routeobject/import/load_topology.hpp"
#include "routeobject/remote_trust.hpp"
#include "routeobject/remote_watchers.hpp"
#include "routeobject/servant.hpp"
#include "routeobject/timers.hpp"

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
  set.add_timers(kRouteObjectTimers);
  for (MetricTable& table : route_object_metrics()) set.add_metrics(std::move(table));
  orb::add_daemon_options(set, common, "default");
  set.add_string("topology", &topology_path, "",
                 "Topology file: our TOML, SNDlib's native format or GraphML.");
  set.require("topology");
  ImportOptions import_options;
  set.add_double("default-rate", &import_options.default_rate_mbits, kDefaultRateMbits,
                 {kDefaultRateMbitsMin, kDefaultRateMbitsMax},
                 "Mbit/s of a link of a GraphML topology that states no rate.");
  config::add_timer(set, kRouteObjectTimers.row("validity-ms"), &validity_ms,
                    {1, kRouteValidityMsMax});
  std::uint32_t lost_ms = 0;
  config::add_timer(set, kRouteObjectTimers.row("switch-lost-ms"), &lost_ms, {1, 600'000});
  std::uint32_t silent_ms = 0;
  config::add_timer(set, kRouteObjectTimers.row("switch-silent-ms"), &silent_ms, {0, 3'600'000});
  std::uint32_t trust_ms = 0;
  config::add_timer(set, kRouteObjectTimers.row("switch-trust-ms"), &trust_ms, {0, 600'000});
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
  std::string state_dir;
  set.add_string("state-dir", &state_dir, "",
                 "Directory in which what is drained outlives this process; empty: it does not.");
  std::vector<PathElement> kept;
  set.add_check([&]() -> std::optional<std::string> {
    if (state_dir.empty()) return std::nullopt;
    auto read = read_drains(drain_file_path(state_dir, common.name));
    if (!read) return read.error().text;
    kept = std::move(*read);
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
  if (!state_dir.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(state_dir, failed);
    if (failed) {
      log::error("--state-dir {}: {}", state_dir, failed.message());
      return 1;
    }
  }
  for (const std::string& note : loaded->notes) log::info("topology: {}", note);

  Pace pace(pace_options, "xbind-routeobject " + common.name, steady_pace_clock());
  const SwitchTrustOptions trust{std::chrono::milliseconds{lost_ms},
                                 std::chrono::milliseconds{silent_ms},
                                 std::chrono::milliseconds{trust_ms}};
  RouteService routes(std::move(loaded->topology), validity_ms, first_version(), trust);
  DrainKeeper drains(routes, state_dir.empty() ? "" : drain_file_path(state_dir, common.name));
  for (const PathElement& element : drains.restore(kept)) {
    log::warn("{} port {} was drained and is not in this topology", element.switch_name,
              element.output_port);
  }
  if (!kept.empty()) log::info("{} elements are drained, as they were", routes.drains().size());
  orb::Runtime runtime(argc, argv, common.runtime());
  orb::Dispatch dispatch("xbind-routeobject " + common.name);
  RemoteWatchers watchers(routes);
  TrustWatch trust_watch(routes, watchers);
  const PortableServer::Servant_var<RouteOperationsServant> operations =
      new RouteOperationsServant(dispatch, routes, watchers, drains);
  const CORBA::Object_var operations_object = runtime.activate(operations.in());
  const v2::RouteOperations_var operations_reference =
      v2::RouteOperations::_unchecked_narrow(operations_object);
  const PortableServer::Servant_var<RouteObjectServant> servant =
      new RouteObjectServant(dispatch, routes, watchers, operations_reference, &pace);
  const CORBA::Object_var object = runtime.activate(servant.in());
  const orb::Ending end = orb::serve_until_signal(
      runtime.orb(), "xbind-routeobject", common,
      {{common.name, {naming::path_of(naming::kRouteObjects, common.name), object}}});
  runtime.shutdown();
  trust_watch.stop();
  watchers.stop();
  return orb::last_word(end);
}
