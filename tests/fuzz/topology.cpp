// Topology files of all three formats (routeobject) under libFuzzer: our own TOML, SNDlib native
// and GraphML. The content decides which one an input is.
//
// What is accepted keeps the bounds of a topology, and is read back from our own format as equal.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "routeobject/import/builder.hpp"
#include "routeobject/import/load_topology.hpp"
#include "routeobject/topology/topology_file.hpp"
#include "tests/fuzz/property.hpp"

namespace {

using namespace xbind;
using namespace xbind::fuzz;

std::string media_text(const MediaLine& media) {
  std::string text =
      fmt::format("labels = \"{}\", cells = \"{}\"",
                  media.labels == LabelKind::kMpls ? "mpls" : "atm", to_string(media.cells));
  if (media.addresses) {
    text +=
        fmt::format(", addresses = [\"{}\", \"{}\"]", (*media.addresses)[0], (*media.addresses)[1]);
  }
  if (media.label) text += fmt::format(", label = {}", *media.label);
  return text;
}

std::string toml_of(const Topology& topology) {
  std::string text = fmt::format("name = \"{}\"\nswitch = [\n", topology.name());
  for (const TopologySwitch& at : topology.switches()) {
    text += fmt::format("{{name = \"{}\", endpoint = {}", at.name, at.endpoint);
    if (at.kind != SwitchKind::kEmulated)
      text += fmt::format(", kind = \"{}\"", to_string(at.kind));
    if (at.endpoint) text += fmt::format(", media = {{{}}}", media_text(at.media));
    text += "},\n";
  }
  text += "]\nlink = [\n";
  for (const TopologyLink& link : topology.links()) {
    text += fmt::format("{{between = [\"{}\", \"{}\"], cells-per-s = {}, delay-us = {}, {}}},\n",
                        topology.end_text(link.a), topology.end_text(link.b), link.cells_per_s,
                        link.delay_us, media_text(link.media));
  }
  text += "]\ndemand = [\n";
  for (const TopologyDemand& demand : topology.demands()) {
    text += fmt::format("{{from = \"{}\", to = \"{}\", weight = {}}},\n",
                        topology.switches()[demand.from].name, topology.switches()[demand.to].name,
                        demand.weight);
  }
  return text + "]\n";
}

void check_bounds(const Topology& topology) {
  require(!name_fault(topology.name()), "the name of a topology is invalid", topology.name());
  require(!topology.switches().empty() && topology.switches().size() <= kSwitchesMax &&
              topology.links().size() <= kLinksMax && topology.demands().size() <= kDemandsMax,
          "a topology is too large");
  for (const TopologySwitch& at : topology.switches()) {
    require(!name_fault(at.name), "the name of a switch is invalid", at.name);
    require(at.ports >= 1 && at.ports <= kPortsMax, "a switch has too many ports", at.name);
    require(!media_line_fault(at.media), "the line of a host is invalid", at.name);
  }
  for (const TopologyLink& link : topology.links()) {
    require(link.a.at != link.b.at && !topology.port_is_free(link.a) &&
                !topology.port_is_free(link.b) && link.cells_per_s >= 1 &&
                link.cells_per_s <= kLinkCellsPerSMax && link.delay_us <= kLinkDelayUsMax &&
                !media_line_fault(link.media),
            "a link is invalid", topology.end_text(link.a));
  }
  for (const TopologyDemand& demand : topology.demands()) {
    require(demand.from != demand.to && demand.weight > 0, "a demand is invalid");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto loaded = parse_any_topology(text_of({data, size}), kFile, ImportOptions{});
  if (!loaded) {
    require_refusal(loaded.error());
    return 0;
  }
  check_bounds(loaded->topology);
  require(loaded->notes.size() <= kImportNotesMax, "an import has too many notes");
  for (const std::string& note : loaded->notes) require_sentence(note, kNoteOctetsMax);
  require(nlohmann::json::accept(describe_as_json(loaded->topology)),
          "the description of a topology is no JSON");
  const std::string text = toml_of(loaded->topology);
  const auto again = parse_topology(text, kFile);
  require(again.has_value(), "a topology that was read and written is refused", text);
  require(*again == loaded->topology, "a topology is not read as written", text);
  return 0;
}
