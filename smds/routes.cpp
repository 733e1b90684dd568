#include "smds/routes.hpp"

#include <algorithm>

namespace xbind::smds {

Adjacency adjacency_of(const Network& network) {
  Adjacency adjacency(network.servers.size());
  for (const TrunkSpec& trunk : network.trunks) {
    adjacency[trunk.one].push_back(trunk.other);
    adjacency[trunk.other].push_back(trunk.one);
  }
  for (auto& neighbours : adjacency) std::ranges::sort(neighbours);
  return adjacency;
}

Tree tree_of(const Adjacency& adjacency, std::uint32_t root) {
  Tree tree(adjacency.size(), kNoServer);
  std::vector<bool> reached(adjacency.size());
  reached[root] = true;
  // Server by server in order of distance: the first one that reaches another is its parent.
  std::vector<std::uint32_t> order{root};
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::uint32_t server = order[at];
    for (const std::uint32_t neighbour : adjacency[server]) {
      if (reached[neighbour]) continue;
      reached[neighbour] = true;
      tree[neighbour] = server;
      order.push_back(neighbour);
    }
  }
  return tree;
}

std::vector<std::uint32_t> next_hops(const Tree& tree, std::uint32_t root) {
  std::vector<std::uint32_t> hops(tree.size(), kNoServer);
  for (std::uint32_t server = 0; server < tree.size(); ++server) {
    std::uint32_t at = server;
    while (tree[at] != kNoServer && tree[at] != root) at = tree[at];
    if (tree[at] == root) hops[server] = at;
  }
  return hops;
}

std::vector<std::uint32_t> branches(const Tree& tree, std::uint32_t server,
                                    std::span<const std::uint32_t> members) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t member : members) {
    std::uint32_t at = member;
    while (at != server && tree[at] != kNoServer && tree[at] != server) at = tree[at];
    if (at == server || tree[at] != server) continue;
    if (std::ranges::find(found, at) == found.end()) found.push_back(at);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace xbind::smds
