#include "routeobject/network/topology_text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace xbind {
namespace {

using Out = std::back_insert_iterator<std::string>;

// The keys of a line that differ from the file's defaults, as "key = value".
std::vector<std::string> media_keys(const MediaLine& line, bool frames) {
  std::vector<std::string> keys;
  const MediaLine standard = frames ? frames_line() : MediaLine{};
  if (line.labels != standard.labels) {
    keys.push_back(
        fmt::format("labels = \"{}\"", line.labels == LabelKind::kMpls ? "mpls" : "atm"));
  }
  if (line.cells != (frames ? standard.cells : default_cells(line.labels))) {
    keys.push_back(fmt::format("cells = \"{}\"", to_string(line.cells)));
  }
  if (line.addresses) {
    keys.push_back(
        fmt::format("addresses = [\"{}\", \"{}\"]", (*line.addresses)[0], (*line.addresses)[1]));
  }
  if (line.label) keys.push_back(fmt::format("label = {}", *line.label));
  return keys;
}

void write(Out out, const TopologySwitch& at) {
  fmt::format_to(out, "\n[[switch]]\nname = \"{}\"\n", at.name);
  if (at.kind != SwitchKind::kEmulated) fmt::format_to(out, "kind = \"{}\"\n", to_string(at.kind));
  if (!at.port_controller.empty()) {
    fmt::format_to(out, "port-controller = \"{}\"\n", at.port_controller);
  }
  if (!at.endpoint) return;
  fmt::format_to(out, "endpoint = true\n");
  const auto keys = media_keys(at.media, at.kind == SwitchKind::kOvs);
  if (keys.empty()) return;
  fmt::format_to(out, "media = {{ {} }}\n", fmt::join(keys, ", "));
}

void write(Out out, const Topology& topology, const TopologyLink& link) {
  fmt::format_to(out, "\n[[link]]\nbetween = [\"{}\", \"{}\"]\ncells-per-s = {}\n",
                 topology.end_text(link.a), topology.end_text(link.b), link.cells_per_s);
  if (link.rate_is_set) fmt::format_to(out, "rate-is-set = true\n");
  if (link.delay_us > 0) fmt::format_to(out, "delay-us = {}\n", link.delay_us);
  const auto& switches = topology.switches();
  const bool frames =
      switches[link.a.at].kind == SwitchKind::kOvs || switches[link.b.at].kind == SwitchKind::kOvs;
  for (const std::string& key : media_keys(link.media, frames)) fmt::format_to(out, "{}\n", key);
}

}  // namespace

std::string topology_as_toml(const Topology& topology) {
  std::string text = fmt::format("name = \"{}\"\n", topology.name());
  const Out out = std::back_inserter(text);
  const auto& switches = topology.switches();
  for (const TopologySwitch& at : switches) write(out, at);
  for (const TopologyLink& link : topology.links()) write(out, topology, link);
  for (const TopologyDemand& demand : topology.demands()) {
    fmt::format_to(out, "\n[[demand]]\nfrom = \"{}\"\nto = \"{}\"\nweight = {}\n",
                   switches[demand.from].name, switches[demand.to].name, demand.weight);
  }
  return text;
}

}  // namespace xbind
