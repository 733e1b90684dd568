// xbindctl: the operator's command.
#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <thread>

#include "client/timers.hpp"
#include "core/check.hpp"
#include "naming/names.hpp"
#include "orb/daemon.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/command_line.hpp"
#include "xbindctl/commands.hpp"

namespace {

using namespace xbind;

std::optional<ctl::AggregationChange> change_of(const ctl::CommandLine& line,
                                                const config::OptionSet& set) {
  if (!set.given("mode")) return std::nullopt;
  const auto& modes = ctl::aggregation_modes();
  ctl::AggregationChange change;
  change.mode =
      static_cast<CORBA::Octet>(std::ranges::find(modes, line.aggregation.mode) - modes.begin());
  if (set.given("threshold")) change.threshold = line.aggregation.threshold;
  if (set.given("flush-timeout-ms")) change.flush_timeout_ms = line.aggregation.flush_timeout_ms;
  return change;
}

// A random number, so that the outcome can be looked up by it later.
RequestId new_request() {
  std::random_device chance;
  return RequestId{(std::uint64_t{chance()} << 16 | (chance() & 0xffffU)) + 1};
}

ctl::PingWish ping_of(const ctl::CommandLine& line) {
  const auto time = [](double ms) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms));
  };
  std::random_device chance;
  return {.lines = line.ping.lines,
          .count = line.count,
          .interval = time(line.ping.interval_ms),
          .timeout = time(line.ping.timeout_ms),
          .session = std::uint64_t{chance()} << 32 | chance()};
}

CORBA::Octet place_of(const std::string& word, const std::vector<std::string>& words) {
  return static_cast<CORBA::Octet>(std::ranges::find(words, word) - words.begin());
}

std::optional<std::string> client_of(const ctl::CommandLine& line) {
  if (line.client.empty()) return std::nullopt;
  return line.client;
}

ctl::RouteWish wish_of(const ctl::CommandLine& line, const config::OptionSet& set) {
  ctl::RouteWish wish{line.words[1], line.words[2]};
  if (set.given("cells-per-s")) wish.cells_per_s = line.service.cells_per_s;
  wish.metric = place_of(line.metric, ctl::metrics());
  wish.delay_us_max = line.delay_us_max;
  wish.links_max = line.links_max;
  wish.avoid = line.avoid;
  wish.require = line.require;
  wish.alternates = line.alternates;
  wish.disjoint = place_of(line.disjoint, ctl::disjointness());
  return wish;
}

// Runs the commands that RouteObject answers; nullopt: it is another command.
std::optional<int> ask_routes(const ctl::CommandLine& line, const config::OptionSet& set,
                              orb::NameClient& names) {
  const std::string& verb = line.verb();
  if (verb != "routes" && verb != "links" && verb != "drain" && verb != "undrain") {
    return std::nullopt;
  }
  const auto object = names.resolve(naming::path_of(naming::kRouteObjects, line.route_object));
  if (!object) return ctl::explain(object.error().text);
  const v2::RouteObject_var route_object = v2::RouteObject::_unchecked_narrow(*object);
  if (verb == "routes") return ctl::routes(route_object, wish_of(line, set));
  if (verb == "links") return ctl::links(route_object);
  const PathElement element{line.words[1], PortId{static_cast<std::uint32_t>(line.id)}};
  return ctl::drain(route_object, element, verb == "drain");
}

void pause_before_asking() { std::this_thread::sleep_for(client::kClientTimers["clear-pause"]); }

