// xbind-cmgr: the ConnectionManager.
#include <chrono>

#include "cmgr/servant.hpp"
#include "naming/names.hpp"
#include "orb/daemon.hpp"
#include "orb/process.hpp"

namespace {

using namespace xbind;

struct Options {
  orb::CommonOptions common;
  std::string engine;
  std::string route_object;
  std::uint32_t threshold = 0;
  double flush_timeout_ms = 0;
  std::uint32_t label_cache = 0;
  std::uint32_t route_timer_ms = 0;
  std::uint32_t hop_timer_ms = 0;
  std::uint32_t undo_timer_ms = 0;
  std::uint32_t startup_patience_ms = 0;
  std::uint64_t connections_max = 0;
  faults::FaultOptions faults;
};

void declare(config::OptionSet& set, Options& options) {
  orb::add_daemon_options(set, options.common, "default");
  set.add_choice("engine", &options.engine, "xbind", {"xbind"},
                 "How calls are processed: xbind caches, aggregates and works in parallel.");
  set.add_string("routeobject", &options.route_object, "default",
                 "Name of the RouteObject under xbind/routeobject/.");
  set.add_uint("threshold", &options.threshold, 1, {1, 4096},
               "T: commands gathered for a switch before a batch is sent.");
  set.add_double("flush-timeout-ms", &options.flush_timeout_ms, 5, {0.05, 10'000},
                 "Milliseconds that a command waits at most for others to fill its batch.");
  set.add_uint("label-cache", &options.label_cache, 64, {0, 65'535},
               "Labels kept in advance for each switch and output port; 0 keeps none.");
  set.add_uint("route-timer-ms", &options.route_timer_ms, 3'000, {10, 600'000},
               "Milliseconds that a call waits for its route.");
  set.add_uint("hop-timer-ms", &options.hop_timer_ms, 3'000, {10, 600'000},
               "Milliseconds that a call waits for all its hops before it is undone.");
  set.add_uint("undo-timer-ms", &options.undo_timer_ms, 5'000, {10, 600'000},
               "Milliseconds that a removal waits for its hops before it is owed.");
  set.add_uint("connections-max", &options.connections_max, 1'000'000, {1, 1ULL << 32},
               "Connections kept at most; more setups are answered busy.");
  set.add_uint("startup-patience-ms", &options.startup_patience_ms, 15'000, {0, 600'000},
               "Milliseconds to wait for RouteObject and all SwitchServers before serving anyway.");
  orb::add_fault_options(set, options.faults);
}

cmgr::Config config_of(const Options& options, std::uint64_t epoch) {
  cmgr::Config config;
  config.epoch = epoch;
  config.aggregation.threshold = options.threshold;
  config.aggregation.flush_timeout =
      std::chrono::nanoseconds(static_cast<std::int64_t>(options.flush_timeout_ms * 1e6));
  config.label_cache_target = options.label_cache;
  config.route_timer = std::chrono::milliseconds(options.route_timer_ms);
  config.hop_timer = std::chrono::milliseconds(options.hop_timer_ms);
  config.undo_timer = std::chrono::milliseconds(options.undo_timer_ms);
  config.connections_max = options.connections_max;
  return config;
}

// Later starts have higher epochs, also on another host with a sane clock: seconds since 1970. The one
// use of the wall clock; a clock set back makes the SwitchServers say "fenced", and we say so.
std::uint64_t epoch_now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace

int main(int argc, char** argv) {
  orb::take_signals();  // first: SIGTERM ends in order from here on
  Options options;
  config::OptionSet set("xbind-cmgr", "Sets up, describes and releases connections.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-cmgr " + options.common.name, options.common.log_level);
  log::info("options: {}", set.given_text());

  const std::uint64_t epoch = epoch_now();
  const cmgr::Config config = config_of(options, epoch);
  orb::Runtime runtime(argc, argv, options.common.runtime());
  cmgr::ManagerDaemon daemon(runtime.orb(), config,
                             {options.common.name, Epoch{epoch}, options.route_object,
                              options.common.name_service, options.faults});
  const PortableServer::Servant_var<cmgr::HopObserverServant> observer =
      new cmgr::HopObserverServant(daemon);
  const CORBA::Object_var observer_object = runtime.activate(observer.in());
  const v1::HopObserver_var observer_reference =
      v1::HopObserver::_unchecked_narrow(observer_object);
  const PortableServer::Servant_var<cmgr::RequestInboxServant> inbox =
      new cmgr::RequestInboxServant(daemon);
  const CORBA::Object_var inbox_object = runtime.activate_apart(inbox.in(), "request_inbox");
  const v1::RequestInbox_var inbox_reference = v1::RequestInbox::_unchecked_narrow(inbox_object);
  const PortableServer::Servant_var<cmgr::ConnectionManagerServant> servant =
      new cmgr::ConnectionManagerServant(
          daemon, inbox_reference,
          config.route_timer + config.hop_timer + config.undo_timer + std::chrono::seconds{1});
  const CORBA::Object_var object = runtime.activate(servant.in());

  daemon.start(observer_reference);
  orb::serve_until_signal(
      runtime.orb(), "xbind-cmgr", options.common,
      naming::path_of(naming::kConnectionManagers, options.common.name), object,
      [&] { return daemon.may_serve(std::chrono::milliseconds(options.startup_patience_ms)); });
  runtime.shutdown();  // no upcall any more, before the daemon goes
  daemon.stop();
  return 0;
}
