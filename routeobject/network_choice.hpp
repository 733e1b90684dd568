// Which network RouteObject serves at its start: the one that it has stored, or the file of
// --topology. Pure.
//
// The same file as before: the stored network, with what operators have changed since. Another
// file: that one, unless it lacks switches or links of the stored network. Then it may be an
// operator's mistake, which would take the calls over them their paths: the stored network is
// served on, and the file is taken only by --accept-smaller, or by `xbindctl network load`
// (docs/decisions/0105).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "routeobject/network_file.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

struct TopologyFile {
  Topology topology;
  FileMark mark;
};

struct NetworkChoice {
  Topology topology;               // is served
  FileMark file;                   // with which it is stored
  std::vector<std::string> lacks;  // what the file lacks, and why it is not taken; none: it is
  bool stored_replaced = false;    // the file is taken, and the stored network is another one
};

NetworkChoice choose_network(const std::optional<StoredNetwork>& stored, const TopologyFile& file,
                             bool accept_smaller);

// What `network` has and `other` lacks, in the order of `network`: "switch-1", "the endpoint at
// host-a", "the link a:2 to b:2".
std::vector<std::string> lacking(const Topology& other, const Topology& network);
// The first `most` of them: "switch-1, the link a:2 to b:2 and 7 more".
std::string some_of(std::span<const std::string> words, std::size_t most);

}  // namespace xbind