int run(const ctl::CommandLine& line, const config::OptionSet& set, orb::NameClient& names) {
  const std::string& verb = line.verb();
  const std::vector<std::string>& words = line.words;
  if (verb == "forget-manager") {
    return ctl::forget_manager(names, words[1], words[2], line.release, pause_before_asking);
  }
  if (verb == "managers") return ctl::managers(names, words[1]);
  if (verb == "log-level") return ctl::log_level(names, words, line.manager, line.route_object);
  if (verb == "ports") return ctl::ports(names, words[1]);
  if (verb == "count") {
    return ctl::count(names, words[1], PortId{static_cast<std::uint32_t>(line.id)}, line.label);
  }
  if (verb == "services") {
    const auto mapper = names.resolve(naming::path_of(naming::kQosMappers, line.qos_mapper));
    if (!mapper) return ctl::explain(mapper.error().text);
    return ctl::services(v2::QOSMapper::_unchecked_narrow(*mapper));
  }
  if (const auto exit_code = ask_routes(line, set, names)) return *exit_code;
  const auto found = client::TwoWay::find(names, line.manager);
  const bool reached = found && (verb != "clear" || found->status().has_value());
  if (verb == "clear" && !reached) {
    // Nobody else can end it. SwitchServers refuse this while the manager has a session.
    return ctl::clear_hops(names, line.manager, ConnectionId{line.id}, pause_before_asking);
  }
  if (!found) {
    const bool absent = found.error().code == ErrorCode::kNotFound;
    return ctl::explain(found.error().text +
                        (absent ? ": is the manager running? `xbind-names list` prints the names "
                                  "that are bound"
                                : ""));
  }
  const client::TwoWay& manager = *found;
  const ConnectionId connection{line.id};
  if (verb == "connect") {
    ConnectRequest request{new_request(), words[1],       words[2],
                           line.service,  line.reverse(), line.connect.priority,
                           line.hold_ms()};
    request.from_frames = line.connect.from_frames;
    request.to_frames = line.connect.to_frames;
    return ctl::connect(manager, request);
  }
  if (verb == "commit") return ctl::commit(manager, connection);
  if (verb == "modify") return ctl::modify(manager, connection, line.service, line.reverse());
  if (verb == "add-leaf") return ctl::add_leaf(manager, connection, words[2]);
  if (verb == "drop-leaf") return ctl::drop_leaf(manager, connection, words[2]);
  if (verb == "release" && words.size() > 1) return ctl::release(manager, connection);
  if (verb == "release") return ctl::release_many(manager, client_of(line));
  if (verb == "clear") return ctl::clear(manager, connection);
  if (verb == "outcome") return ctl::outcome(manager, words[1], RequestId{line.id});
  if (verb == "describe") return ctl::describe(manager, connection);
  if (verb == "ping") return ctl::ping(manager, connection, ping_of(line));
  if (verb == "list") return ctl::list(manager, client_of(line));
  if (verb == "status") return ctl::status(manager);
  if (verb == "audit") return ctl::audit(manager);
  if (verb == "repair") return ctl::repair(manager, line.dry_run);
  if (verb == "clients") return ctl::clients(manager);
  if (verb == "caches") return ctl::caches(manager);
  if (verb == "aggregation") return ctl::aggregation(manager, change_of(line, set));
  XB_CHECK(verb == "prepare", verb);
  return ctl::prepare(manager, words[1], words[2], line.service, line.count);
}

}  // namespace

int main(int argc, char** argv) {
  orb::CommonOptions common;
  ctl::CommandLine line;
  config::OptionSet set("xbindctl",
                        "Asks and steers a ConnectionManager. Exit code 0: done; 1: refused, or it "
                        "could not be asked. "
                        "Of audit 0: clean; 1: something is wrong; 4: removals are owed, and "
                        "nothing else; 5: a switch "
                        "could not be asked, and of the others nothing is wrong.");
  // Longer than a manager normally needs, also when a switch does not answer.
  set.add_timers(client::kClientTimers);
  orb::add_client_options(set, common, log::Level::kWarn, 15'000);
  ctl::declare(set, line);
  set.add_check([&line] { return ctl::fault_of_log_level(line.words); });
  if (const auto exit_code = config::load_or_explain(set, argc, argv)) return *exit_code;

  log::start("xbindctl", common.log);
  orb::Runtime runtime(argc, argv, common.runtime());
  orb::NameClient names(runtime.orb(), common.name_service);
  return run(line, set, names);
}
