#include "switchserver/program.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "naming/names.hpp"
#include "orb/daemon.hpp"
#include "orb/process.hpp"
#include "switchserver/daemon.hpp"
#include "switchserver/servant.hpp"

namespace {

using namespace xbind;

struct Options {
  orb::CommonOptions common;
  std::string switch_address;
  double overbooking = 1.0;
  std::uint64_t buffer_cells = 0;
  LabelSharing sharing = LabelSharing::kFree;
  std::uint32_t window = 0;
  std::uint32_t transaction_timeout_ms = 0;
  std::string gsmp_versions;
  faults::FaultOptions faults;
};

void declare(config::OptionSet& set, Options& options) {
  orb::add_daemon_options(set, options.common, "");
  set.add_string("switch", &options.switch_address, "127.0.0.1:6068",
                 "Where the switch listens for GSMP, HOST:PORT.");
  set.add_double("overbooking", &options.overbooking, 1.0, {0.01, 1000},
                 "How many times a port's line rate may be promised.");
  set.add_uint("buffer-cells", &options.buffer_cells, 1'048'576, {0, 1'000'000'000},
               "Buffer of every output port, in cells.");
  set.add_enum("label-sharing", &options.sharing, LabelSharing::kFree,
               {{"free", LabelSharing::kFree}, {"cooperative", LabelSharing::kCooperative}},
               "Whether managers share a port's labels in proportion to what they declare.");
  set.add_uint("gsmp-window", &options.window, 256, {1, 32'768},
               "GSMP requests without an answer at most; the switch may want fewer.");
  set.add_uint("gsmp-timeout-ms", &options.transaction_timeout_ms, 2'000, {10, 60'000},
               "Milliseconds after which a GSMP request counts as unanswered.");
  set.add_choice("gsmp-versions", &options.gsmp_versions, "3,1", {"3,1", "3", "1"},
                 "Versions of GSMP that may be spoken with the switch, the highest first; 1 is "
                 "version 1.1.");
  orb::add_fault_options(set, options.faults);
  set.add_check([&options]() -> std::optional<std::string> {
    const auto peer = gsmp::parse_host_port(options.switch_address);
    if (!peer) return "switch: " + peer.error().text;
    return std::nullopt;
  });
}

SwitchServerDaemonOptions daemon_options(const Options& options) {
  SwitchServerDaemonOptions out;
  out.server.controller.name = options.common.name;
  out.server.controller.ledger.overbooking = options.overbooking;
  out.server.controller.ledger.buffer_cells = options.buffer_cells;
  out.server.controller.ledger.sharing = options.sharing;
  // Sessions of an earlier process must not be taken for ours.
  out.server.session_base = std::uint64_t{std::random_device{}()} << 24;
  out.gsmp.adjacency.name = gsmp::name_from("xbind-switchserver " + options.common.name);
  out.gsmp.adjacency.versions.clear();
  for (const char version : options.gsmp_versions) {
    if (version != ',')
      out.gsmp.adjacency.versions.push_back(static_cast<std::uint8_t>(version - '0'));
  }
  out.faults = options.faults;
  out.gsmp.window = options.window;
  out.gsmp.transaction_timeout = std::chrono::milliseconds(options.transaction_timeout_ms);
  out.tcp.peer = *gsmp::parse_host_port(options.switch_address);
  return out;
}

}  // namespace

namespace xbind {

int run_switch_server(int argc, char** argv, const WhenServing& when_serving) {
  orb::take_signals();  // first: SIGTERM ends in order from here on
  Options options;
  config::OptionSet set("xbind-switchserver",
                        "Keeps the ledger of one label switch and programs it with GSMP.");
  declare(set, options);
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  log::start("xbind-switchserver " + options.common.name, options.common.log_level);
  log::info("options: {}", set.given_text());

  SwitchServerDaemon daemon(daemon_options(options));
  {
    orb::Runtime runtime(argc, argv, options.common.runtime());
    const PortableServer::Servant_var<HopInboxServant> inbox = new HopInboxServant(daemon);
    const CORBA::Object_var inbox_object = runtime.activate_apart(inbox.in(), "hop_inbox");
    const v1::HopInbox_var inbox_reference = v1::HopInbox::_unchecked_narrow(inbox_object);
    const PortableServer::Servant_var<SwitchServerServant> servant =
        new SwitchServerServant(daemon, inbox_reference);
    const CORBA::Object_var object = runtime.activate(servant.in());
    daemon.start();
    if (when_serving) when_serving(daemon);
    orb::serve_until_signal(runtime.orb(), "xbind-switchserver", options.common,
                            naming::path_of(naming::kSwitchServers, options.common.name), object);
  }  // no upcall any more
  daemon.stop();
  return 0;
}

}  // namespace xbind
