#include "switchserver/program.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/config/reload.hpp"
#include "core/config/timer_option.hpp"
#include "exporter/exporter.hpp"
#include "gsmp/messages/timers.hpp"
#include "naming/names.hpp"
#include "net/timers.hpp"
#include "orb/configured.hpp"
#include "orb/daemon.hpp"
#include "orb/kept_state.hpp"
#include "orb/process.hpp"
#include "orb/runtime.hpp"
#include "switchserver/controller/timers.hpp"
#include "switchserver/daemon.hpp"
#include "switchserver/drivers/timers.hpp"
#include "switchserver/make_driver.hpp"
#include "switchserver/node_options.hpp"
#include "switchserver/servant.hpp"
#include "switchserver/servant_metrics.hpp"
#include "traffic/timers.hpp"

namespace {

using namespace xbind;

struct Options {
  Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  config::OptionSet set{"xbind-switchserver",
                        "Keeps the ledger of a label switch, or of several, and programs it with "
                        "GSMP."};
  orb::CommonOptions common;
  NodeOptions one;
  std::string switches;  // a file; empty: `one` is the only switch
  std::string state_dir;
  std::string route_object;
  double report_threshold = 0;
  std::uint32_t trace_slow_us = 0;
  std::uint32_t table_round_ms = 0;
  std::uint32_t report_interval_ms = 0;
  std::uint32_t report_refresh_ms = 0;
  ImpairmentOptions impairments;
  std::vector<NodeOptions> nodes;  // filled from `one` or the file
  // The managers that each node has had: nullopt if that is not known.
  std::vector<std::optional<KnownManagers>> known;
};

// The process has one set of options, and their file has the name of one of its switches.
std::string settings_file(const Options& options) {
  std::vector<std::string> names;
  for (const NodeOptions& node : options.nodes) names.push_back(node.name);
  return config::settings_file_of_one(options.state_dir, "switchserver", std::move(names));
}

std::optional<std::string> read_state(Options& options) {
  options.known.assign(options.nodes.size(), std::nullopt);
  if (options.state_dir.empty()) return std::nullopt;
  for (std::size_t i = 0; i < options.nodes.size(); ++i) {
    auto kept = read_managers(manager_file_path(options.state_dir, options.nodes[i].name));
    if (!kept) return kept.error().text;
    options.known[i] = std::move(*kept);
  }
  return orb::refusal_of_settings(settings_file(options));
}

void declare(config::OptionSet& set, Options& options) {
  xbind::declare(set, options.one);
  set.add_string("switches", &options.switches, "",
                 "File of [[switch]] tables, one for each switch that this process controls, "
                 "whose keys are the options above; these are then not given here.");
  for (MetricTable& table : exposed_switch_server_metrics()) set.add_metrics(std::move(table));
  set.add_timers(kSwitchServerTimers);
  set.add_timers(kDriverTimers);
  set.add_timers(gsmp::kGsmpTimers);
  set.add_timers(net::kNetTimers);
  set.add_timers(kTrafficTimers);
  orb::add_client_options(set, options.common, log::Level::kInfo);
  orb::add_connection_options(set, options.common);
  exporter::add_option(set, options.common.metrics);
  set.add_uint("trace-slow-us", &options.trace_slow_us, 0, {0, 3'600'000'000},
               "Commands that take longer, in microseconds, are recorded for traces although no "
               "manager asks for it; 0: none for that.");
  orb::add_state_option(set, &options.state_dir,
                        "Directory in which names and epochs of managers, and options that "
                        "operators have set at run time, are stored across restarts");
  set.add_string("route-object", &options.route_object, "default",
                 "Name under xbind/routeobject/ of the RouteObject that receives port reports; "
                 "empty: no reports.");
  orb::require_name(set, "route-object", options.route_object, true);
  orb::add_exit_codes(set);
  set.add_double(
      "report-threshold", &options.report_threshold, 0.1, {0, 1},
      "Part of a port's capacity by which its free bandwidth must change to be reported.");
  config::add_timer(set, kSwitchServerTimers.row("table-round-ms"), &options.table_round_ms,
                    {0, 86'400'000});
  config::add_timer(set, kSwitchServerTimers.row("report-interval-ms"), &options.report_interval_ms,
                    {1, 60'000});
  config::add_timer(set, kSwitchServerTimers.row("report-refresh-ms"), &options.report_refresh_ms,
                    {100, 600'000});
  declare_faults(set, options.impairments);
  declare_pace(set, options.impairments);
  set.add_check([&options, &set]() -> std::optional<std::string> {
    options.nodes = {options.one};
    if (options.switches.empty()) {
      if (!options.one.name.empty()) return read_state(options);
      return "option --name must be given, or --switches";
    }
    for (const std::string& name : node_option_names()) {
      if (!set.given(name)) continue;
      return fmt::format("--{} and --switches {}: it belongs in the file", name, options.switches);
    }
    auto nodes = load_nodes(options.switches);
    if (!nodes) return nodes.error().text;
    options.nodes = std::move(*nodes);
    return read_state(options);
  });
  orb::set_live_options(set);
  set.set_live({"report-threshold", "report-interval-ms", "report-refresh-ms"});
}

Options::Options() { declare(set, *this); }

SwitchServerDaemonOptions daemon_options(const Options& options, std::size_t number,
                                         std::uint64_t session_base) {
  const NodeOptions& node = options.nodes[number];
  SwitchServerDaemonOptions out;
  out.server.controller.name = node.name;
  out.server.controller.known = options.known[number];
  if (!options.state_dir.empty()) {
    out.manager_file = manager_file_path(options.state_dir, node.name);
  }
  out.server.controller.ledger.admission = node.admission;
  out.server.controller.ledger.overbooking = node.overbooking;
  out.server.controller.ledger.port_overbooking = port_overbooking(node);
  out.server.controller.ledger.rt_wait_us = node.rt_wait_us;
  out.server.controller.ledger.buffer_cells = node.buffer_cells;
  out.server.controller.ledger.sharing = node.sharing;
  out.server.controller.ledger.unused_percent = node.unused_percent;
  // A manager uses one connection for batches to and from this process, however many sessions it
  // has with the switches here. Together they may have less under way towards it than the socket's
  // send buffer holds, so that a step never blocks on it. Large batches are sent one by one.
  out.server.session = orb::within_connection(out.server.session, options.nodes.size());
  out.server.controller.table_round = std::chrono::milliseconds(options.table_round_ms);
  out.server.controller.trace_slow = std::chrono::microseconds(options.trace_slow_us);
  out.server.session_base = session_base;
  out.impairments = options.impairments;
  out.reports.threshold = options.report_threshold;
  out.reports.interval = std::chrono::milliseconds(options.report_interval_ms);
  out.reports.refresh = std::chrono::milliseconds(options.report_refresh_ms);
  out.name_in_log = options.nodes.size() > 1;
  out.of_process = number == 0;
  return out;
}

std::function<std::uint32_t()> real_chance() {
  return [device = std::make_shared<std::random_device>()] { return (*device)(); };
}

using Daemons = std::vector<std::unique_ptr<SwitchServerDaemon>>;

// Puts live options into effect. The nodes are the same, in the same order.
Result<void> apply(const Options& before, const Options& wanted, const Daemons& daemons,
                   std::vector<config::OptionChange>& changes) {
  if (!wanted.switches.empty()) {
    const auto of_nodes = changes_of(before.nodes, wanted.nodes);
    if (const auto live = config::check_live(of_nodes); !live) return live;
    changes.insert(changes.end(), of_nodes.begin(), of_nodes.end());
  }
  orb::apply_live_options(before.common, wanted.common);
  for (std::size_t i = 0; i < daemons.size(); ++i) {
    const SwitchServerDaemonOptions options = daemon_options(wanted, i, 0);
    daemons[i]->change(options.server.controller.ledger, options.reports);
  }
  return {};
}

// One switch's objects. They refer to the daemon; the ORB keeps them until it ends.
orb::Served serve(orb::Runtime& runtime, SwitchServerDaemon& daemon, config::Reloadable& options) {
  const PortableServer::Servant_var<HopInboxServant> inbox = new HopInboxServant(daemon);
  const CORBA::Object_var inbox_object =
      runtime.activate_apart(inbox.in(), "hop_inbox/" + daemon.name());
  const v2::HopInbox_var inbox_reference = v2::HopInbox::_unchecked_narrow(inbox_object);
  const PortableServer::Servant_var<SwitchOperationsServant> operations =
      new SwitchOperationsServant(daemon, options);
  const CORBA::Object_var operations_object = runtime.activate(operations.in());
  const v2::SwitchOperations_var operations_reference =
      v2::SwitchOperations::_unchecked_narrow(operations_object);
  const PortableServer::Servant_var<SwitchServerServant> servant =
      new SwitchServerServant(daemon, inbox_reference, operations_reference);
  return {daemon.name(),
          {naming::path_of(naming::kSwitchServers, daemon.name()), runtime.activate(servant.in())}};
}

}  // namespace

namespace xbind {

int run_switch_server(int argc, char** argv, const WhenServing& when_serving) {
  orb::take_signals();  // first: from here on SIGTERM ends the process in order
  Options options;
  if (const auto exit_code = config::load_or_explain(options.set, argc, argv)) return *exit_code;
  const bool several = !options.switches.empty();
  log::start(several ? "xbind-switchserver" : "xbind-switchserver " + options.one.name,
             options.common.log);
  log::info("options: {}", options.set.given_text());
  if (!orb::begin_state(options.state_dir,
                        "whose claims a restarted SwitchServer waits for, and which epochs are "
                        "fenced off; options that operators set at run time")) {
    return 1;
  }

  orb::Ending end;
  orb::SharedTimers timers;
  RemoteRouter router(options.route_object);
  Daemons daemons;
  config::Reload<Options> reload(
      options, argc, argv,
      [&](const Options& before, const Options& wanted, auto& changes) {
        return apply(before, wanted, daemons, changes);
      },
      settings_file(options));
  // Session numbers must differ from those of an earlier process.
  std::uint64_t session_base = std::random_device{}();
  for (std::size_t i = 0; i < options.nodes.size(); ++i) {
    daemons.push_back(std::make_unique<SwitchServerDaemon>(
        daemon_options(options, i, (session_base++ & 0xFFFFFFFF) << 24),
        make_driver(options.nodes[i], real_chance()), timers,
        options.route_object.empty() ? nullptr : &router));
  }
  {
    orb::Runtime runtime(argc, argv, options.common.runtime());
    std::vector<orb::Served> served;
    std::vector<exporter::Part> parts;
    for (const auto& daemon : daemons) {
      served.push_back(serve(runtime, *daemon, reload));
      parts.push_back(daemon->exposed_part());
    }
    auto exported =
        exporter::Exporter::open_or_log(options.common.metrics, "xbind-switchserver",
                                        std::move(parts), exposed_switch_server_metrics());
    if (exported == nullptr) return 1;
    // Only now, when no other SwitchServer uses one of our names: otherwise the switch would have
    // two controllers.
    const auto begin = [&] {
      if (!orb::or_end_process(reload.begin())) return;
      if (!options.route_object.empty()) {
        router.start(runtime.orb(), options.common.name_service);
      }
      for (const auto& daemon : daemons) {
        daemon->start();
        if (when_serving) when_serving(*daemon);
      }
    };
    const orb::ReloadOnHangUp on_hang_up(reload);
    end = orb::serve_until_signal(runtime.orb(), "xbind-switchserver", options.common, served,
                                  {begin,
                                   {},
                                   [&] { exported->serving(); },
                                   naming::watching(daemons.front()->supervision())});
    exported.reset();
    for (const auto& daemon : daemons) daemon->end_sessions();
    router.stop();
  }  // no more upcalls
  for (const auto& daemon : daemons) daemon->stop();
  return orb::log_ending(end);
}

}  // namespace xbind
