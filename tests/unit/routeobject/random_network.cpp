#include "random_network.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <tuple>

namespace xbind {

DrawnNetwork::DrawnNetwork() = default;

DrawnNetwork::~DrawnNetwork() = default;

SwitchIndex DrawnNetwork::node(const std::string& name, bool endpoint) {
  next_port_.push_back(endpoint ? 2 : 1);
  return topology.add_switch(name, endpoint).value();
}

void DrawnNetwork::link(SwitchIndex a, SwitchIndex b, std::uint64_t rate, std::uint32_t delay_us) {
  const auto added =
      topology.add_link({a, PortId{next_port_[a]++}}, {b, PortId{next_port_[b]++}}, rate);
  ASSERT_TRUE(added.has_value());
  ASSERT_TRUE(topology.set_link_delay(*added, delay_us).has_value());
}

RouteGraph DrawnNetwork::graph() const {
  return RouteGraph(std::make_shared<const Topology>(topology));
}

RouteGraph random_graph(std::mt19937_64& random, std::uint32_t nodes, std::uint32_t links) {
  DrawnNetwork net;
  for (SwitchIndex at = 0; at < nodes; ++at) net.node(fmt::format("n{}", at));
  for (std::uint32_t made = 0; made < links;) {
    const auto a = static_cast<SwitchIndex>(random() % nodes);
    const auto b = static_cast<SwitchIndex>(random() % nodes);
    if (a == b) continue;
    net.link(a, b, 8, static_cast<std::uint32_t>(random() % 5));
    ++made;
  }
  std::vector<LinkChange> changes;
  for (std::size_t link = 0; link < links; ++link) {
    changes.push_back({link, {random() % 12 != 0, random() % 9, random() % 9}});
  }
  return net.graph().with(changes).value();
}

std::string hops_text(const Path& path) {
  std::string text;
  for (const PathHop& hop : path.hops) {
    text += fmt::format("{}{}>{}>{}", text.empty() ? "" : " ", hop.input_port, hop.switch_name,
                        hop.output_port);
  }
  return text;
}

bool operator<(const WalkedPath& a, const WalkedPath& b) {
  return std::tuple(a.cost, a.links.size(), a.links) < std::tuple(b.cost, b.links.size(), b.links);
}

AllPaths::AllPaths(const RouteGraph& graph, const PathQuery& query)
    : graph_(graph), topology_(graph.topology()), query_(query) {
  WalkedPath path;
  path.switches = {*topology_.find(query.from)};
  walk(path);
  std::sort(paths.begin(), paths.end());
}

void AllPaths::walk(WalkedPath& path) {
  const SwitchIndex at = path.switches.back();
  if (at == *topology_.find(query_.to)) {
    if (meets(path)) paths.push_back(path);
    return;
  }
  for (std::size_t index = 0; index < topology_.links().size(); ++index) {
    const TopologyLink& link = topology_.links()[index];
    if (link.a.at != at && link.b.at != at) continue;
    const bool along = link.a.at == at;
    const SwitchIndex next = along ? link.b.at : link.a.at;
    const LinkState state = graph_.link_state(index);
    const std::uint64_t free = along ? state.free_a_to_b : state.free_b_to_a;
    if (!state.up || free < query_.cells_per_s) continue;
    if (std::ranges::find(path.switches, next) != path.switches.end()) continue;
    std::uint64_t cost = 1;
    if (query_.metric == PathMetric::kDelay) cost = link.delay_us;
    if (query_.metric == PathMetric::kLoad) {
      cost = (std::uint64_t{1} << 40) / (free - query_.cells_per_s + 1);
    }
    path.cost += cost;
    path.delay_us += link.delay_us;
    path.links.push_back(index);
    path.switches.push_back(next);
    walk(path);
    path.cost -= cost;
    path.delay_us -= link.delay_us;
    path.links.pop_back();
    path.switches.pop_back();
  }
}

bool AllPaths::has(const WalkedPath& path, const PathElement& element) const {
  if (element.output_port == PortId{}) {
    return std::ranges::any_of(path.switches, [&](SwitchIndex at) {
      return topology_.switches()[at].name == element.switch_name;
    });
  }
  return std::ranges::any_of(path.links, [&](std::size_t index) {
    const TopologyLink& link = topology_.links()[index];
    return topology_.end_text(link.a) ==
               fmt::format("{}:{}", element.switch_name, element.output_port) ||
           topology_.end_text(link.b) ==
               fmt::format("{}:{}", element.switch_name, element.output_port);
  });
}

bool AllPaths::meets(const WalkedPath& path) const {
  if (query_.delay_us_max && path.delay_us > *query_.delay_us_max) return false;
  if (query_.links_max && path.links.size() > *query_.links_max) return false;
  if (std::ranges::any_of(query_.avoid, [&](const auto& e) { return has(path, e); })) return false;
  if (!std::ranges::all_of(query_.require, [&](const auto& e) { return has(path, e); }))
    return false;
  if (query_.disjoint == Disjoint::kNo) return true;
  for (std::size_t hop = 0; hop < query_.disjoint_from.size(); ++hop) {
    const PathHop& other = query_.disjoint_from[hop];
    if (hop + 1 < query_.disjoint_from.size() && has(path, {other.switch_name, other.output_port}))
      return false;
    if (query_.disjoint == Disjoint::kSwitches && other.switch_name != query_.from &&
        other.switch_name != query_.to && has(path, {other.switch_name, PortId{}}))
      return false;
  }
  return true;
}

std::vector<std::size_t> links_of(const RouteGraph& graph, const FoundPath& found) {
  std::vector<std::size_t> links;
  for (const ArcIndex arc : found.arcs) links.push_back(graph.link(arc));
  return links;
}

}  // namespace xbind
