#include "cmgr/parts/found_call.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cmgr/parts/found_joints.hpp"

namespace xbind::cmgr {

std::vector<bool> dead_ends(const FoundTree& tree, const std::vector<FoundHop>& hops) {
  std::vector<bool> dead(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) dead[i] = !hops[tree.nodes[i].hop].last();
  for (const FoundTree::Node& node : tree.nodes) {
    if (node.upstream != FoundTree::kNone) dead[node.upstream] = false;
  }
  return dead;
}

void LinkMap::add(End one, End other) {
  drop(one);
  drop(other);
  far_ends_.insert_or_assign(key(one.first, one.second), other);
  far_ends_.insert_or_assign(key(other.first, other.second), one);
}

void LinkMap::drop(End one) {
  const auto found = far_ends_.find(key(one.first, one.second));
  if (found == far_ends_.end()) return;
  const End other = found->second;
  far_ends_.erase(found);
  far_ends_.erase(key(other.first, other.second));
}

std::optional<LinkMap::End> LinkMap::far_end(SwitchIndex at, PortId port) const {
  const auto found = far_ends_.find(key(at, port));
  if (found == far_ends_.end()) return std::nullopt;
  return found->second;
}

std::vector<KnownLinks::End> KnownLinks::learn(const std::vector<FoundHop>& hops) {
  std::vector<End> changed;
  for_each_pair(hops, [&](std::size_t one, std::size_t next) {
    const End from{hops[one].at, hops[one].hop.cross_connect.output_port};
    const End to{hops[next].at, hops[next].hop.cross_connect.input_port};
    if (shown_.far_end(from.first, from.second) == to) return;
    for (const End& end : {from, to}) {
      changed.push_back(end);
      for (const auto& before : far_ends(end.first, end.second)) {
        if (!before) continue;
        changed.push_back(*before);
        // Where that end leads again once calls do not show it any more.
        if (const auto back = topology_.far_end(before->first, before->second)) {
          changed.push_back(*back);
        }
      }
    }
    shown_.add(from, to);
  });
  return changed;
}

std::array<std::optional<KnownLinks::End>, 2> KnownLinks::far_ends(SwitchIndex at,
                                                                   PortId port) const {
  return {shown_.far_end(at, port), topology_.far_end(at, port)};
}

std::optional<KnownLinks::End> KnownLinks::far_end(SwitchIndex at, PortId port) const {
  if (const auto shown = shown_.far_end(at, port)) return shown;
  const auto end = topology_.far_end(at, port);
  // The topology's other end has been shown to lead elsewhere.
  if (end && shown_.far_end(end->first, end->second)) return std::nullopt;
  return end;
}

bool FoundTree::contains(std::size_t hop) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [hop](const Node& node) { return node.hop == hop; });
}

FoundTree tree_of(const std::vector<FoundHop>& hops, const KnownLinks& links) {
  return FoundJoints(hops, links).tree();
}

FoundTree pruned(const FoundTree& tree, const std::vector<FoundHop>& hops) {
  FoundTree left = tree;
  for (;;) {
    const std::vector<bool> dead = dead_ends(left, hops);
    if (std::find(dead.begin(), dead.end(), true) == dead.end()) break;
    std::vector<std::size_t> place(left.nodes.size(), FoundTree::kNone);
    FoundTree rest;
    rest.by_label = left.by_label;
    rest.undecided = left.undecided;
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

bool leaves_known_network(const std::vector<FoundHop>& hops, const KnownLinks& links) {
  std::set<FoundPlace> entrances;
  for (const FoundHop& hop : hops) {
    if (hop.begins()) entrances.insert(input_of(hop));
  }
  return std::any_of(hops.begin(), hops.end(), [&](const FoundHop& hop) {
    if (hop.hop.stage != HopStage::kCommitted) return false;
    const CrossConnect& ports = hop.hop.cross_connect;
    return (!hop.last() && !links.far_end(hop.at, ports.output_port)) ||
           (!entrances.contains(input_of(hop)) && !links.far_end(hop.at, ports.input_port));
  });
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
