#include "ovs/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "core/config/host_port.hpp"
#include "core/config/log_options.hpp"
#include "core/frame_classes.hpp"
#include "core/name.hpp"
#include "core/timers.hpp"
#include "gsmp/messages/timers.hpp"
#include "net/timers.hpp"
#include "ovs/timers.hpp"
#include "switchagent/port_options.hpp"
#include "switchagent/timers.hpp"

namespace xbind::ovs {

namespace {

using Fault = std::optional<std::string>;

// Buckets that fit into one message, whatever their actions: 80 octets each, of 65535.
constexpr std::size_t kBranchesMax = 800;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "16-1023", first <= last, both within 1..most.
std::optional<NumberRange> range_in(const std::string& text, std::uint32_t most) {
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos) return std::nullopt;
  const auto first = number_in<std::uint32_t>(std::string_view(text).substr(0, dash));
  const auto last = number_in<std::uint32_t>(std::string_view(text).substr(dash + 1));
  if (!first || !last || *first < 1 || *first > *last || *last > most) return std::nullopt;
  return NumberRange{*first, *last};
}

Fault edges_fault(const Options& o) {
  std::set<std::uint32_t> seen;
  for (const std::string& text : o.edge_ports) {
    const auto port = number_in<std::uint32_t>(text);
    if (!port || *port < 1 || *port > o.ports)
      return fmt::format("--edge-ports: '{}' is no port of 1 to {}", text, o.ports);
    if (!seen.insert(*port).second) return fmt::format("--edge-ports: {} comes twice", *port);
  }
  return std::nullopt;
}

Fault labels_fault(const Options& o) {
  const auto labels = switchagent::parse_port_labels(o.port_labels, o.ports);
  if (!labels) return "--port-labels: " + labels.error().text;
  for (const auto& [port, ranges] : *labels) {
    if (ranges.front().kind == LabelKind::kAtm && atm_bounds(ranges.front()).vpi_max > kVpiMax) {
      return fmt::format(
          "--port-labels: port {} has a VPI of {}; above {} none fits into an MPLS "
          "label",
          port, atm_bounds(ranges.front()).vpi_max, kVpiMax);
    }
    if (std::ranges::find(o.edge_ports, std::to_string(port.value())) != o.edge_ports.end()) {
      return fmt::format(
          "--port-labels: port {} is an edge port, whose labels say which frames "
          "belong to a call",
          port);
    }
  }
  for (const std::string& text : o.port_rates) {
    const auto rate = switchagent::parse_port_rate(text);
    if (!rate) return fmt::format("--port-cells-per-s: '{}' is not PORT=RATE", text);
    if (rate->first.value() > o.ports)
      return fmt::format("--port-cells-per-s: '{}' names a port beyond --ports {}", text, o.ports);
  }
  return std::nullopt;
}

Fault classes_fault(const Options& o) {
  const auto classes = parse_frame_classes(o.classes);
  return classes ? std::nullopt : Fault("--classes: " + classes.error().text);
}

Fault bridge_fault(const Options& o) {
  if (const auto parsed = parse_bridge_address(o.bridge); !parsed)
    return "--bridge: " + parsed.error().text;
  if (!range_in(o.groups, openflow::kGroupMax))
    return fmt::format("--groups: '{}' is not FIRST-LAST within 1 to {}", o.groups,
                       openflow::kGroupMax);
  if (!range_in(o.meters, openflow::kMeterMax))
    return fmt::format("--meters: '{}' is not FIRST-LAST within 1 to {}", o.meters,
                       openflow::kMeterMax);
  return std::nullopt;
}

Fault fault(const Options& o) {
  if (const auto parsed = parse_host_port(o.listen); !parsed)
    return "--listen: " + parsed.error().text;
  if (o.name.empty()) return "--name is empty";
  if (o.name.find_first_of(" \t\r\n") != std::string::npos)
    return fmt::format("--name '{}' has a blank in it", o.name);
  for (const auto check : {bridge_fault, edges_fault, labels_fault, classes_fault}) {
    if (auto found = check(o)) return found;
  }
  return std::nullopt;
}

// What the bridge does for a connection: its meter polices. Nothing is shaped, and nothing is
// promised about loss and delay.
std::vector<gsmp::ServiceRecord> services() {
  using gsmp::ServiceId;
  gsmp::CapabilitySet policed;
  policed.id = 1;
  policed.policing = gsmp::TrafficControl::kPerConnection;
  return {{ServiceId::kCbr1, {policed}},
          {ServiceId::kRtVbr1, {policed}},
          {ServiceId::kNrtVbr1, {policed}},
          {ServiceId::kUbr1, {policed}}};
}

// "XB" and 16 bits of the name: agents of different names on one bridge leave each other's flows
// alone.
std::uint64_t cookie_of(const std::string& name) {
  const std::uint64_t number = switchagent::name_from(name);
  const std::uint64_t folded = (number ^ number >> 16 ^ number >> 32) & 0xffff;
  return (std::uint64_t{0x5842} << 48) | folded << 32;
}

}  // namespace

