#include "routeobject/network/edit.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/check.hpp"
#include "core/name.hpp"
#include "routeobject/network/difference.hpp"

namespace xbind {
namespace {

// Copies the network except for one link or one switch with its links and demands. The parts of a
// topology fit into the copy, too.
class Copy {
 public:
  Copy(const Topology& from, std::optional<SwitchIndex> left_out)
      : from_(from), left_out_(left_out), topology_(from.name()) {
    for (SwitchIndex at = 0; at < from.switches().size(); ++at) {
      if (at == left_out_) continue;
      const TopologySwitch& it = from.switches()[at];
      const auto added = topology_.add_switch(it.name, it.endpoint, it.kind);
      XB_CHECK(added.has_value(), it.name);
      if (!it.port_controller.empty()) {
        XB_CHECK(topology_.set_port_controller(*added, it.port_controller).has_value(), it.name);
      }
      if (!it.endpoint) continue;
      const auto set = topology_.set_host_media(*added, it.media);
      XB_CHECK(set.has_value(), it.name);
    }
  }

  // `cells_per_s`: nullopt keeps the link's rate.
  void add(const TopologyLink& link, std::optional<std::uint64_t> cells_per_s = {}) {
    if (link.a.at == left_out_ || link.b.at == left_out_) return;
    const auto added =
        topology_.add_link(end(link.a), end(link.b), cells_per_s.value_or(link.cells_per_s));
    XB_CHECK(added.has_value(), added.error().text);
    XB_CHECK(topology_.set_link_media(*added, link.media).has_value(), *added);
    XB_CHECK(topology_.set_link_delay(*added, link.delay_us).has_value(), *added);
    topology_.mark_rate_set(*added, link.rate_is_set || cells_per_s.has_value());
  }

  Topology done() && {
    for (const TopologyDemand& demand : from_.demands()) {
      if (demand.from == left_out_ || demand.to == left_out_) continue;
      const auto added = topology_.add_demand(index(demand.from), index(demand.to), demand.weight);
      XB_CHECK(added.has_value(), added.error().text);
    }
    return std::move(topology_);
  }

 private:
  SwitchIndex index(SwitchIndex at) const { return at - (left_out_ && at > *left_out_ ? 1 : 0); }
  LinkEnd end(LinkEnd at) const { return {index(at.at), at.port}; }

  const Topology& from_;
  const std::optional<SwitchIndex> left_out_;
  Topology topology_;
};

Result<SwitchIndex> switch_of(const Topology& network, const std::string& name) {
  if (const auto at = network.find(name)) return *at;
  return fail(ErrorCode::kNotFound, "there is no switch '{}'", printable(name));
}

Result<std::size_t> link_of(const Topology& network, const PathElement& end) {
  const auto at = switch_of(network, end.switch_name);
  if (!at) return tl::make_unexpected(at.error());
  if (const auto link = network.link_at({*at, end.output_port})) return *link;
  return fail(ErrorCode::kNotFound, "no link is at port {} of '{}'", end.output_port,
              end.switch_name);
}

// The network with another rate at one link, or without the link.
Topology with_link(const Topology& network, std::size_t link,
                   std::optional<std::uint64_t> cells_per_s) {
  Copy copy(network, std::nullopt);
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    if (i != link) {
      copy.add(network.links()[i]);
    } else if (cells_per_s) {
      copy.add(network.links()[i], cells_per_s);
    }
  }
  return std::move(copy).done();
}

Result<LinkEnd> free_end(const Topology& network, const PathElement& at, const PortsOf& ports_of) {
  const auto index = switch_of(network, at.switch_name);
  if (!index) return tl::make_unexpected(index.error());
  if (at.output_port != PortId{}) return LinkEnd{*index, at.output_port};
  if (const std::vector<PortId> ports = ports_of(at.switch_name); !ports.empty()) {
    const auto free = std::ranges::find_if(ports, [&](PortId port) {
      return network.port_is_free({*index, port});
    });
    if (free != ports.end()) return LinkEnd{*index, *free};
    return fail(ErrorCode::kNotFound, "no port of '{}' is free: its switch reports {}",
                at.switch_name, words_of_ports(ports));
  }
  LinkEnd end{*index, PortId{1}};
  while (end.port.value() < kPortsMax && !network.port_is_free(end)) {
    end.port = PortId{end.port.value() + 1};
  }
  return end;
}

using Edited = Result<EditedNetwork>;

class Editor {
 public:
  Editor(const Topology& network, const ImportOptions& options, const PortsOf& ports_of)
      : network_(network), options_(options), ports_of_(ports_of) {}

