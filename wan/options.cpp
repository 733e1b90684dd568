#include "wan/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

#include "core/config/log_options.hpp"
#include "core/timers.hpp"
#include "net/control_address.hpp"
#include "net/timers.hpp"
#include "wan/network_file.hpp"
#include "wan/timers.hpp"
#include "wan/wan.hpp"

namespace xbind::wan {
namespace {

constexpr std::uint64_t kHeldOctetsMin = 1U << 20;
constexpr std::uint64_t kHeldOctetsMax = std::uint64_t{1} << 36;

std::optional<std::string> read_sites(Options& options) {
  auto network = load_network(options.sites);
  if (!network) return network.error().text;
  options.network = std::move(*network);
  for (Site& site : options.network.sites) {
    if (site.network_namespace.empty()) {
      site.network_namespace = options.namespace_prefix + site.name;
    }
  }
  return std::nullopt;
}

// Names have no character that JSON escapes, except for nodes and programs.
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(json_text(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

}  // namespace

void declare(config::OptionSet& set, Options& options) {
  Options* const o = &options;
  set.add_string("sites", &o->sites, "",
                 "File of [[site]] and [[path]] tables: the sites, and what happens to packets "
                 "between their addresses.");
  set.require("sites");
  set.add_string("namespace-prefix", &o->namespace_prefix, "",
                 "A site without a namespace is in the network namespace of this text and its "
                 "name.");
  set.add_string("control", &o->control, "",
                 "Path of a Unix socket for orders while it runs, for the user of the process "
                 "alone.");
  set.add_uint("mtu", &o->mtu, 1500, {kMtuMin, kPacketOctetsMax},
               "Octets of the longest packet; longer ones are dropped.");
  set.add_uint("held-octets-max", &o->held_octets_max, 256U << 20, {kHeldOctetsMin, kHeldOctetsMax},
               "Memory in octets for packets that wait or are on their path; further ones are "
               "dropped.");
  set.add_uint("seed", &o->seed, 0, {},
               "Seed of loss, duplication and reordering; 0: a random one, which is logged.");
  set.add_flag("describe", &o->describe, "Print the sites of the file as JSON, and exit.");
  log::declare(set, o->log, log::Level::kInfo);
  set.set_live({"log-level"});
  set.add_timers(kWanTimers);
  set.add_timers(net::kNetTimers);
  set.add_timers(kCoreTimers);
  set.add_check([o]() -> std::optional<std::string> {
    if (!o->control.empty()) {
      if (const auto path = net::parse_control_path(o->control); !path) {
        return "--control: " + path.error().text;
      }
    }
    if (o->sites.empty()) return std::nullopt;
    return read_sites(*o);
  });
}

std::string described(const Network& network) {
  std::vector<std::string> sites;
  for (const Site& site : network.sites) {
    std::vector<std::string> addresses;
    for (const Address address : site.addresses) addresses.push_back(to_string(address));
    sites.push_back(fmt::format(
        R"({{"name": {}, "namespace": {}, "interface": {}, "addresses": {}, "nodes": {}, )"
        R"("programs": {}}})",
        json_text(site.name), json_text(site.network_namespace), json_text(site.interface),
        json_list(addresses), json_list(site.nodes), json_list(site.programs)));
  }
  return fmt::format("{{\"sites\": [\n  {}\n]}}\n", fmt::join(sites, ",\n  "));
}

}  // namespace xbind::wan
