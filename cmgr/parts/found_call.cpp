#include "cmgr/parts/found_call.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace xbind::cmgr {
namespace {

// What enters a switch at one place.
using Input = std::tuple<SwitchIndex, PortId, Label>;

Input input_of(const FoundHop& hop) {
  return {hop.at, hop.hop.cross_connect.input_port, hop.hop.cross_connect.input_label};
}

// The nodes that no other one follows although their cells leave into a link.
std::vector<bool> dead_ends(const FoundTree& tree, const std::vector<FoundHop>& hops) {
  std::vector<bool> dead(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) dead[i] = !hops[tree.nodes[i].hop].last();
  for (const FoundTree::Node& node : tree.nodes) {
    if (node.upstream != FoundTree::kNone) dead[node.upstream] = false;
  }
  return dead;
}

}  // namespace

void LinkMap::add(End one, End other) {
  far_ends_.insert_or_assign(key(one.first, one.second), other);
  far_ends_.insert_or_assign(key(other.first, other.second), one);
}

std::optional<LinkMap::End> LinkMap::far_end(SwitchIndex at, PortId port) const {
  const auto found = far_ends_.find(key(at, port));
  if (found == far_ends_.end()) return std::nullopt;
  return found->second;
}

bool FoundTree::contains(std::size_t hop) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [hop](const Node& node) { return node.hop == hop; });
}

FoundTree tree_of(const std::vector<FoundHop>& hops, const LinkMap& links) {
  std::multimap<Input, std::size_t> by_input;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (hops[i].carries()) by_input.emplace(input_of(hops[i]), i);
  }
  FoundTree tree;
  std::vector<bool> seen(hops.size());
  const auto enter = [&](std::size_t hop, std::size_t upstream) {
    if (seen[hop]) return;
    seen[hop] = true;
    tree.nodes.push_back({hop, upstream});
  };
  for (const auto& [input, hop] : by_input) {
    if (!links.far_end(std::get<0>(input), std::get<1>(input))) enter(hop, FoundTree::kNone);
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const FoundHop& from = hops[tree.nodes[i].hop];
    if (from.last()) continue;
    const CrossConnect& cross_connect = from.hop.cross_connect;
    const auto to = links.far_end(from.at, cross_connect.output_port);
    if (!to) continue;
    const auto [begin, end] =
        by_input.equal_range({to->first, to->second, cross_connect.output_label});
    for (auto next = begin; next != end; ++next) enter(next->second, i);
  }

  // Leg by leg: other code expects leg 0 first, in the order of the path.
  std::vector<std::size_t> order(tree.nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto leg_of = [&](std::size_t node) { return hops[tree.nodes[node].hop].hop.key.leg; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return leg_of(a) < leg_of(b); });
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  FoundTree sorted;
  for (const std::size_t node : order) {
    const FoundTree::Node& from = tree.nodes[node];
    sorted.nodes.push_back(
        {from.hop, from.upstream == FoundTree::kNone ? FoundTree::kNone : place[from.upstream]});
  }
  const std::vector<bool> dead = dead_ends(sorted, hops);
  sorted.broken = std::find(dead.begin(), dead.end(), true) != dead.end();
  return sorted;
}

FoundTree pruned(const FoundTree& tree, const std::vector<FoundHop>& hops) {
  FoundTree left = tree;
  for (;;) {
    const std::vector<bool> dead = dead_ends(left, hops);
    if (std::find(dead.begin(), dead.end(), true) == dead.end()) break;
    std::vector<std::size_t> place(left.nodes.size(), FoundTree::kNone);
    FoundTree rest;
    for (std::size_t i = 0; i < left.nodes.size(); ++i) {
      if (dead[i]) continue;
      place[i] = rest.nodes.size();
      rest.nodes.push_back(left.nodes[i]);
    }
    for (FoundTree::Node& node : rest.nodes) {
      if (node.upstream != FoundTree::kNone) node.upstream = place[node.upstream];
    }
    left = std::move(rest);
  }
  left.broken = false;
  return left;
}

bool is_whole(const FoundTree& tree, const std::vector<FoundHop>& hops) {
  bool forward = false;
  bool back = false;
  bool bidirectional = false;
  for (const FoundTree::Node& node : tree.nodes) {
    const FoundHop& hop = hops[node.hop];
    bidirectional = bidirectional || hop.hop.bidirectional;
    if (!hop.last()) continue;
    (hop.hop.key.leg == 1 ? back : forward) = true;
  }
  return !tree.broken && forward && back == bidirectional;
}

bool is_whole_hold(const std::vector<FoundHop>& hops) {
  std::map<std::uint16_t, std::set<std::uint16_t>> legs;
  for (const FoundHop& hop : hops) {
    const bool reserved = hop.hop.stage == HopStage::kReserved && hop.hop.held;
    if (!reserved || hop.hop.key.generation != hops.front().hop.key.generation) return false;
    legs[hop.hop.key.leg].insert(hop.hop.key.hop);
  }
  if (hops.empty() || !legs.contains(0)) return false;
  const std::size_t count = hops.front().hop.hop_count;
  const std::size_t wanted_legs = hops.front().hop.bidirectional ? 2 : 1;
  return legs.size() == wanted_legs && std::all_of(legs.begin(), legs.end(), [&](const auto& leg) {
           return leg.second.size() == count;
         });
}

}  // namespace xbind::cmgr
