#include "emulator/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "core/config/log_options.hpp"
#include "core/frame_classes.hpp"
#include "core/name.hpp"
#include "core/port_buffer.hpp"
#include "core/timers.hpp"
#include "dataplane/cells/timers.hpp"
#include "dataplane/port_controller_profile.hpp"
#include "emulator/control.hpp"
#include "emulator/timers.hpp"
#include "gsmp/messages/timers.hpp"
#include "gsmp/messages/traffic.hpp"
#include "net/control_address.hpp"
#include "net/timers.hpp"
#include "switchagent/port_options.hpp"
#include "switchagent/timers.hpp"

namespace xbind::emulator {
namespace {

using config::OptionSet;

constexpr std::uint32_t kPortDelayUsMax = 10'000'000;  // as a topology's delay-us
using Fault = std::optional<std::string>;

constexpr std::array kAtmServices{
    gsmp::ServiceId::kCbr1,    gsmp::ServiceId::kRtVbr1,  gsmp::ServiceId::kRtVbr2,
    gsmp::ServiceId::kRtVbr3,  gsmp::ServiceId::kNrtVbr1, gsmp::ServiceId::kNrtVbr2,
    gsmp::ServiceId::kNrtVbr3, gsmp::ServiceId::kUbr1,    gsmp::ServiceId::kUbr2,
    gsmp::ServiceId::kGfr1,    gsmp::ServiceId::kGfr2};

std::string option_word(gsmp::ServiceId service) {
  std::string word = gsmp::to_string(service);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return word;
}

// Uses the capability set of the family's .1 service, which every switch has.
gsmp::ServiceRecord service_record(gsmp::ServiceId service) {
  const std::string word = option_word(service);
  const std::string_view family = std::string_view(word).substr(0, word.find('.'));
  gsmp::ServiceRecord record;
  for (const gsmp::ServiceRecord& known : switchagent::default_services())
    if (option_word(known.service).starts_with(fmt::format("{}.", family))) record = known;
  record.service = service;
  return record;
}

// ----- the checks, one for each kind of text -----

Fault rates_fault(const SwitchOptions& o) {
  for (const std::string& text : o.port_rates) {
    const auto rate = switchagent::parse_port_rate(text);
    if (!rate) return fmt::format("--port-cells-per-s: '{}' is not PORT=RATE", text);
    if (rate->first.value() > o.ports) {
      return fmt::format("--port-cells-per-s: '{}' names a port beyond --ports {}", text, o.ports);
    }
  }
  return std::nullopt;
}

Fault delays_fault(const SwitchOptions& o) {
  for (const std::string& text : o.port_delays) {
    const auto delay = switchagent::parse_port_rate(text);
    if (!delay || delay->second > kPortDelayUsMax) {
      return fmt::format("--port-delay-us: '{}' is not PORT=US with 1 to {} us", text,
                         kPortDelayUsMax);
    }
    if (delay->first.value() > o.ports) {
      return fmt::format("--port-delay-us: '{}' names a port beyond --ports {}", text, o.ports);
    }
  }
  return std::nullopt;
}

Fault controllers_fault(const SwitchOptions& o) {
  std::set<PortId> given;
  for (const std::string& text : o.port_controllers) {
    const auto parts = switchagent::port_and_text(text);
    if (!parts) return fmt::format("--port-controller: '{}' is not PORT=PROFILE", text);
    if (parts->first.value() > o.ports) {
      return fmt::format("--port-controller: '{}' names a port beyond --ports {}", text, o.ports);
    }
    if (!given.insert(parts->first).second) {
      return fmt::format("--port-controller: '{}' is a second profile of port {}", text,
                         parts->first);
    }
    if (const auto profile = dataplane::parse_port_controller(parts->second); !profile) {
      return fmt::format("--port-controller: '{}': {}", text, profile.error().text);
    }
  }
  return std::nullopt;
}

Fault labels_fault(const SwitchOptions& o) {
  if (o.labels.vpi_min > o.labels.vpi_max) {
    return fmt::format("--vpi-min {} is above --vpi-max {}", o.labels.vpi_min, o.labels.vpi_max);
  }
  if (o.labels.vci_min > o.labels.vci_max) {
    return fmt::format("--vci-min {} is above --vci-max {}", o.labels.vci_min, o.labels.vci_max);
  }
  if (const auto own = switchagent::parse_port_labels(o.port_labels, o.ports); !own)
    return "--port-labels: " + own.error().text;
  return std::nullopt;
}

Fault services_fault(const SwitchOptions& o) {
  if (o.services == std::vector<std::string>{"none"}) return std::nullopt;
  for (auto text = o.services.begin(); text != o.services.end(); ++text) {
    if (const auto service = parse_service(*text); !service) {
      return "--services: " + service.error().text;
    }
    if (std::find(o.services.begin(), text, *text) != text) {
      return fmt::format("--services: '{}' comes twice", *text);
    }
  }
  return std::nullopt;
}

Fault versions_fault(const SwitchOptions& o) {
  for (auto text = o.gsmp_versions.begin(); text != o.gsmp_versions.end(); ++text) {
    if (*text != "1" && *text != "3") {
      return fmt::format("--gsmp-versions: '{}' is neither 3 nor 1", *text);
    }
    if (std::find(o.gsmp_versions.begin(), text, *text) != text) {
      return fmt::format("--gsmp-versions: {} comes twice", *text);
    }
  }
  return std::nullopt;
}

Fault links_fault(const SwitchOptions& o) {
  const auto links =
      dataplane::parse_port_links(fmt::format("{}", fmt::join(o.links, ",")), o.ports);
  if (!links) return "--links: " + links.error().text;
  const auto own_labels = switchagent::parse_port_labels(o.port_labels, o.ports);
  for (const dataplane::PortLink& one : *links) {
    using dataplane::LinkKind;
    if (one.link.kind == LinkKind::kFrames && !one.link.labels) {
      if (!own_labels->contains(one.port)) continue;
      return fmt::format(
          "--port-labels: port {} has --links {}, whose labels say which frames belong to a call",
          one.port, to_string(one.link));
    }
    const auto own = own_labels->find(one.port);
    const LabelRange labels = own == own_labels->end() ? o.labels.range() : own->second.front();
    const bool mpls = labels.kind == LabelKind::kMpls;
    const bool of_mpls = one.link.kind == LinkKind::kLsp || one.link.kind == LinkKind::kFrames;
    if (one.link.kind != LinkKind::kRing && mpls != of_mpls) {
      return fmt::format("--links {}={}: the port has {} labels, whose cells go over {}", one.port,
                         to_string(one.link), mpls ? "MPLS" : "ATM",
                         mpls ? "lsp, ring or frames:IFACE/labels" : "mpls, plain, cfr or ring");
    }
    const std::uint32_t vpi_max = atm_bounds(labels).vpi_max;
    if (!mpls && vpi_max > one.link.vpi_max()) {
      return fmt::format("--vpi-max {} is above {}, the highest VPI of the cells of --links {}={}",
                         vpi_max, one.link.vpi_max(), one.port, to_string(one.link));
    }
  }
  return std::nullopt;
}

Fault classes_fault(const SwitchOptions& o) {
  const auto classes = parse_frame_classes(o.classes);
  return classes ? std::nullopt : Fault("--classes: " + classes.error().text);
}

Fault crossbar_fault(const SwitchOptions& o) {
  using dataplane::CrossbarSize;
  if (o.crossbar == CrossbarSize::kNone || o.ports <= ports_of(o.crossbar)) return std::nullopt;
  return fmt::format("--crossbar {} has {} ports, and --ports is {}", to_string(o.crossbar),
                     ports_of(o.crossbar), o.ports);
}

Fault captures_fault(const SwitchOptions& o) {
  for (const std::string& text : o.captures) {
    const auto capture = parse_port_file(text);
    if (!capture) return fmt::format("--captures: '{}' is not PORT=FILE", text);
    if (capture->first.value() > o.ports) {
      return fmt::format("--captures: '{}' names a port beyond --ports {}", text, o.ports);
    }
  }
  return std::nullopt;
}

Fault faults_fault(const SwitchOptions& o) {
  for (const std::string& text : o.faults) {
    if (const auto command = parse_command(text); !command) {
      return fmt::format("--fault '{}': {}", text, command.error().text);
    }
  }
  return std::nullopt;
}

Fault switch_fault(const SwitchOptions& o) {
  if (const auto parsed = parse_host_port(o.listen); !parsed) {
    return "--listen: " + parsed.error().text;
  }
  if (o.name.empty()) return "--name is empty";
  if (o.name.find_first_of(" \t\r\n") != std::string::npos) {
    return fmt::format("--name '{}' has a blank in it", o.name);
  }
  for (const auto check :
       {rates_fault, delays_fault, controllers_fault, labels_fault, services_fault, versions_fault,
        links_fault, classes_fault, crossbar_fault, captures_fault, faults_fault}) {
    if (auto fault = check(o)) return fault;
  }
  return std::nullopt;
}

void declare_gsmp(OptionSet& set, SwitchOptions* o) {
  set.add_uint("priorities", &o->priorities, 4, {1, 255}, "Number of priorities of every port.");
  set.add_strings(
      "services", &o->services,
      "Services of every port, each with capability set 1: cbr, rt-vbr, nrt-vbr, ubr, gfr, "
      "of which .2 and .3 are there as in nrt-vbr.2; or none. Not given: each .1 of these.");
  set.add_strings("gsmp-versions", &o->gsmp_versions,
                  "Versions of GSMP it speaks, 3 and 1. Not given: both.");
  set.add_uint("window", &o->window, 256, {1, 65535},
               "Limit of open requests that the switch announces to a controller.");
  set.add_uint("timer", &o->timer, gsmp::kAdjacencyPeriod, {1, 255},
               "Period of the adjacency protocol in units of 100 milliseconds.");
  set.add_uint("branches-max", &o->branches_max, 1U << 20, {1, 1U << 24},
               "Branches the cross-connect table holds; beyond, requests fail with code 19.");
  set.add_uint("max-reservations", &o->max_reservations, 1024, {0, 65535},
               "Limit of reservations at a time; 0: not supported.");
  set.add_uint("buffer-cells", &o->buffer_cells, kPortBufferCells, {1, kPortBufferCellsMax},
               "Buffer of every port, in cells, shared by its queues; the SwitchServer's "
               "--buffer-cells books it.");
  set.add_enum("policing", &o->policing, PolicingMode::kOff,
               {{"off", PolicingMode::kOff},
                {"tag", PolicingMode::kTag},
                {"discard", PolicingMode::kDiscard}},
               "Treatment of cells that exceed the contract of a connection with policing: "
               "discard drops them all, tag sets CLP where VBR.3 allows it.");
  set.add_enum("queueing", &o->queueing, QueueingKind::kFifo,
               {{"fifo", QueueingKind::kFifo}, {"class", QueueingKind::kClass}},
               "Queues of every port: fifo has one for each priority, class one for each service "
               "category, real time first and weights for the others.");
  set.add_enum("crossbar", &o->crossbar, dataplane::CrossbarSize::kNone,
               {{"none", dataplane::CrossbarSize::kNone},
                {"4x4", dataplane::CrossbarSize::k4x4},
                {"16x16", dataplane::CrossbarSize::k16x16}},
               "Crossbar between the ports, before which cells wait at the inputs: at most 4 or 16 "
               "ports, 312500 cells/s each. none: cells go straight to the queues of the outputs.");
  set.add_flag("region-model", &o->region_model,
               "Offer the traffic model xbind-sr (MType 201) with schedulable regions.");
}

}  // namespace

std::optional<std::pair<PortId, std::string>> parse_port_file(const std::string& text) {
  auto parts = switchagent::port_and_text(text);
  if (!parts || parts->second.empty()) return std::nullopt;
  return parts;
}

Result<gsmp::ServiceId> parse_service(const std::string& text) {
  std::vector<std::string> known;
  for (const gsmp::ServiceId service : kAtmServices) {
    known.push_back(option_word(service));
    if (known.back() == text || known.back() == text + ".1") return service;
  }
  return fail(ErrorCode::kBadInput, "'{}' is no service; there are: {}", text,
              fmt::join(known, ", "));
}

void declare(OptionSet& set, SwitchOptions& options) {
  SwitchOptions* const o = &options;
  set.add_string("listen", &o->listen, "127.0.0.1:6068",
                 "HOST:PORT to listen on for controllers; port 0 lets the "
                 "system pick one.");
  set.add_string("name", &o->name, "switch",
                 "Name of the switch; its 48-bit GSMP name is derived from it.");
  set.add_uint("ports", &o->ports, 4, {1, 4096}, "Number of ports, numbered from 1.");
  set.add_uint("vpi-min", &o->labels.vpi_min, 0, {0, 4095}, "Lowest VPI an ATM port accepts.");
  set.add_uint("vpi-max", &o->labels.vpi_max, 0, {0, 4095}, "Highest VPI an ATM port accepts.");
  set.add_uint("vci-min", &o->labels.vci_min, 32, {32, 65535}, "Lowest VCI an ATM port accepts.");
  set.add_uint("vci-max", &o->labels.vci_max, 1023, {32, 65535},
               "Highest VCI an ATM port accepts.");
  set.add_strings("port-labels", &o->port_labels,
                  "PORT=RANGE of a port with other labels: mpls:FIRST-LAST makes it an MPLS port, "
                  "several such give it several ranges; or VPI-VPI/VCI-VCI.");
  set.add_flag("one-kind", &o->one_kind,
               "Refuse branches between ATM and MPLS ports, with code 14.");
  set.add_uint("link-cells-per-s", &o->link_cells_per_s, 353207, {1, 0xffffffff},
               "Rate of every link in cells a second.");
  set.add_strings("port-cells-per-s", &o->port_rates,
                  "PORT=RATE of a port whose link has another rate, in cells a second.");
  set.add_strings("port-delay-us", &o->port_delays,
                  "PORT=US of a port whose line has a propagation delay: cells that arrive there "
                  "are held for it, in microseconds.");
  set.add_strings("port-controller", &o->port_controllers,
                  "PORT=PROFILE of a port behind a port controller, whose processor forwards each "
                  "cell that arrives; PROFILE is fpc2-arm3, fpc2-arm600, fpc3, or "
                  "KEY:VALUE/KEY:VALUE... of burst-us, cell-us, gap-us, mbit, overhead, buffer.");
  declare_gsmp(set, o);
  set.add_strings(
      "links", &o->links,
      "PORT=SPEC of a port with a line for cells; SPEC is "
      "mpls:LOCAL/PEER/LABEL, "
      "plain:LOCAL/PEER[/uni|/nni], cfr:LOCAL/PEER (a Cambridge Fast Ring) or "
      "ring:NAME, of an MPLS port lsp:LOCAL/PEER or "
      "ring:NAME; an address HOST:PORT. Or frames:IFACE, the Ethernet frames of a "
      "network interface: the port's labels then say which frames belong to a call. Or, "
      "of an MPLS port, frames:IFACE/labels: the frames have the labels, as those of a "
      "bridge (xbind-gsmp-ovs).");
  set.add_strings("classes", &o->classes,
                  "NUMBER=PREFIX: a call with the traffic \"class NUMBER\" gets the IPv4 packets "
                  "to that prefix, at every port with frames:IFACE.");
  set.add_strings(
      "captures", &o->captures,
      "PORT=FILE of a port whose cells go into FILE, a name in .pcap or .erf; of a port with "
      "frames:IFACE[/labels] its AAL5 frames.");
  set.add_strings("fault", &o->faults,
                  "Command to carry out at the start, such as 'delay message "
                  "500'; all that the "
                  "control socket takes.");
  set.add_uint("refuse-next", &o->refuse_next, 0, {},
               "Number of Add Branch requests to refuse, from the first on.");
  set.add_uint("refuse-code", &o->refuse_code, 18, {1, 255},
               "Failure code of the requests refused by --refuse-next.");
  set.add_uint(
      "seed", &o->seed, 0, {},
      "Seed of faults, instance and port session numbers; 0: a random one, which is logged.");
  set.set_live({"branches-max", "buffer-cells"});
  set.add_check([o] { return switch_fault(*o); });
}

std::vector<std::string> switch_option_names() {
  return {"listen",           "name",          "ports",        "vpi-min",
          "vpi-max",          "vci-min",       "vci-max",      "link-cells-per-s",
          "port-cells-per-s", "priorities",    "services",     "gsmp-versions",
          "window",           "timer",         "branches-max", "max-reservations",
          "region-model",     "links",         "captures",     "fault",
          "refuse-next",      "refuse-code",   "seed",         "policing",
          "queueing",         "port-labels",   "one-kind",     "buffer-cells",
          "classes",          "port-delay-us", "crossbar",     "port-controller"};
}

void declare(OptionSet& set, Options& options) {
  Options* const o = &options;
  declare(set, o->one);
  set.add_string("switches", &o->switches, "",
                 "File of [[switch]] tables, one for each switch of this "
                 "process, whose keys are the "
                 "options above; these are then not given here.");
  set.add_string("control", &o->control, "",
                 "Path of a Unix socket for commands while it runs, for the user of the process "
                 "alone; or tcp:HOST:PORT, which serves anybody who reaches it; port 0 lets the "
                 "system pick one.");
  set.add_string("capture-dir", &o->capture_dir, "",
                 "Directory below which the command 'capture' may write; without it the command is "
                 "refused.");
  log::declare(set, o->log, log::Level::kInfo);
  set.set_live({"log-level"});
  declare_pace(set, o->impairments);
  set.add_timers(kSwitchTimers);
  set.add_timers(switchagent::kAgentTimers);
  set.add_timers(dataplane::kDataplaneTimers);
  set.add_timers(gsmp::kGsmpTimers);
  set.add_timers(net::kNetTimers);
  set.add_timers(kCoreTimers);
  set.add_check([o, &set]() -> Fault {
    if (!o->control.empty()) {
      if (const auto parsed = net::parse_control_address(o->control); !parsed) {
        return "--control: " + parsed.error().text;
      }
    }
    if (o->switches.empty()) return std::nullopt;
    for (const std::string& name : switch_option_names()) {
      if (set.given(name)) {
        return fmt::format("--{} and --switches {}: it belongs in the file", name, o->switches);
      }
    }
    return std::nullopt;
  });
}

EmulatedSwitchOptions emulated_options(const SwitchOptions& options, std::uint64_t seed) {
  EmulatedSwitchOptions out;
  out.name = options.name;
  out.seed = options.seed != 0 ? options.seed : seed;
  out.fabric.ports = options.ports;
  out.fabric.labels = options.labels;
  out.fabric.port_labels = *switchagent::parse_port_labels(options.port_labels, options.ports);
  const LabelRanges of_frames = frame_labels(*parse_frame_classes(options.classes));
  for (const dataplane::PortLink& one : links_of(options)) {
    if (one.link.kind == dataplane::LinkKind::kFrames && !one.link.labels)
      out.fabric.port_labels[one.port] = of_frames;
  }
  out.fabric.one_kind = options.one_kind;
  out.fabric.link_cells_per_s = options.link_cells_per_s;
  for (const std::string& text : options.port_rates) {
    out.fabric.port_cells_per_s.insert(*switchagent::parse_port_rate(text));
  }
  for (const std::string& text : options.port_controllers) {
    const auto parts = switchagent::port_and_text(text);
    out.controllers.emplace(parts->first, *dataplane::parse_port_controller(parts->second));
  }
  out.fabric.priorities = options.priorities;
  out.fabric.branches_max = options.branches_max;
  out.fabric.connections_max = options.branches_max;
  out.fabric.buffer_cells = options.buffer_cells;
  if (!options.services.empty()) {
    out.fabric.services.clear();
    for (const std::string& text : options.services)
      if (text != "none") out.fabric.services.push_back(service_record(*parse_service(text)));
  }
  out.fabric.max_reservations = options.max_reservations;
  if (!options.gsmp_versions.empty()) {
    out.agent.versions.clear();
    for (const std::string& text : options.gsmp_versions)
      out.agent.versions.push_back(text == "1" ? 1 : 3);
    std::ranges::sort(out.agent.versions, std::greater{});
  }
  out.policing = options.policing;
  out.queueing = options.queueing;
  out.crossbar = options.crossbar;
  out.agent.region_model = options.region_model;
  out.agent.name = switchagent::name_from(options.name);
  out.agent.timer = options.timer;
  out.agent.window = options.window;
  return out;
}

std::vector<dataplane::PortLink> links_of(const SwitchOptions& options) {
  return *dataplane::parse_port_links(fmt::format("{}", fmt::join(options.links, ",")));
}

Duration delay_of(const SwitchOptions& options, PortId port) {
  Duration delay{};
  for (const std::string& text : options.port_delays) {
    const auto one = switchagent::parse_port_rate(text);
    if (one->first == port) delay = std::chrono::microseconds(one->second);
  }
  return delay;
}

}  // namespace xbind::emulator