  Edited operator()(const edit::Load& load) const {
    const std::string& file = load.file_name.empty() ? kFile : load.file_name;
    if (load.text.size() > kNetworkTextOctetsMax) {
      return fail(ErrorCode::kBadInput, "{}: {} octets, the most is {}", file, load.text.size(),
                  kNetworkTextOctetsMax);
    }
    auto loaded = parse_any_topology(load.text, file, options_);
    if (!loaded) return tl::make_unexpected(std::move(loaded).error());
    Topology& topology = loaded->topology;
    for (std::size_t i = 0; i < topology.links().size(); ++i) {
      const TopologyLink& link = topology.links()[i];
      const auto old = same_link(network_, topology, link);
      const bool set = !old || network_.links()[*old].rate_is_set ||
                       network_.links()[*old].cells_per_s != link.cells_per_s;
      topology.mark_rate_set(i, set || link.rate_is_set);
    }
    return EditedNetwork{std::move(topology), std::move(loaded->notes)};
  }

  Edited operator()(const edit::AddSwitch& add) const {
    Topology topology = network_;
    const auto added = topology.add_switch(add.name, add.endpoint);
    if (!added) return tl::make_unexpected(added.error());
    return EditedNetwork{std::move(topology), {}};
  }

  Edited operator()(const edit::RemoveSwitch& remove) const {
    const auto at = switch_of(network_, remove.name);
    if (!at) return tl::make_unexpected(at.error());
    if (network_.switches().size() == 1) {
      return fail(ErrorCode::kBadInput, "'{}' is the only switch, a network has at least one",
                  remove.name);
    }
    Copy copy(network_, *at);
    for (const TopologyLink& link : network_.links()) copy.add(link);
    return EditedNetwork{std::move(copy).done(), {}};
  }

  Edited operator()(const edit::AddLink& add) const {
    const auto first = free_end(network_, add.first_end, ports_of_);
    if (!first) return tl::make_unexpected(first.error());
    const auto second = free_end(network_, add.second_end, ports_of_);
    if (!second) return tl::make_unexpected(second.error());
    Topology topology = network_;
    const auto added = topology.add_link(*first, *second, add.cells_per_s);
    if (!added) return tl::make_unexpected(added.error());
    if (add.delay_us > kLinkDelayUsMax) {
      return fail(ErrorCode::kBadInput, "delay of {} us on the new link is not in 0 to {}",
                  add.delay_us, kLinkDelayUsMax);
    }
    const auto set = topology.set_link_delay(*added, static_cast<std::uint32_t>(add.delay_us));
    XB_CHECK(set.has_value(), add.delay_us);
    topology.mark_rate_set(*added, true);
    return EditedNetwork{std::move(topology), {}};
  }

  Edited operator()(const edit::RemoveLink& remove) const {
    const auto link = link_of(network_, remove.end);
    if (!link) return tl::make_unexpected(link.error());
    return EditedNetwork{with_link(network_, *link, std::nullopt), {}};
  }

  Edited operator()(const edit::SetRate& set) const {
    const auto link = link_of(network_, set.end);
    if (!link) return tl::make_unexpected(link.error());
    if (set.cells_per_s == 0 || set.cells_per_s > kLinkCellsPerSMax) {
      return fail(ErrorCode::kBadInput, "{} cells/s at port {} of '{}' is not in 1 to {}",
                  set.cells_per_s, set.end.output_port, set.end.switch_name, kLinkCellsPerSMax);
    }
    return EditedNetwork{with_link(network_, *link, set.cells_per_s), {}};
  }

 private:
  inline static const std::string kFile = "network";

  const Topology& network_;
  const ImportOptions& options_;
  const PortsOf& ports_of_;
};

}  // namespace

Result<EditedNetwork> edited(const Topology& network, const NetworkEdit& edit,
                             const ImportOptions& options, const PortsOf& ports_of) {
  return std::visit(Editor{network, options, ports_of}, edit);
}

std::string words_of_ports(const std::vector<PortId>& ports) {
  constexpr std::size_t kNamed = 32;
  std::string words = fmt::format("{} port{}: ", ports.size(), ports.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(ports.size(), kNamed); ++i) {
    words += fmt::format("{}{}", i == 0 ? "" : ", ", ports[i]);
  }
  return words + (ports.size() > kNamed ? ", ..." : "");
}

}  // namespace xbind
