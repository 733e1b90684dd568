// The command line of `network`: its actions, their arguments and options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "xbindctl/command_line.hpp"

namespace xbind::ctl {
namespace {

constexpr std::uint64_t kCellsPerSMax = 4'294'967'295;  // idl/route_object.idl
constexpr std::uint64_t kDelayUsMax = 10'000'000;

struct Action {
  std::string_view name;
  std::string_view arguments;
  std::size_t count;
};
constexpr std::array kActions{
    Action{"load", "FILE", 1},
    Action{"show", "", 0},
    Action{"add-node", "NODE", 1},
    Action{"remove-node", "NODE", 1},
    Action{"add-link", "END END RATE", 3},
    Action{"remove-link", "END", 1},
    Action{"set-rate", "END RATE", 2},
};

using Refusal = std::optional<std::string>;

std::optional<std::uint64_t> whole_number(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// "switch-1:2"; only with `port_may_lack` also "switch-1".
Refusal parse_end(const std::string& action, const std::string& word, bool port_may_lack,
                  PathElement& end) {
  const std::size_t colon = word.find(':');
  end = {word.substr(0, colon), PortId{}};
  const bool named = !end.switch_name.empty();
  if (colon == std::string::npos) {
    if (named && port_may_lack) return std::nullopt;
    return fmt::format("network {}: '{}' is not NODE:PORT", action, word);
  }
  const auto port = whole_number(word.substr(colon + 1));
  if (!named || !port || *port == 0 || *port > 0xffff'ffff) {
    return fmt::format("network {}: '{}' is not NODE:PORT", action, word);
  }
  end.output_port = PortId{static_cast<std::uint32_t>(*port)};
  return std::nullopt;
}

Refusal parse_rate(const std::string& action, const std::string& word, std::uint64_t& rate) {
  const auto value = whole_number(word);
  if (!value || *value == 0 || *value > kCellsPerSMax) {
    return fmt::format("network {}: RATE '{}' is not 1 to {} cells/s", action, word, kCellsPerSMax);
  }
  rate = *value;
  return std::nullopt;
}

Refusal parse_arguments(CommandLine& line) {
  const std::string& action = line.words[1];
  NetworkOptions& network = line.network;
  if (action == "add-node" || action == "remove-node") {
    network.first_end = {line.words[2], PortId{}};
    return std::nullopt;
  }
  if (action == "load" || action == "show") return std::nullopt;
  const bool adds = action == "add-link";
  if (auto refused = parse_end(action, line.words[2], adds, network.first_end)) return refused;
  if (adds) {
    if (auto refused = parse_end(action, line.words[3], true, network.second_end)) return refused;
  }
  if (action == "remove-link") return std::nullopt;
  return parse_rate(action, line.words.back(), network.cells_per_s);
}

}  // namespace

config::Command network_command() {
  return {
      "network",
      {"ACTION", "[ARGUMENT]", "[ARGUMENT]", "[RATE]"},
      "Changes the network while it runs: load FILE, add-node NODE, remove-node NODE, add-link END "
      "END RATE, remove-link END, set-rate END RATE; an END is NODE:PORT, a RATE in cells/s. Calls "
      "leave what is removed first; --dry-run shows which. show prints a topology file.",
      {"dry-run", "force", "wait-s", "endpoint", "delay-us", "routeobject"}};
}

std::vector<std::string> network_actions() {
  std::vector<std::string> names;
  names.reserve(kActions.size());
  for (const Action& each : kActions) names.emplace_back(each.name);
  return names;
}

void declare_network(config::OptionSet& set, NetworkOptions& network) {
  set.add_flag("endpoint", &network.endpoint, "add-node: calls begin and end there.");
  set.add_double("wait-s", &network.wait_s, 30, {0, 3'600},
                 "Seconds in which calls must leave what is removed.");
  set.add_uint("delay-us", &network.delay_us, 0, {0, kDelayUsMax},
               "add-link: propagation delay in microseconds.");
}

std::optional<std::string> check_network(CommandLine& line, const config::OptionSet& set) {
  if (line.verb() != "network") return std::nullopt;
  const std::string& action = line.words[1];
  const auto known = std::ranges::find(kActions, action, &Action::name);
  if (known == kActions.end()) {
    return fmt::format("network: ACTION '{}' is none of {}", action,
                       fmt::join(network_actions(), ", "));
  }
  if (line.words.size() != known->count + 2) {
    return fmt::format("network {} takes {}", action,
                       known->count == 0 ? "no argument" : known->arguments);
  }
  if (set.given("endpoint") && action != "add-node") return "endpoint goes with network add-node";
  if (set.given("delay-us") && action != "add-link") return "delay-us goes with network add-link";
  if (line.dry_run && action == "show") return "dry-run does not go with network show";
  return parse_arguments(line);
}

}  // namespace xbind::ctl
