#include "switchserver/node_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>
#include <utility>

#include "core/config/option_tables.hpp"
#include "core/config/text_form.hpp"
#include "core/config/timer_option.hpp"
#include "core/name.hpp"
#include "core/port_buffer.hpp"
#include "switchserver/controller/timers.hpp"
#include "switchserver/make_driver.hpp"
#include "traffic/timers.hpp"

namespace xbind {
namespace {

constexpr config::DoubleBounds kOverbooking{0.01, 1000};

using OfPort = std::pair<PortId, double>;

// "3=2.0"
Result<OfPort> of_port(const std::string& text) {
  const auto parts = config::parts_of(text, "([0-9]{1,10})=([0-9]{1,4}([.][0-9]{1,3})?)");
  if (!parts) {
    return fail(ErrorCode::kBadInput, "--port-overbooking {} is not PORT=FACTOR", text);
  }
  const std::uint64_t port = std::stoull((*parts)[0]);
  const double factor = std::stod((*parts)[1]);
  if (port == 0 || port > UINT32_MAX) {
    return fail(ErrorCode::kBadInput, "--port-overbooking {}: port {} is not in 1 to {}", text,
                port, UINT32_MAX);
  }
  if (factor < kOverbooking.min || factor > kOverbooking.max) {
    return fail(ErrorCode::kBadInput, "--port-overbooking {}: {} is not in {} to {}", text, factor,
                kOverbooking.min, kOverbooking.max);
  }
  return OfPort{PortId{static_cast<std::uint32_t>(port)}, factor};
}

std::optional<std::string> wrong_ports(const NodeOptions& options) {
  std::set<PortId> seen;
  for (const std::string& text : options.port_overbooking) {
    const auto one = of_port(text);
    if (!one) return one.error().text;
    if (!seen.insert(one->first).second) {
      return fmt::format("--port-overbooking {}: the port has a factor already", text);
    }
  }
  return std::nullopt;
}

std::optional<std::string> fault_of(const NodeOptions& options) {
  if (const auto wrong = wrong_ports(options)) return wrong;
  // Empty if --switches gives the names; they are checked when its file is read.
  if (const auto good = check_name("name", options.name); !good && !options.name.empty()) {
    return "--name: " + good.error().text;
  }
  if (const auto good = full_switch_address(options.switch_address); !good) {
    return "--switch: " + good.error().text;
  }
  return std::nullopt;
}

Result<std::vector<NodeOptions>> nodes_of(const Result<std::vector<config::OptionTable>>& tables) {
  if (!tables) return tl::make_unexpected(tables.error());
  std::vector<NodeOptions> nodes;
  for (const config::OptionTable& table : *tables) {
    NodeOptions options;
    config::OptionSet set("[[switch]]", "One switch of several.");
    declare(set, options);
    if (const auto good = table.load(set); !good) return tl::make_unexpected(good.error());
    if (const auto good = check_name("name", options.name); !good) {
      return tl::make_unexpected(table.refusal("name", good.error().text));
    }
    for (const NodeOptions& other : nodes) {
      if (other.name == options.name) {
        return tl::make_unexpected(
            table.refusal("name", fmt::format("another switch is called '{}'", options.name)));
      }
      if (full_switch_address(other.switch_address).value() ==
          full_switch_address(options.switch_address).value()) {
        return tl::make_unexpected(table.refusal(
            "switch",
            fmt::format("{} is in front of {} already", other.name, options.switch_address)));
      }
    }
    options.values = set.values();
    nodes.push_back(std::move(options));
  }
  return nodes;
}

config::OptionTableKind kind() {
  return {"switch", node_option_names(), {"name", "switch"}, kNodesMax};
}

}  // namespace

void declare(config::OptionSet& set, NodeOptions& options) {
  NodeOptions* const o = &options;
  set.add_string("name", &o->name, "",
                 "Name under which the object is bound in the name service; must be given unless "
                 "--switches is.");
  set.add_string("switch", &o->switch_address, "127.0.0.1:6068",
                 "Address of the switch: HOST:PORT or gsmp://HOST:PORT, where it listens for GSMP "
                 "over TCP.");
  set.add_double("overbooking", &o->overbooking, 1.0, kOverbooking,
                 "How many times a port's line rate may be promised.");
  set.add_strings("port-overbooking", &o->port_overbooking,
                  "PORT=FACTOR,...: the same of single ports.");
  set.add_enum(
      "admission", &o->admission, AdmissionMode::kEffective,
      {{"demand", AdmissionMode::kDemand},
       {"peak", AdmissionMode::kPeak},
       {"effective", AdmissionMode::kEffective}},
      "What a hop takes of its output port: as the manager demands; by its contract, VBR at "
      "the peak; or VBR at its effective bandwidth.");
  config::add_timer(set, kTrafficTimers.row("rt-wait-us"), &o->rt_wait_us, {0, 1'000'000});
  set.add_uint("buffer-cells", &o->buffer_cells, kPortBufferCells, {0, kPortBufferCellsMax},
               "Buffer of every output port, in cells; the switch must have it: --buffer-cells of "
               "an xbind-switch.");
  set.add_enum("label-sharing", &o->sharing, LabelSharing::kFree,
               {{"free", LabelSharing::kFree}, {"cooperative", LabelSharing::kCooperative}},
               "Whether managers share a port's labels in proportion to what they declare.");
  set.add_uint("unused-percent", &o->unused_percent, 25, {1, 100},
               "Of a port's labels and bandwidth: what a manager may hold that no call uses, or as "
               "much as its calls use there; all managers together twice that. 100: no bound.");
  set.add_uint("gsmp-window", &o->window, 256, {1, 32'768},
               "Limit of open GSMP requests; the switch may announce a lower one.");
  config::add_timer(set, kSwitchServerTimers.row("gsmp-timeout-ms"), &o->transaction_timeout_ms,
                    {10, 60'000});
  set.add_choice("gsmp-versions", &o->gsmp_versions, "3,1", {"3,1", "3", "1"},
                 "Versions of GSMP that may be spoken with the switch, the highest first; 1 is "
                 "version 1.1.");
  set.set_live({"overbooking", "port-overbooking", "rt-wait-us", "buffer-cells"});
  set.add_check([o] { return fault_of(*o); });
}

std::vector<config::OptionChange> changes_of(const std::vector<NodeOptions>& before,
                                             const std::vector<NodeOptions>& after) {
  const auto names_of = [](const std::vector<NodeOptions>& nodes) {
    std::vector<std::string> names;
    names.reserve(nodes.size());
    for (const NodeOptions& node : nodes) names.push_back(node.name);
    return fmt::format("{}", fmt::join(names, ","));
  };
  if (names_of(before) != names_of(after)) {
    return {{"switches", names_of(before), names_of(after), "file", false}};
  }
  std::vector<config::OptionChange> changes;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t k = 0; k < before[i].values.size(); ++k) {
      const config::OptionValue& was = before[i].values[k];
      const config::OptionValue& is = after[i].values[k];
      if (was.text == is.text) continue;
      changes.push_back(
          {fmt::format("{} {}", before[i].name, is.name), was.text, is.text, "file", is.live});
    }
  }
  return changes;
}

std::map<PortId, double> port_overbooking(const NodeOptions& options) {
  std::map<PortId, double> factors;
  for (const std::string& text : options.port_overbooking) factors.insert(of_port(text).value());
  return factors;
}

std::vector<std::string> node_option_names() {
  return {"name",           "switch",      "overbooking",     "port-overbooking",
          "admission",      "rt-wait-us",  "buffer-cells",    "label-sharing",
          "unused-percent", "gsmp-window", "gsmp-timeout-ms", "gsmp-versions"};
}

Result<std::vector<NodeOptions>> parse_nodes(std::string_view text, const std::string& path) {
  return nodes_of(config::read_option_tables(text, path, kind()));
}

Result<std::vector<NodeOptions>> load_nodes(const std::string& path) {
  return nodes_of(config::load_option_tables(path, kind()));
}

}  // namespace xbind
