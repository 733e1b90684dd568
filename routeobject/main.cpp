// xbind-routeobject: paths through a topology.
#include <cstdio>

#include "naming/names.hpp"
#include "orb/daemon.hpp"
#include "orb/process.hpp"
#include "routeobject/servant.hpp"
#include "routeobject/topology_file.hpp"

int main(int argc, char** argv) {
  using namespace xbind;
  orb::take_signals();  // first: SIGTERM ends in order from here on
  orb::CommonOptions common;
  std::string topology_path;
  std::uint32_t validity_ms = 0;
  bool describe = false;
  config::OptionSet set("xbind-routeobject", "Answers which path a connection takes.");
  orb::add_daemon_options(set, common, "default");
  set.add_string("topology", &topology_path, "", "Topology file: switches, links, demands.");
  set.require("topology");
  set.add_uint("validity-ms", &validity_ms, kRouteValidityMsDefault, {1, kRouteValidityMsMax},
               "Milliseconds for which an answer may be cached.");
  set.add_flag("describe-topology", &describe,
               "Print the topology as JSON to standard output and exit.");
  std::optional<Topology> topology;
  set.add_check([&]() -> std::optional<std::string> {
    auto read = read_topology_file(topology_path);
    if (!read) return read.error().text;
    topology = std::move(*read);
    return std::nullopt;
  });
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;
  if (describe) {
    std::printf("%s\n", describe_as_json(*topology).c_str());
    return 0;
  }
  log::start("xbind-routeobject " + common.name, common.log_level);
  log::info("options: {}", set.given_text());

  const RouteService routes(std::move(*topology), validity_ms);
  orb::Runtime runtime(argc, argv, common.runtime());
  const PortableServer::Servant_var<RouteObjectServant> servant = new RouteObjectServant(routes);
  const CORBA::Object_var object = runtime.activate(servant.in());
  orb::serve_until_signal(runtime.orb(), "xbind-routeobject", common,
                          naming::path_of(naming::kRouteObjects, common.name), object);
  runtime.shutdown();
  return 0;
}
