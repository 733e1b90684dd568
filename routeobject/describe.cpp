// describe_as_json() of topology.hpp, in its own file because the JSON header is a heavy one.
#include <nlohmann/json.hpp>

#include "routeobject/topology/topology.hpp"

namespace xbind {

std::string describe_as_json(const Topology& topology) {
  using Json = nlohmann::ordered_json;
  const auto& switches = topology.switches();
  auto end = [&switches](LinkEnd at) {
    return Json{{"switch", switches[at.at].name}, {"port", at.port.value()}};
  };
  auto media = [](const MediaLine& line) {
    Json made;
    if (line.labels == LabelKind::kMpls) made["labels"] = "mpls";
    made["cells"] = to_string(line.cells);
    if (line.addresses) made["addresses"] = *line.addresses;
    if (line.label) made["label"] = *line.label;
    return made;
  };
  Json described{{"name", topology.name()},
                 {"switches", Json::array()},
                 {"links", Json::array()},
                 {"demands", Json::array()}};
  for (SwitchIndex index = 0; index < switches.size(); ++index) {
    described["switches"].push_back({{"name", switches[index].name},
                                     {"endpoint", switches[index].endpoint},
                                     {"ports", switches[index].ports},
                                     {"port_cells_per_s", topology.port_cells_per_s(index)}});
    if (switches[index].kind != SwitchKind::kEmulated)
      described["switches"].back()["kind"] = to_string(switches[index].kind);
    if (!switches[index].port_controller.empty())
      described["switches"].back()["port_controller"] = switches[index].port_controller;
    if (switches[index].endpoint)
      described["switches"].back()["media"] = media(switches[index].media);
  }
  for (const TopologyLink& link : topology.links()) {
    described["links"].push_back({{"a", end(link.a)},
                                  {"b", end(link.b)},
                                  {"cells_per_s", link.cells_per_s},
                                  {"media", media(link.media)}});
    if (link.delay_us > 0) described["links"].back()["delay_us"] = link.delay_us;
    if (link.rate_is_set) described["links"].back()["rate_is_set"] = true;
  }
  for (const TopologyDemand& demand : topology.demands()) {
    described["demands"].push_back({{"from", switches[demand.from].name},
                                    {"to", switches[demand.to].name},
                                    {"weight", demand.weight}});
  }
  return described.dump(2) + "\n";
}

}  // namespace xbind