void declare(config::OptionSet& set, Options& options) {
  Options* const o = &options;
  set.add_string("listen", &o->listen, "127.0.0.1:6068",
                 "HOST:PORT to listen on for controllers; port 0 lets the system pick one.");
  set.add_string("name", &o->name, "switch",
                 "Name of the switch; its 48-bit GSMP name and the cookie of its flows are derived "
                 "from it.");
  set.add_string("bridge", &o->bridge, "",
                 "Where the bridge listens for OpenFlow 1.4: unix:PATH, with ovs-vswitchd its "
                 "RUNDIR/BRIDGE.mgmt, or tcp:ADDRESS:PORT.");
  set.require("bridge");
  set.add_uint("ports", &o->ports, 4, {1, 4096},
               "Number of ports: the bridge's OpenFlow ports 1 to this number.");
  set.add_strings(
      "edge-ports", &o->edge_ports,
      "Ports with hosts: IPv4 frames enter and leave there, and labels say which frames "
      "belong to a call. All other ports are links that carry MPLS.");
  set.add_strings("port-labels", &o->port_labels,
                  "PORT=mpls:FIRST-LAST of a link with other labels than 16 to 1048575; or "
                  "PORT=VPI-VPI/VCI-VCI, VPIs up to 15: on the line VPI v, VCI c is the MPLS label "
                  "65536 v + c.");
  set.add_strings(
      "classes", &o->classes,
      "NUMBER=PREFIX: a call with the traffic \"class NUMBER\" gets the IPv4 packets to "
      "that prefix, at every edge port.");
  set.add_uint("link-cells-per-s", &o->link_cells_per_s, 353207, {1, 0xffffffff},
               "Rate of every port in cells a second; a cell is 48 octets of a frame.");
  set.add_strings("port-cells-per-s", &o->port_rates,
                  "PORT=RATE of a port whose line has another rate, in cells a second.");
  set.add_uint("table", &o->table, 0, {0, openflow::kTableMax},
               "Flow table of the bridge that the connections are in.");
  set.add_uint("priority", &o->priority, 22594, {1, 65000},
               "Priority of the flows; those of a class have up to 32 more.");
  set.add_string("groups", &o->groups, "1480720384-1481768959",
                 "FIRST-LAST: numbers of groups of the bridge that belong to this switch alone.");
  set.add_string("meters", &o->meters, "131073-262144", "FIRST-LAST: the same for meters.");
  set.add_flag(
      "police-links", &o->police_links,
      "Police contracts at links too, not at the edge ports alone: for links from a network "
      "that does not police.");
  set.add_uint("window", &o->window, 1024, {1, 65535},
               "Limit of open requests that the switch announces to a controller.");
  set.add_uint("timer", &o->timer, gsmp::kAdjacencyPeriod, {1, 255},
               "Period of the adjacency protocol in units of 100 milliseconds.");
  set.add_uint("branches-max", &o->branches_max, 1U << 20, {1, 1U << 24},
               "Branches that the switch holds; beyond, requests fail with code 19.");
  log::declare(set, o->log, log::Level::kInfo);
  set.set_live({"branches-max", "log-level"});
  set.add_timers(kOvsTimers);
  set.add_timers(switchagent::kAgentTimers);
  set.add_timers(gsmp::kGsmpTimers);
  set.add_timers(net::kNetTimers);
  set.add_timers(kCoreTimers);
  set.add_check([o] { return o->bridge.empty() ? std::nullopt : fault(*o); });
}

SwitchParts parts_of(const Options& options) {
  SwitchParts parts;
  parts.bridge = *parse_bridge_address(options.bridge);
  Layout& layout = parts.table.layout;
  for (const std::string& text : options.edge_ports)
    layout.edges.insert(PortId(*number_in<std::uint32_t>(text)));
  layout.classes = *parse_frame_classes(options.classes);
  layout.table = options.table;
  layout.priority = options.priority;
  layout.cookie = cookie_of(options.name);
  layout.police_links = options.police_links;
  parts.table.groups = *range_in(options.groups, openflow::kGroupMax);
  parts.table.meters = *range_in(options.meters, openflow::kMeterMax);
  parts.table.bridge.table = options.table;

  switchagent::FabricOptions& fabric = parts.fabric;
  fabric.ports = options.ports;
  const auto own = *switchagent::parse_port_labels(options.port_labels, options.ports);
  for (std::uint32_t number = 1; number <= options.ports; ++number) {
    const PortId port(number);
    const auto found = own.find(port);
    if (found != own.end() && found->second.front().kind == LabelKind::kAtm)
      layout.atm.insert(port);
    fabric.port_labels[port] = layout.edge(port) ? frame_labels(layout.classes)
                               : found != own.end()
                                   ? found->second
                                   : LabelRanges{mpls_range(kMplsLabelMin, xbind::kMplsLabelMax)};
  }
  fabric.link_cells_per_s = options.link_cells_per_s;
  for (const std::string& text : options.port_rates)
    fabric.port_cells_per_s.insert(*switchagent::parse_port_rate(text));
  fabric.rate_settable = false;
  fabric.priorities = 1;  // the bridge has one queue at each port
  fabric.services = services();
  fabric.vp_switching = false;
  fabric.connection_replace = false;
  fabric.branches_max = fabric.connections_max = options.branches_max;
  fabric.branches_per_connection_max = kBranchesMax;
  fabric.max_reservations = 0;
  fabric.buffer_cells = 1;  // no cells: the fabric follows the bridge

  parts.agent.name = switchagent::name_from(options.name);
  parts.agent.timer = options.timer;
  parts.agent.window = options.window;
  parts.agent.versions = {3};  // version 1.1 has no MPLS labels
  return parts;
}

}  // namespace xbind::ovs
