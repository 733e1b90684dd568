// Shortest paths between servers: a tree for each, along which its PDUs travel. Every trunk costs
// the same. Of several shortest paths the tree has the one whose servers come first, so that all
// servers that know the same trunks have the same trees.
//
// Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "smds/network.hpp"

namespace xbind::smds {

inline constexpr std::uint32_t kNoServer = std::numeric_limits<std::uint32_t>::max();

// By index of a server: its neighbours, ascending.
using Adjacency = std::vector<std::vector<std::uint32_t>>;
Adjacency adjacency_of(const Network& network);

// By index of a server: the next one on its path to the root; kNoServer: the root itself, or it
// cannot be reached.
using Tree = std::vector<std::uint32_t>;
Tree tree_of(const Adjacency& adjacency, std::uint32_t root);

// By index of a server: the neighbour of the root through which it is reached; kNoServer: the root,
// or none.
std::vector<std::uint32_t> next_hops(const Tree& tree, std::uint32_t root);

// The neighbours to which `server` passes on what the root of the tree sends to all of `members`:
// those behind which one of them is. Ascending.
std::vector<std::uint32_t> branches(const Tree& tree, std::uint32_t server,
                                    std::span<const std::uint32_t> members);

}  // namespace xbind::smds
