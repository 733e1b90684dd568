#include "xbindctl/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "client/demand_options.hpp"
#include "core/label_text.hpp"

namespace xbind::ctl {
namespace {

using Words = std::vector<std::string>;

constexpr std::uint32_t kPingCells = 5;  // to each point, without --count

// Options of `connect`, beside those of a service.
Words connect_words() {
  return {"both", "reverse-cells-per-s", "priority", "hold", "from-traffic", "to-traffic", "quiet"};
}

// The arguments ID, REQUEST and PORT are numbers.
std::vector<config::Command> commands() {
  const auto service_and = [&](const Words& more) {
    Words all = client::demand_option_names();
    all.insert(all.end(), more.begin(), more.end());
    all.emplace_back("manager");
    return all;
  };
  const Words manager{"manager"};
  const Words routes{"routeobject"};
  const Words audited{"manager", "routeobject"};
  return {
      {"connect",
       {"FROM", "TO"},
       "Sets up a connection and prints its id and its labels.",
       service_and(connect_words())},
      {"commit", {"ID"}, "Makes a connection of a hold.", manager},
      {"modify",
       {"ID"},
       "Changes the contract of a connection that is up; when refused, the old contract stays.",
       service_and({"both", "reverse-cells-per-s"})},
      {"add-leaf", {"ID", "END"}, "Adds a destination to a connection.", manager},
      {"drop-leaf", {"ID", "END"}, "Takes a destination from a connection.", manager},
      {"release",
       {"[ID]"},
       "Releases a connection or a hold; with --all or --client, many.",
       {"all", "client", "manager"}},
      {"clear",
       {"ID"},
       "With --force, ends a connection in whatever state it is, also one whose manager is gone.",
       {"force", "manager"}},
      {"outcome",
       {"CLIENT", "REQUEST"},
       "Prints the outcome of a client's request, if the manager still stores it.",
       manager},
      {"describe",
       {"ID"},
       "Prints all that the manager knows of a connection, hop by hop.",
       manager},
      {"ping",
       {"ID"},
       "Sends OAM loopback cells into a connection: round trips and losses point by point, and "
       "where cells stop. Exit code 0: every cell came back.",
       {"count", "interval-ms", "timeout-ms", "host-lines", "manager"}},
      {"list", {}, "Prints a line for each connection.", {"client", "manager"}},
      {"status", {}, "Prints the manager's counters, and where the time of calls went.", manager},
      {"audit", {}, "Compares the tables of switches, ledgers and manager.", audited},
      {"repair",
       {},
       "Audits, shows what is done about each finding, and does it after a second look.",
       {"dry-run", "manager", "routeobject"}},
      {"clients",
       {},
       "Prints the manager's clients, attached or not, with their calls and why a session ended.",
       manager},
      {"caches", {}, "Prints the manager's caches with their hits and sizes.", manager},
      {"aggregation",
       {},
       "Shows how commands to a switch are gathered, or changes it.",
       {"mode", "threshold", "flush-timeout-ms", "manager"}},
      {"prepare",
       {"FROM", "TO"},
       "Keeps connections ready, so that a connect needs no command to a switch.",
       service_and({"count"})},
      {"services", {}, "Prints the services of the QOSMapper's catalogue.", {"qosmapper"}},
      {"routes",
       {"FROM", "TO"},
       "Prints the paths between two endpoints.",
       {"cells-per-s", "metric", "alternates", "delay-us-max", "links-max", "avoid", "require",
        "disjoint", "routeobject"}},
      {"links", {}, "Prints every link with its state and its free bandwidth.", routes},
      {"drain",
       {"SWITCH", "[PORT]"},
       "Keeps new calls off a link or switch, and moves existing calls away.",
       routes},
      {"undrain", {"SWITCH", "[PORT]"}, "Ends a drain.", routes},
      {"ports", {"SWITCH"}, "Prints a switch's ports with their books and their cells.", {}},
      {"count",
       {"SWITCH", "PORT", "LABEL"},
       "Prints the cells that came in with a label, as 0/32 or mpls:16.",
       {}},
      {"managers",
       {"SWITCH|all"},
       "Prints the managers that SwitchServers know, attached or not, with their hops.",
       {}},
      {"forget-manager",
       {"SWITCH|all", "NAME"},
       "Declares that a manager will not return; frees its quarantined labels.",
       {"release"}},
      {"renew-epoch",
       {"NAME"},
       "Lets a manager that has ended begin low epochs again, above those of its calls.",
       routes},
      {"log-level",
       {"DAEMON", "[NAME|SUBSYSTEM|LEVEL]", "[SUBSYSTEM|LEVEL]", "[LEVEL]"},
       "Changes or shows what manager, routeobject, qosmapper, switchserver NAME, or all log.",
       {"manager", "routeobject", "qosmapper"}},
      {"options",
       {"DAEMON", "[NAME]"},
       "Prints the options of a running daemon, named as for log-level, and which are live.",
       {"manager", "routeobject", "qosmapper"}},
      {"tune",
       {"DAEMON", "NAME|OPTION[=VALUE]", "[OPTION[=VALUE]]"},
       "Sets a live option of a running daemon; without =VALUE its own value counts again.",
       {"manager", "routeobject", "qosmapper"}},
      {"reload",
       {"DAEMON", "[NAME]"},
       "Has a running daemon, named as for log-level, load its options again, and prints what "
       "changed.",
       {"manager", "routeobject", "qosmapper"}}};
}

std::vector<config::Command> all_commands() {
  std::vector<config::Command> all = commands();
  std::ranges::move(view_commands(client::demand_option_names()), std::back_inserter(all));
  all.push_back(network_command());
  return with_watch(std::move(all));
}

std::vector<config::CommandGroup> command_groups() {
  return {
      {"Set up, change and release calls",
       {"connect", "commit", "modify", "add-leaf", "drop-leaf", "release", "clear", "prepare"}},
      {"See and explain calls",
       {"calls", "call", "describe", "list", "explain", "trace", "ping", "validate", "sync",
        "outcome", "fit"}},
      {"The network",
       {"links", "routes", "what-if", "drain", "undrain", "network", "ports", "count", "services"}},
      {"What happens, and what is wrong",
       {"top", "status", "alarms", "acknowledge", "events", "audit", "repair"}},
      {"Managers, their clients and their switches",
       {"clients", "managers", "forget-manager", "renew-epoch", "caches", "aggregation"}},
      {"The daemons", {"options", "tune", "reload", "log-level"}},
      {"The shell", {"completion"}}};
}

std::optional<std::uint64_t> number(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// From 1.
std::optional<PortId> port_of(const std::string& word) {
  const auto value = number(word);
  if (!value || *value == 0 || *value > 0xffff'ffff) return std::nullopt;
  return PortId{static_cast<std::uint32_t>(*value)};
}

using Refusal = std::optional<std::string>;

Refusal check_words(CommandLine& line, const std::vector<config::Command>& known) {
  const auto command =
      std::ranges::find(known, line.verb(), [](const config::Command& each) { return each.verb; });
  for (std::size_t i = 0; i + 1 < line.words.size(); ++i) {
    const std::string& argument = command->arguments[i];
    const std::string& word = line.words[i + 1];
    if (word.empty()) return fmt::format("{}: {} is empty", line.verb(), argument);
    if (argument == "LABEL") {
      const auto label = parse_label(word);
      if (!label) return fmt::format("{}: {}", line.verb(), label.error().text);
      line.label = *label;
      continue;
    }
    if (argument == "[PORT]") {
      const auto port = port_of(word);
      if (!port) return fmt::format("{}: PORT '{}' is no port", line.verb(), word);
      line.id = port->value();
      continue;
    }
    if (argument == "ID|CAUSE|FROM") {
      line.id = number(word).value_or(0);  // 0: no id
      continue;
    }
    if (argument != "ID" && argument != "[ID]" && argument != "REQUEST" && argument != "PORT") {
      continue;
    }
    const auto id = number(word);
    if (!id) {
      const char* const name = argument == "[ID]" ? "ID" : argument.c_str();
      return fmt::format("{}: {} '{}' is not a number", line.verb(), name, word);
    }
    line.id = *id;
  }
  return std::nullopt;
}

// Requires exactly one of an id, --all and --client.
Refusal check_release(const CommandLine& line, const config::OptionSet& set) {
  if (line.verb() != "release") return std::nullopt;
  const bool named = line.words.size() > 1;
  const bool client = set.given("client");
  if (named && line.all)
    return fmt::format("release: {} and --all exclude each other", line.words[1]);
  if (named && client) {
    return fmt::format("release: {} and --client exclude each other", line.words[1]);
  }
  if (line.all && client) return "release: --all and --client exclude each other";
  if (!named && !line.all && !client) return "release needs an ID, or --client NAME, or --all";
  if (client && line.client.empty()) return "release: --client is empty";
  return std::nullopt;
}

Refusal check_service(CommandLine& line, const config::OptionSet& set) {
  return client::settle_demand(set, line.service, line.named, line.category);
}

// "switch-1" or "switch-1:2"
Refusal check_elements(const char* option, const std::vector<std::string>& words,
                       std::vector<PathElement>& elements) {
  for (const std::string& word : words) {
    const std::size_t colon = word.find(':');
    PathElement element{word.substr(0, colon), PortId{}};
    if (colon != std::string::npos) {
      const auto port = port_of(word.substr(colon + 1));
      if (!port) return fmt::format("{}: '{}' is not SWITCH or SWITCH:PORT", option, word);
      element.output_port = *port;
    }
    if (element.switch_name.empty()) {
      return fmt::format("{}: '{}' is not SWITCH or SWITCH:PORT", option, word);
    }
    elements.push_back(std::move(element));
  }
  return std::nullopt;
}

Refusal check_routes(CommandLine& line, const config::OptionSet& set) {
  if (set.given("alternates") && line.route.disjoint != disjointness().front()) {
    return "alternates and disjoint exclude each other";
  }
  if (const auto refused = check_elements("avoid", line.route.avoid_words, line.route.avoid))
    return refused;
  return check_elements("require", line.route.require_words, line.route.require);
}

Refusal check_ping(CommandLine& line, const config::OptionSet& set) {
  if (line.verb() != "ping") return std::nullopt;
  if (!set.given("count")) line.count = kPingCells;
  if (line.count == 0) return "count: ping sends at least 1 cell to each point";
  auto lines =
      dataplane::parse_named_links(fmt::format("{}", fmt::join(line.ping.line_words, ",")));
  if (!lines) return "host-lines: " + lines.error().text;
  line.ping.lines = std::move(*lines);
  return std::nullopt;
}

Refusal parse_traffic(const std::string& name, const std::string& text,
                      std::optional<FrameTraffic>& parsed) {
  if (text.empty()) return std::nullopt;
  const auto frames = FrameTraffic::parse(text);
  if (!frames) return fmt::format("{}: {}", name, frames.error().text);
  parsed = *frames;
  return std::nullopt;
}

Refusal check_traffic(CommandLine& line, const config::OptionSet&) {
  if (auto refused =
          parse_traffic("from-traffic", line.connect.from_traffic, line.connect.from_frames)) {
    return refused;
  }
  return parse_traffic("to-traffic", line.connect.to_traffic, line.connect.to_frames);
}

// Requires the options without which a command would not do what the operator meant.
Refusal check_options(const CommandLine& line, const config::OptionSet& set) {
  if (line.manager.empty()) return "manager is empty";
  if (line.reverse_cells_per_s != 0 && !line.both) return "reverse-cells-per-s goes with both";
  if (line.connect.hold_s > 0 && line.hold_ms() == 0) {
    return fmt::format("hold: {} s is less than a millisecond", line.connect.hold_s);
  }
  if (line.verb() == "modify" && line.service.kind != ServiceKind::kVideo &&
      line.service.kind != ServiceKind::kClass && !set.given("cells-per-s")) {
    return "modify needs cells-per-s, or frames-per-1000-s and frame-octets, or service-class";
  }
  if (line.verb() == "clear" && !line.force) {
    return "clear needs force: it also ends a call that its client is still using";
  }
  if (line.verb() == "prepare" && !set.given("count")) return "prepare needs count";
  if (line.verb() == "aggregation") {
    if (!set.given("mode") && (set.given("threshold") || set.given("flush-timeout-ms"))) {
      return "threshold and flush-timeout-ms change nothing without mode";
    }
    if (set.given("threshold") && line.aggregation.mode != "fixed") {
      return fmt::format("threshold goes with mode fixed: mode {} finds its own",
                         line.aggregation.mode);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ServiceSpec> CommandLine::reverse() const {
  if (!both) return std::nullopt;
  if (reverse_cells_per_s == 0) return service;
  return ServiceSpec{ServiceKind::kCells, reverse_cells_per_s, service.buffer_cells, 0, 0};
}

std::uint32_t CommandLine::hold_ms() const {
  return static_cast<std::uint32_t>(std::floor(connect.hold_s * 1e3 + 1e-6));
}

const std::vector<std::string>& aggregation_modes() {
  static const std::vector<std::string> kModes{"fixed", "regions", "adaptive"};
  return kModes;
}

const std::vector<std::string>& metrics() {
  static const std::vector<std::string> kMetrics{"hops", "delay", "load"};
  return kMetrics;
}

const std::vector<std::string>& disjointness() {
  static const std::vector<std::string> kKinds{"no", "links", "switches"};
  return kKinds;
}

namespace {

// Options of `routes`.
void declare_routes(config::OptionSet& set, CommandLine& line) {
  set.add_choice("metric", &line.route.metric, metrics().front(), metrics(),
                 "What makes a path better: fewer links, less delay, more room.");
  set.add_uint("alternates", &line.route.alternates, 1, {1, 64},
               "How many paths to show at most, the best first.");
  set.add_uint("delay-us-max", &line.route.delay_us_max, 0, {0, 1'000'000'000},
               "Largest total delay of the path's links in microseconds; 0: no bound.");
  set.add_uint("links-max", &line.route.links_max, 0, {0, 65'535},
               "Largest number of links of the path; 0: no bound.");
  set.add_strings("avoid", &line.route.avoid_words,
                  "What the path does not use, SWITCH or SWITCH:PORT.");
  set.add_strings("require", &line.route.require_words,
                  "What the path goes through, SWITCH or SWITCH:PORT.");
  set.add_choice("disjoint", &line.route.disjoint, disjointness().front(), disjointness(),
                 "Shows the best path and a second one that shares no link, or no switch, "
                 "with it.");
}

void declare_connect(config::OptionSet& set, ConnectOptions& connect) {
  set.add_uint("priority", &connect.priority, 0, {0, kPriorityMax},
               "Under pressure the higher is served first.");
  set.add_double("hold", &connect.hold_s, 0, {0, kHoldMsMax / 1000.0},
                 "Seconds for which everything is reserved, until a commit; 0: connected at "
                 "once.");
  set.add_string("from-traffic", &connect.from_traffic, "",
                 "Frames at FROM that are the call's: 'port', those that no other call takes; "
                 "'vlan N'; or 'class N' of the switch's operator. Not given, cells.");
  set.add_string("to-traffic", &connect.to_traffic, "", "The same at TO.");
  set.add_flag("quiet", &connect.quiet,
               "Print the id alone: ID=$(xbindctl connect FROM TO --quiet).");
}

}  // namespace

void declare(config::OptionSet& set, CommandLine& line) {
  set.add_string("manager", &line.manager, "default",
                 "Name of the ConnectionManager under xbind/cmgr/.");
  client::declare_demand(set, line.service, line.named, line.category,
                         "routes: what every line of the path has; not given, any.");
  set.add_flag("both", &line.both, "Both directions; the reverse one takes as much as the first.");
  set.add_uint("reverse-cells-per-s", &line.reverse_cells_per_s, 0, contract_field_from(0),
               "With --both, what the reverse direction takes, in cells a second; 0: "
               "as much as the first.");
  set.add_flag("force", &line.force,
               "clear: required, because it asks no client. network: "
               "ends calls that cannot move.");
  set.add_flag("dry-run", &line.dry_run,
               "repair, sync, network: shows what would be done, and does nothing.");
  set.add_flag("release", &line.release,
               "forget-manager: first removes all connections of that manager.");
  set.add_flag("all", &line.all,
               "release: all connections of all clients; connections prepared in advance stay. "
               "alarms: cleared ones, too.");
  set.add_string(
      "client", &line.client, "",
      "Only the connections of the client of this name; '(two-way)': those of xbindctl.");
  declare_connect(set, line.connect);
  set.add_uint(
      "count", &line.count, 0, {0, 1'000},
      "How many connections are kept ready; 0 ends it. ping: cells to each point; not given, "
      "5.");
  set.add_double("interval-ms", &line.ping.interval_ms, 10, {0, 10'000},
                 "Milliseconds between two cells.");
  set.add_double("timeout-ms", &line.ping.timeout_ms, 500, {1, 60'000},
                 "Milliseconds after which a cell without an answer is lost.");
  set.add_strings("host-lines", &line.ping.line_words,
                  "HOST=SPEC for each host's line to the network, as xbind-callgen's --endpoints; "
                  "`deploy/lab env` sets XBIND_HOST_LINES.");
  set.add_choice("mode", &line.aggregation.mode, aggregation_modes().front(), aggregation_modes(),
                 "Changes how commands to a switch are gathered; not given, it is shown.");
  set.add_uint("threshold", &line.aggregation.threshold, 1, {1, 4'096},
               "With --mode fixed, commands of a batch; not given, it stays.");
  set.add_double("flush-timeout-ms", &line.aggregation.flush_timeout_ms, 5, {0.05, 10'000},
                 "With --mode, milliseconds that a command waits at most; not given, it "
                 "stays.");
  set.add_string("routeobject", &line.route_object, "default",
                 "Name of the RouteObject under xbind/routeobject/.");
  set.add_string("qosmapper", &line.qos_mapper, "default",
                 "Name of the QOSMapper under xbind/qosmapper/.");
  declare_routes(set, line);
  declare_views(set, line.view);
  declare_supervision(set, line.view.supervision);
  declare_network(set, line.network);
  set.take_commands(all_commands(), &line.words, command_groups());
  set.add_check([&line, known = all_commands()] { return check_words(line, known); });
  set.add_check([&line, &set] { return check_views(line, set); });
  set.add_check([&line] { return check_supervision(line); });
  set.add_check([&line, &set] { return check_network(line, set); });
  set.add_check([&line, &set] { return check_release(line, set); });
  set.add_check([&line, &set] { return check_service(line, set); });
  set.add_check([&line, &set] { return check_options(line, set); });
  set.add_check([&line, &set] { return check_routes(line, set); });
  set.add_check([&line, &set] { return check_ping(line, set); });
  set.add_check([&line, &set] { return check_traffic(line, set); });
}

}  // namespace xbind::ctl
