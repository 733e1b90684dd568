// xbind-routeobject: paths through a topology.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/reload.hpp"
#include "core/config/timer_option.hpp"
#include "core/impairments/impairments.hpp"
#include "core/output.hpp"
#include "core/read_file.hpp"
#include "core/steady_now.hpp"
#include "exporter/exporter.hpp"
#include "naming/names.hpp"
#include "orb/configured.hpp"
#include "orb/daemon.hpp"
#include "orb/dispatch.hpp"
#include "orb/kept_state.hpp"
#include "orb/process.hpp"
#include "orb/shared_timers.hpp"
#include "orb/supervision.hpp"
#include "routeobject/drain_file.hpp"
#include "routeobject/drain_keeper.hpp"
#include "routeobject/import/load_topology.hpp"
#include "routeobject/network_alarms.hpp"
#include "routeobject/network_choice.hpp"
#include "routeobject/network_file.hpp"
#include "routeobject/network_keeper.hpp"
#include "routeobject/remote_trust.hpp"
#include "routeobject/remote_watchers.hpp"
#include "routeobject/servant.hpp"
#include "routeobject/timers.hpp"
#include "routeobject/topology/topology_file.hpp"

namespace {

// A later process begins with a higher version, so that managers that know an earlier one notice:
// milliseconds since 1970, which no network's changes can outrun.
std::uint64_t first_version() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(xbind::orb::since_1970()).count());
}

using namespace xbind;

struct Options {
  Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  config::OptionSet set{"xbind-routeobject", "Answers which path a connection takes."};
  orb::CommonOptions common;
  std::string topology_path;
  ImportOptions import;
  std::uint32_t validity_ms = 0;
  std::uint32_t lost_ms = 0;
  std::uint32_t silent_ms = 0;
  std::uint32_t trust_ms = 0;
  bool describe = false;
  bool accept_smaller = false;
  std::string state_dir;
  ImpairmentOptions impairments;
  // Filled by the checks.
  std::optional<LoadedTopology> loaded;
  FileMark file_mark;  // of --topology
  // The network that an earlier process stored, as it was when the options were read.
  std::optional<StoredNetwork> stored;

  std::string drain_file() const {
    return state_dir.empty() ? "" : drain_file_path(state_dir, common.name);
  }
  std::string network_file() const {
    return state_dir.empty() ? "" : network_file_path(state_dir, common.name);
  }
  std::string settings_file() const {
    return config::settings_file_path(state_dir, "routeobject", common.name);
  }
  SwitchTrustOptions trust() const {
    return {std::chrono::milliseconds{lost_ms}, std::chrono::milliseconds{silent_ms},
            std::chrono::milliseconds{trust_ms}};
  }
};

