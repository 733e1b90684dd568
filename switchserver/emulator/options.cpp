#include "switchserver/emulator/options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "switchserver/gsmp/tcp_transport.hpp"

namespace xbind::emulator {

std::optional<std::pair<PortId, std::uint32_t>> parse_port_rate(const std::string& text) {
  std::uint32_t port = 0;
  std::uint32_t rate = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, port);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '=') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, rate);
  if (second.ec != std::errc{} || second.ptr != end || port == 0 || rate == 0) return std::nullopt;
  return std::pair{PortId{port}, rate};
}

config::OptionSet declare(Options& options) {
  Options* const o = &options;
  config::OptionSet set("xbind-switch", "Is an emulated ATM switch that speaks GSMP version 3.");
  set.add_string("listen", &o->listen, "127.0.0.1:6068",
                 "HOST:PORT to listen on for controllers; port 0 lets the system pick one.");
  set.add_string("name", &o->name, "switch",
                 "Name of the switch; its 48-bit GSMP name is derived from it.");
  set.add_uint("ports", &o->ports, 4, {1, 4096}, "Number of ports, numbered from 1.");
  set.add_uint("vpi-min", &o->labels.vpi_min, 0, {0, 4095}, "Lowest VPI a port accepts.");
  set.add_uint("vpi-max", &o->labels.vpi_max, 0, {0, 4095}, "Highest VPI a port accepts.");
  set.add_uint("vci-min", &o->labels.vci_min, 32, {32, 65535}, "Lowest VCI a port accepts.");
  set.add_uint("vci-max", &o->labels.vci_max, 1023, {32, 65535}, "Highest VCI a port accepts.");
  set.add_uint("link-cells-per-s", &o->link_cells_per_s, 353207, {1, 0xffffffff},
               "Rate of every link in cells a second.");
  set.add_strings("port-cells-per-s", &o->port_rates,
                  "PORT=RATE of a port whose link has another rate, in cells a second.");
  set.add_uint("priorities", &o->priorities, 4, {1, 255}, "Number of priorities of every port.");
  set.add_uint("window", &o->window, 256, {1, 65535},
               "Requests a controller is told it may have unanswered.");
  set.add_uint("timer", &o->timer, 10, {1, 255},
               "Period of the adjacency protocol in units of 100 milliseconds.");
  set.add_uint("branches-max", &o->branches_max, 1U << 20, {1, 1U << 24},
               "Branches the cross-connect table holds; beyond, requests fail with code 19.");
  set.add_uint("refuse-next", &o->refuse_next, 0, {},
               "Number of Add Branch requests to refuse, from the first on.");
  set.add_uint("refuse-code", &o->refuse_code, 18, {1, 255},
               "Failure code of the requests refused by --refuse-next.");
  set.add_enum("log-level", &o->log_level, log::Level::kInfo,
               {{"debug", log::Level::kDebug},
                {"info", log::Level::kInfo},
                {"warn", log::Level::kWarn},
                {"error", log::Level::kError},
                {"off", log::Level::kOff}},
               "Least severe lines to log on standard error.");
  set.add_check([o]() -> std::optional<std::string> {
    if (const auto parsed = gsmp::parse_host_port(o->listen); !parsed) {
      return "--listen: " + parsed.error().text;
    }
    if (o->name.empty()) return "--name is empty";
    for (const std::string& text : o->port_rates) {
      const auto rate = parse_port_rate(text);
      if (!rate) return fmt::format("--port-cells-per-s: '{}' is not PORT=RATE", text);
      if (rate->first.value() > o->ports) {
        return fmt::format("--port-cells-per-s: '{}' names a port beyond --ports {}", text,
                           o->ports);
      }
    }
    if (o->labels.vpi_min > o->labels.vpi_max) {
      return fmt::format("--vpi-min {} is above --vpi-max {}", o->labels.vpi_min,
                         o->labels.vpi_max);
    }
    if (o->labels.vci_min > o->labels.vci_max) {
      return fmt::format("--vci-min {} is above --vci-max {}", o->labels.vci_min,
                         o->labels.vci_max);
    }
    return std::nullopt;
  });
  return set;
}

}  // namespace xbind::emulator
