// xbind-cmgr: the ConnectionManager.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cmgr/epoch_file.hpp"
#include "cmgr/parts/timers.hpp"
#include "cmgr/pool_file.hpp"
#include "cmgr/pool_keeper.hpp"
#include "cmgr/servant.hpp"
#include "cmgr/servant_metrics.hpp"
#include "cmgr/servant_operations.hpp"
#include "cmgr/servant_pools.hpp"
#include "core/config/reload.hpp"
#include "core/config/timer_option.hpp"
#include "core/log.hpp"
#include "core/steady_now.hpp"
#include "exporter/exporter.hpp"
#include "naming/names.hpp"
#include "orb/configured.hpp"
#include "orb/daemon.hpp"
#include "orb/kept_state.hpp"
#include "orb/process.hpp"
#include "orb/runtime.hpp"

namespace {

using namespace xbind;

struct TraceOptions {
  std::uint32_t sample = 0;
  std::uint32_t slow_us = 0;
};

struct Options {
  Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  config::OptionSet set{"xbind-cmgr", "Sets up, describes and releases connections."};
  orb::CommonOptions common;
  std::string engine;
  std::uint32_t threads = 0;
  std::string route_object;
  std::string qos;
  std::string qos_mapper;
  std::string catalogue_file;
  std::shared_ptr<const Catalogue> catalogue;  // read by the check
  std::string aggregation;
  std::string regions;
  std::uint32_t in_flight = 0;
  std::uint32_t threshold = 0;
  double flush_timeout_ms = 0;
  std::string route_metric;
  std::string label_policy;
  std::uint32_t label_cache = 0;
  double hit_ratio = 0;
  std::string quotas;
  std::uint32_t quota_calls = 0;
  std::uint32_t crankbacks = 0;
  std::vector<std::string> prepared;
  std::uint32_t operations_at_once = 0;
  std::uint32_t queue_timer_ms = 0;
  std::uint32_t route_timer_ms = 0;
  std::uint32_t hop_timer_ms = 0;
  std::uint32_t undo_timer_ms = 0;
  std::uint32_t reroute_retry_ms = 0;
  std::uint32_t reroutes_at_once = 0;
  std::uint32_t break_delay_ms = 0;
  std::uint32_t startup_patience_ms = 0;
  std::uint64_t connections_max = 0;
  cmgr::ClientLimits clients;
  std::string state_dir;
  TraceOptions traces;
  ImpairmentOptions impairments;
};

// How calls are processed, and the peers that routes and services come from.
void declare_peers(config::OptionSet& set, Options& options) {
  set.add_choice(
      "engine", &options.engine, "xbind", {"sequential", "threaded", "xbind"},
      "How calls are processed. xbind caches, aggregates and works in parallel; the others "
      "wait for every invocation, cache nothing and serve one call at a time, or as many "
      "as there are threads.");
  set.add_uint("threads", &options.threads, 8, {1, 256}, "Threads of the threaded engine.");
  set.add_string("routeobject", &options.route_object, "default",
                 "Name of the RouteObject under xbind/routeobject/.");
  orb::require_name(set, "routeobject", options.route_object);
  set.add_choice("route-metric", &options.route_metric, "hops", {"hops", "delay", "load"},
                 "Metric by which routes are compared: number of links, delay, or free bandwidth "
                 "on the links.");
  set.add_choice(
      "qos", &options.qos, "collocated", {"collocated", "remote"},
      "Where services are mapped to cells: by the QOSMapper's code in this process, or by "
      "a QOSMapper. The engines that cache nothing always ask one.");
  set.add_string("qosmapper", &options.qos_mapper, "default",
                 "Name of the QOSMapper under xbind/qosmapper/.");
  orb::require_name(set, "qosmapper", options.qos_mapper);
  set.add_string("catalogue", &options.catalogue_file, "",
                 "File of named services for --qos collocated and for connections prepared in "
                 "advance; empty: the catalogue shipped with the program.");
}

// How commands for a switch are gathered.
void declare_aggregation(config::OptionSet& set, Options& options) {
  set.add_choice(
      "aggregation", &options.aggregation, "adaptive", {"fixed", "regions", "adaptive"},
      "How commands are gathered: a fixed threshold (implied by --threshold and by engines other "
      "than xbind); a threshold by the rate of calls; or without waiting while few batches are on "
      "their way, which needs no threshold.");
  set.add_string("regions", &options.regions, "50:1,100:4,10",
                 "For regions: below 50 calls/s T = 1, below 100 calls/s T = 4, else 10.");
  set.add_uint("in-flight", &options.in_flight, 4, {1, 256},
               "For adaptive: limit of batches in flight to one switch, at which commands are "
               "gathered; it is one while 16 are in flight to all switches.");
  set.add_uint("threshold", &options.threshold, 1, {1, 4096},
               "T: commands gathered for a switch before a batch is sent; implies --aggregation "
               "fixed.");
  config::add_timer(set, cmgr::kManagerTimers.row("flush-timeout-ms"), &options.flush_timeout_ms,
                    {0.05, 10'000});
}

// Caches.
void declare_caches(config::OptionSet& set, Options& options) {
  set.add_choice("label-policy", &options.label_policy, "competitive",
                 {"fixed", "competitive", "cooperative"},
                 "Size of the label cache: fixed; as small as the hit ratio allows; or the same, "
                 "with the port's range divided by declared demand.");
  set.add_uint("label-cache", &options.label_cache, 16'384, {0, 65'535},
               "Labels kept in advance for each switch and output port, at most; 0 keeps none.");
  set.add_double(
      "hit-ratio", &options.hit_ratio, 0.995, {0.5, 0.999999},
      "Target share of calls that find their labels in the cache (competitive, cooperative).");
  set.add_choice("quotas", &options.quotas, "off", {"off", "on"},
                 "Whether bandwidth and buffer are taken from the SwitchServers in advance.");
  set.add_uint("quota-calls", &options.quota_calls, 16, {1, 10'000},
               "Calls of the mean demand for which quota is kept in advance at each port.");
}

// Timers, retries and bounds of calls.
void declare_calls(config::OptionSet& set, Options& options) {
  set.add_uint("crankbacks", &options.crankbacks, 2, {0, 8},
               "Further routes that a call tries when a switch refuses.");
  set.add_strings(
      "prepare", &options.prepared,
      "FROM>TO:CELLS:COUNT keeps COUNT connections, at most 1000, of CELLS cells/s ready "
      "for calls of that pair; may be given several times.");
  set.add_uint("operations-at-once", &options.operations_at_once, 20'000, {1, 1'000'000},
               "Requests begun and not yet answered (xbind); more wait, releases first, then by "
               "priority.");
  config::add_timer(set, cmgr::kManagerTimers.row("queue-timer-ms"), &options.queue_timer_ms,
                    {10, 600'000});
  config::add_timer(set, cmgr::kManagerTimers.row("route-timer-ms"), &options.route_timer_ms,
                    {10, 600'000});
  config::add_timer(set, cmgr::kManagerTimers.row("hop-timer-ms"), &options.hop_timer_ms,
                    {10, 600'000});
  config::add_timer(set, cmgr::kManagerTimers.row("undo-timer-ms"), &options.undo_timer_ms,
                    {10, 600'000});
  set.add_uint("reroutes-at-once", &options.reroutes_at_once, 1'000, {1, 1'000'000},
               "Connections that get another path at the same time, when theirs has become "
               "unusable; more wait.");
  config::add_timer(set, cmgr::kManagerTimers.row("reroute-retry-ms"), &options.reroute_retry_ms,
                    {100, 3'600'000});
  config::add_timer(set, cmgr::kManagerTimers.row("break-delay-ms"), &options.break_delay_ms,
                    {0, 60'000});
  set.add_uint("connections-max", &options.connections_max, 1'000'000, {1, 1ULL << 32},
               "Connections kept at most; more setups are answered busy.");
  config::add_timer(set, cmgr::kManagerTimers.row("startup-patience-ms"),
                    &options.startup_patience_ms, {0, 600'000});
}

// What one client may have.
void declare_clients(config::OptionSet& set, cmgr::ClientLimits& clients) {
  set.add_uint("clients-max", &clients.attached_max, 1'024, {1, 65'536},
               "Clients attached at a time; more are refused.");
  set.add_uint(
      "client-requests-max", &clients.requests_max, 200'000, {1, 10'000'000},
      "Requests of one client whose outcome it has not confirmed; more are answered busy.");
  set.add_uint("client-calls-max", &clients.calls_max, 0, {0, 1ULL << 32},
               "Connections of one client, also those being set up; more setups are answered busy. "
               "All callers of two-way operations are one client here. 0: no limit.");
  set.add_uint("client-cells-per-s-max", &clients.cells_per_s_max, 0, {0, 1ULL << 40},
               "Cells a second of all connections of one client, both directions together; setups "
               "and changes beyond are answered busy. 0: no limit.");
  set.add_double("client-setups-per-s-max", &clients.setups_per_s_max, 0, {0, 1'000'000},
                 "Setups a second of one client, with bursts of one second's setups; more are "
                 "answered busy. 0: no limit.");
}

// Traces of calls.
void declare_traces(config::OptionSet& set, TraceOptions& options) {
  set.add_uint(
      "trace-sample", &options.sample, 64, {0, 1'000'000'000},
      "Of so many calls one is recorded in every process that it passes; 0: none. Calls of "
      "two-way operations, as of xbindctl, are all recorded unless it is 0. Refused setups "
      "are recorded in any case, up to 100 a second.");
  set.add_uint("trace-slow-us", &options.slow_us, 0, {0, 3'600'000'000},
               "Setups that take longer, in microseconds, are recorded as well; 0: none for that.");
}

std::string settings_file(const Options& options) {
  return config::settings_file_path(options.state_dir, "cmgr", options.common.name);
}
std::string pool_file(const Options& options) {
  return cmgr::pool_file_path(options.state_dir, options.common.name);
}

// Why the first file that is refused is; the files are read again when the manager begins.
std::optional<std::string> refusal_of_state(const Options& options) {
  if (options.state_dir.empty()) return std::nullopt;
  const auto epoch =
      cmgr::read_epoch(cmgr::epoch_file_path(options.state_dir, options.common.name));
  if (!epoch) return epoch.error().text;
  if (const auto pools = cmgr::read_pools(pool_file(options)); !pools) return pools.error().text;
  return orb::refusal_of_settings(settings_file(options));
}

bool begin_state(const Options& options) {
  return orb::begin_state(options.state_dir,
                          "the manager's epoch, which SwitchServers know as well; pools and "
                          "options that operators set at run time");
}

void declare(config::OptionSet& set, Options& options) {
  set.add_timers(cmgr::kManagerTimers);
  for (MetricTable& table : cmgr::manager_metrics()) set.add_metrics(std::move(table));
  orb::add_daemon_options(set, options.common, "default");
  exporter::add_option(set, options.common.metrics);
  declare_peers(set, options);
  declare_aggregation(set, options);
  declare_caches(set, options);
  declare_calls(set, options);
  declare_clients(set, options.clients);
  declare_traces(set, options.traces);
  orb::add_state_option(
      set, &options.state_dir,
      "Directory in which the manager's epoch, pools of prepared connections and options that "
      "operators have set at run time are stored across restarts");
  set.add_check([&options] { return refusal_of_state(options); });
  declare_faults(set, options.impairments);
  declare_pace(set, options.impairments);
}

// Sets the aggregation mode, whose default depends on two other options: a threshold implies fixed
// aggregation, and an engine that waits for each answer sends every command alone. Returns the
// error text if the options contradict each other. An operator's mode goes before a threshold that
// was given at the start.
std::optional<std::string> settle_aggregation(const config::OptionSet& set, Options& options) {
  const bool mode_given = set.given("aggregation");
  if (options.engine != "xbind") {
    if (mode_given && options.aggregation != "fixed") {
      return fmt::format("--aggregation {}: the engine {} sends every command alone",
                         options.aggregation, options.engine);
    }
    if (options.threshold != 1) {
      return fmt::format("--threshold {}: the engine {} sends every command alone",
                         options.threshold, options.engine);
    }
    options.aggregation = "fixed";
  }
  if (config::is_tuned(set, "aggregation") && !config::is_tuned(set, "threshold")) {
    return std::nullopt;
  }
  if (set.given("threshold")) {
    if (mode_given && options.aggregation != "fixed") {
      return fmt::format("--threshold {}: --aggregation {} does not use a fixed threshold",
                         options.threshold, options.aggregation);
    }
    options.aggregation = "fixed";
  }
  return std::nullopt;
}

Result<cmgr::Config> config_of(const Options& options) {
  cmgr::Config config;
  config.aggregation.mode = options.aggregation == "fixed"     ? cmgr::AggregationMode::kFixed
                            : options.aggregation == "regions" ? cmgr::AggregationMode::kRegions
                                                               : cmgr::AggregationMode::kAdaptive;
  config.aggregation.threshold = options.threshold;
  config.aggregation.flush_timeout =
      std::chrono::nanoseconds(static_cast<std::int64_t>(options.flush_timeout_ms * 1e6));
  config.aggregation.in_flight = options.in_flight;
  auto regions = cmgr::parse_regions(options.regions);
  if (!regions) return tl::make_unexpected(regions.error());
  config.aggregation.regions = std::move(*regions);
  config.label_policy = options.label_policy == "fixed"         ? cmgr::LabelPolicy::kFixed
                        : options.label_policy == "competitive" ? cmgr::LabelPolicy::kCompetitive
                                                                : cmgr::LabelPolicy::kCooperative;
  config.label_cache_target = options.label_cache;
  for (session::Limits* limits : {&config.switch_session, &config.client_session}) {
    *limits = orb::within_connection(*limits);
  }
  config.hit_ratio = options.hit_ratio;
  config.quotas = options.quotas == "on";
  config.quota_calls_ahead = options.quota_calls;
  config.remote_qos = options.qos == "remote";
  if (options.catalogue) config.catalogue = options.catalogue;
  config.crankbacks = options.crankbacks;
  config.operations_at_once = options.operations_at_once;
  config.queue_timer = std::chrono::milliseconds(options.queue_timer_ms);
  config.route_timer = std::chrono::milliseconds(options.route_timer_ms);
  config.hop_timer = std::chrono::milliseconds(options.hop_timer_ms);
  config.undo_timer = std::chrono::milliseconds(options.undo_timer_ms);
  config.reroutes_at_once = options.reroutes_at_once;
  config.reroute_retry = std::chrono::milliseconds(options.reroute_retry_ms);
  config.break_delay = std::chrono::milliseconds(options.break_delay_ms);
  config.connections_max = options.connections_max;
  config.clients = options.clients;
  config.traces = {options.traces.sample, std::chrono::microseconds(options.traces.slow_us)};
  if (options.engine == "xbind") return config;
  // The paper's baselines: two phases, synchronous invocations, no caches.
  config.engine =
      options.engine == "sequential" ? cmgr::Engine::kSequential : cmgr::Engine::kThreaded;
  config.one_by_one = true;
  config.operations_at_once = options.engine == "sequential" ? 1 : options.threads;
  config.route_cache = false;
  config.remote_qos = true;
  config.qos_cache = false;
  config.label_policy = cmgr::LabelPolicy::kFixed;
  config.label_cache_target = 0;
  config.quotas = false;
  return config;
}

cmgr::RemotePeers::Options peers_of(const Options& options, const cmgr::Config& config) {
  return {options.common.name,
          Epoch{},
          options.route_object,
          options.qos_mapper,
          options.common.name_service,
          config.one_by_one ? config.operations_at_once : 1,
          !config.one_by_one,
          options.impairments,
          options.route_metric == "load"    ? cmgr::RouteMetric::kLoad
          : options.route_metric == "delay" ? cmgr::RouteMetric::kDelay
                                            : cmgr::RouteMetric::kHops,
          [](const std::string& why) { orb::end_process(orb::kExitReplaced, why); }};
}

// The options that a running manager takes; config_of() turns most into settings.
void set_live(config::OptionSet& set) {
  orb::set_live_options(set);
  set.set_live({"catalogue",
                "aggregation",
                "regions",
                "in-flight",
                "threshold",
                "flush-timeout-ms",
                "label-cache",
                "hit-ratio",
                "quota-calls",
                "crankbacks",
                "operations-at-once",
                "queue-timer-ms",
                "route-timer-ms",
                "hop-timer-ms",
                "undo-timer-ms",
                "reroutes-at-once",
                "reroute-retry-ms",
                "break-delay-ms",
                "connections-max",
                "clients-max",
                "client-requests-max",
                "client-calls-max",
                "client-cells-per-s-max",
                "client-setups-per-s-max"});
}

Options::Options() {
  declare(set, *this);
  set_live(set);
  set.add_check([this]() -> std::optional<std::string> {
    auto read = catalogue_of_option(catalogue_file);
    if (!read) return "catalogue: " + read.error().text;
    catalogue = std::move(*read);
    if (auto contradiction = settle_aggregation(set, *this)) return contradiction;
    if (const auto config = config_of(*this); !config) return config.error().text;
    if (const auto of_pairs = cmgr::pools_of_option(prepared); !of_pairs)
      return of_pairs.error().text;
    return std::nullopt;
  });
}

// Puts live options into effect.
Result<void> apply(const Options& before, const Options& wanted, cmgr::ManagerDaemon& daemon,
                   std::vector<config::OptionChange>& changes) {
  const auto config = config_of(wanted);
  if (!config) return tl::make_unexpected(config.error());
  if (const auto taken = daemon.change_settings(*config); !taken) return taken;
  orb::apply_live_options(before.common, wanted.common);
  if (auto content = catalogue_change(*before.catalogue, *wanted.catalogue)) {
    changes.push_back(std::move(*content));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  orb::take_signals();  // first, so that SIGTERM ends the process in order from here on
  Options options;
  if (const auto exit_code = config::load_or_explain(options.set, argc, argv)) return *exit_code;
  log::start("xbind-cmgr " + options.common.name, options.common.log);
  log::info("options: {}", options.set.given_text());

  if (!begin_state(options)) return 1;
  const cmgr::Config config = *config_of(options);
  cmgr::PoolKeeper pools(pool_file(options), *cmgr::pools_of_option(options.prepared));
  orb::Runtime runtime(argc, argv, options.common.runtime());
  cmgr::ManagerDaemon daemon(runtime.orb(), config, peers_of(options, config));
  config::Reload<Options> reload(options, argc, argv,
                                 [&](const Options& before, const Options& wanted, auto& changes) {
                                   return apply(before, wanted, daemon, changes);
                                 },
                                 settings_file(options), {"catalogue"});
  const auto longest_call = [&daemon] { return daemon.longest_call(); };
  const PortableServer::Servant_var<cmgr::HopObserverServant> observer =
      new cmgr::HopObserverServant(daemon);
  const CORBA::Object_var observer_object = runtime.activate(observer.in());
  const v2::HopObserver_var observer_reference =
      v2::HopObserver::_unchecked_narrow(observer_object);
  const PortableServer::Servant_var<cmgr::TopologyObserverServant> topology_observer =
      new cmgr::TopologyObserverServant(daemon);
  const CORBA::Object_var topology_object = runtime.activate(topology_observer.in());
  const v2::TopologyObserver_var topology_reference =
      v2::TopologyObserver::_unchecked_narrow(topology_object);
  const PortableServer::Servant_var<cmgr::RequestInboxServant> inbox =
      new cmgr::RequestInboxServant(daemon);
  const CORBA::Object_var inbox_object = runtime.activate_apart(inbox.in(), "request_inbox");
  const v2::RequestInbox_var inbox_reference = v2::RequestInbox::_unchecked_narrow(inbox_object);
  const PortableServer::Servant_var<cmgr::ManagerOperationsServant> operations =
      new cmgr::ManagerOperationsServant(daemon, longest_call, reload, pools);
  const CORBA::Object_var operations_object = runtime.activate(operations.in());
  const v2::ManagerOperations_var operations_reference =
      v2::ManagerOperations::_unchecked_narrow(operations_object);
  const PortableServer::Servant_var<cmgr::ConnectionManagerServant> servant =
      new cmgr::ConnectionManagerServant(daemon, inbox_reference, operations_reference,
                                         longest_call);
  const CORBA::Object_var object = runtime.activate(servant.in());

  auto exported = exporter::Exporter::open_or_log(options.common.metrics, "xbind-cmgr",
                                                  {daemon.exposed_part()}, cmgr::manager_metrics());
  if (exported == nullptr) return 1;

  // Start attaching only now, when no live manager has the name: attaching with our newer epoch
  // fences an older manager.
  const auto begin = [&] {
    if (!orb::or_end_process(reload.begin())) return;
    if (!orb::or_end_process(cmgr::restore_pools(pools, reload))) return;
    daemon.start(observer_reference, topology_reference);
  };
  const std::chrono::milliseconds patience{options.startup_patience_ms};
  const auto begin_epoch = [&] {
    const auto begun =
        daemon.begin_epoch(options.state_dir, patience, [&] { cmgr::begin_pools(daemon, pools); });
    if (!begun) orb::end_process(1, begun.error().text);
    return begun && *begun;
  };
  const auto ready_to_bind = [&, begun = false, looked = false]() mutable {
    if (!begun) begun = begin_epoch();
    if (!begun || !daemon.may_serve(patience)) return false;
    if (!std::exchange(looked, true)) cmgr::warn_of_ends(daemon, pools.options());
    return true;
  };
  const orb::ReloadOnHangUp on_hang_up(reload);
  const orb::Ending end = orb::serve_until_signal(
      runtime.orb(), "xbind-cmgr", options.common,
      {{options.common.name,
        {naming::path_of(naming::kConnectionManagers, options.common.name), object}}},
      {begin, ready_to_bind, [&] { exported->serving(); }, naming::watching(daemon.supervision())});
  exported.reset();  // first: it asks the daemon
  daemon.end_sessions();
  runtime.shutdown();  // first: no upcall may reach the daemon any more
  daemon.stop();
  return orb::log_ending(end);
}