void declare(config::OptionSet& set, Options& options) {
  set.add_timers(kRouteObjectTimers);
  for (MetricTable& table : route_object_metrics()) set.add_metrics(std::move(table));
  orb::add_daemon_options(set, options.common, "default");
  exporter::add_option(set, options.common.metrics);
  set.add_string("topology", &options.topology_path, "",
                 "Topology file: our TOML, SNDlib's native format or GraphML.");
  set.require("topology");
  set.add_double("default-rate", &options.import.default_rate_mbits, kDefaultRateMbits,
                 {kDefaultRateMbitsMin, kDefaultRateMbitsMax},
                 "Mbit/s of a link of a GraphML topology that states no rate.");
  config::add_timer(set, kRouteObjectTimers.row("validity-ms"), &options.validity_ms,
                    {1, kRouteValidityMsMax});
  config::add_timer(set, kRouteObjectTimers.row("switch-lost-ms"), &options.lost_ms, {1, 600'000});
  config::add_timer(set, kRouteObjectTimers.row("switch-silent-ms"), &options.silent_ms,
                    {0, 3'600'000});
  config::add_timer(set, kRouteObjectTimers.row("switch-trust-ms"), &options.trust_ms,
                    {0, 600'000});
  set.add_flag("describe-topology", &options.describe,
               "Print the topology as JSON to standard output, notes on its import to standard "
               "error, and exit.");
  set.add_flag(
      "accept-smaller", &options.accept_smaller,
      "With --state-dir: take the topology file although it lacks switches or links of the "
      "network that was served before. Otherwise that network is served on.");
  set.add_check([&options]() -> std::optional<std::string> {
    const auto text = read_file(options.topology_path, kTopologyOctetsMax);
    if (!text) return text.error().text;
    auto read = parse_any_topology(*text, options.topology_path, options.import);
    if (!read) return read.error().text;
    options.loaded = std::move(*read);
    options.file_mark = mark_of(*text);
    return std::nullopt;
  });
  orb::add_state_option(set, &options.state_dir,
                        "Directory in which the network, drains and options that operators "
                        "have set at run time are stored across restarts");
  set.add_check([&options]() -> std::optional<std::string> {
    if (options.state_dir.empty()) return std::nullopt;
    if (const auto drains = read_drains(options.drain_file()); !drains) return drains.error().text;
    auto stored = read_network(options.network_file());
    if (!stored) return stored.error().text;
    options.stored = std::move(*stored);
    return orb::refusal_of_settings(options.settings_file());
  });
  declare_pace(set, options.impairments);
  orb::set_live_options(set);
}

Options::Options() { declare(set, *this); }

constexpr std::size_t kLacksLogged = 50;
constexpr std::size_t kLacksInAlarm = 10;

std::vector<AlarmCondition> conditions_now(const RouteService& routes,
                                           const NetworkKeeper& networks,
                                           const std::string& topology_path) {
  const RouteService::Snapshot now = routes.snapshot();
  std::vector<AlarmCondition> conditions =
      conditions_of(*now.topology, *now.condition, routes.unknown_switches(steady_now()));
  if (const auto lacks = networks.topology_lacks(); !lacks.empty()) {
    conditions.push_back(
        {AlarmKind::kNetworkSmaller, topology_path, "it lacks " + some_of(lacks, kLacksInAlarm)});
  }
  return conditions;
}

// `events` and `restored` must outlive the calls of `routes`. Until `restored`, a change is what an
// earlier process had, and no event.
void report_changes(RouteService& routes, EventLog& events, const std::atomic<bool>& restored) {
  routes.on_condition([&](const NetworkCondition& before, const NetworkCondition& after) {
    if (!restored) return;
    for (Event& event : events_between(*routes.topology(), before, after)) {
      events.add(std::move(event));
    }
  });
}

// What an earlier process has stored counts as it is once no other process has the name: until
// then that one may take orders, and its files are not written.
class EarlierState {
 public:
  EarlierState(const Options& options, RouteService& routes, NetworkKeeper& networks,
               DrainKeeper& drains)
      : options_(options), routes_(routes), networks_(networks), drains_(drains) {}

  Result<void> restore() {
    if (options_.state_dir.empty()) return {};
    if (auto restored = restore_network(); !restored) return restored;
    return restore_drains();
  }

 private:
  Result<void> restore_network() {
    const std::string file = options_.network_file();
    auto stored = read_network(file);
    if (!stored) return tl::make_unexpected(stored.error());
    TopologyFile topology{options_.loaded->topology, options_.file_mark};
    NetworkChoice choice = choose_network(*stored, topology, options_.accept_smaller);
    const bool changed = choice.topology != topology.topology;
    const bool replaced = choice.stored_replaced;
    const std::vector<std::string> lacks = choice.lacks;
    if (auto begun = networks_.begin(std::move(choice), std::move(topology), steady_now());
        !begun) {
      return begun;
    }
    if (!lacks.empty()) {
      log::error(
          "{} is not taken: it lacks {} of what the network has: {}; the network of {} is "
          "served on. If it is right, start with --accept-smaller, or use xbindctl network "
          "load",
          options_.topology_path, lacks.size(), some_of(lacks, kLacksLogged), file);
    } else if (changed) {
      log::warn("the network is the one of {}, which changes {}", file, options_.topology_path);
    } else if (replaced) {
      log::warn("the network is the one of {}; the one that was served before is in {}.superseded",
                options_.topology_path, file);
    }
    return {};
  }
  Result<void> restore_drains() {
    const auto kept = read_drains(options_.drain_file());
    if (!kept) return tl::make_unexpected(kept.error());
    for (const PathElement& element : drains_.restore(*kept)) {
      log::routes.warn("{} port {} was drained and is not in this topology", element.switch_name,
                       element.output_port);
    }
    if (!kept->empty())
      log::routes.info("{} elements are drained, as they were", routes_.drains().size());
    return {};
  }

  const Options& options_;
  RouteService& routes_;
  NetworkKeeper& networks_;
  DrainKeeper& drains_;
};

bool begin_state(const Options& options) {
  return orb::begin_state(
      options.state_dir,
      "drains, changes of the network, and options that operators set at run time");
}

// Puts live options into effect.
Result<void> apply(const Options& before, const Options& wanted,
                   std::vector<config::OptionChange>& /*changes*/) {
  orb::apply_live_options(before.common, wanted.common);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  orb::take_signals();  // first: from here on SIGTERM ends the process in order
  Options options;
  if (const auto exit_code = config::load_or_explain(options.set, argc, argv)) return *exit_code;
  if (options.describe) {
    for (const std::string& note : options.loaded->notes)
      std::fprintf(stderr, "note: %s\n", note.c_str());
    print_output(describe_as_json(options.loaded->topology) + '\n');
    return end_output(options.set.program(), 0);
  }
  log::start("xbind-routeobject " + options.common.name, options.common.log);
  log::info("options: {}", options.set.given_text());
  if (!begin_state(options)) return 1;
  for (const std::string& note : options.loaded->notes) log::routes.info("topology: {}", note);

  Impairments impairments(options.impairments, "xbind-routeobject " + options.common.name);
  // Its table of paths takes time in a large network, so it is made before the name is claimed.
  RouteService routes(choose_network(options.stored, {options.loaded->topology, options.file_mark},
                                     options.accept_smaller)
                          .topology,
                      options.validity_ms, first_version(), options.trust());
  NetworkKeeper networks(routes, {options.import, options.network_file()});
  DrainKeeper drains(routes, options.drain_file());
  orb::Runtime runtime(argc, argv, options.common.runtime());
  orb::Dispatch dispatch("xbind-routeobject " + options.common.name);
  config::Reload<Options> reload(options, argc, argv, apply, options.settings_file());
  orb::SharedTimers timers;
  orb::Supervision supervision(timers, "routeobject " + options.common.name, true,
                               [&](const std::function<void(orb::Supervision::Conditions)>& done) {
                                 done(conditions_now(routes, networks, options.topology_path));
                               });
  std::atomic<bool> restored = false;
  report_changes(routes, supervision.events(), restored);
  RemoteWatchers watchers(routes);
  TrustWatch trust_watch(routes, watchers);
  const PortableServer::Servant_var<RouteOperationsServant> operations =
      new RouteOperationsServant(dispatch, supervision, routes, watchers, drains, networks, reload);
  const CORBA::Object_var operations_object = runtime.activate(operations.in());
  const v2::RouteOperations_var operations_reference =
      v2::RouteOperations::_unchecked_narrow(operations_object);
  const PortableServer::Servant_var<RouteObjectServant> servant =
      new RouteObjectServant(dispatch, routes, watchers, operations_reference, &impairments);
  const CORBA::Object_var object = runtime.activate(servant.in());
  exporter::Part part = servant->exposed_part();
  part.append = [append = std::move(part.append), &supervision](Metrics& counted) {
    append(counted);
    supervision.append_metrics(counted);
  };
  auto exported = exporter::Exporter::open_or_log(options.common.metrics, "xbind-routeobject",
                                                  {std::move(part)}, route_object_metrics());
  if (exported == nullptr) return 1;
  const orb::ReloadOnHangUp on_hang_up(reload);
  const orb::Ending end = orb::serve_until_signal(
      runtime.orb(), "xbind-routeobject", options.common,
      {{options.common.name,
        {naming::path_of(naming::kRouteObjects, options.common.name), object}}},
      {[&] {
         if (!orb::or_end_process(reload.begin())) return;
         if (!orb::or_end_process(EarlierState(options, routes, networks, drains).restore()))
           return;
         restored = true;
         supervision.start();
       },
       {},
       [&] { exported->serving(); },
       naming::watching(supervision)});
  exported.reset();
  supervision.stop();
  runtime.shutdown();
  trust_watch.stop();
  watchers.stop();
  return orb::log_ending(end);
}
