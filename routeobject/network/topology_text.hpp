// A topology as a file in our own format, which parse_topology() reads back as an equal value.
// Ports are written out, so that they stay when links are added. Pure.
#pragma once

#include <string>

#include "routeobject/topology/topology.hpp"

namespace xbind {

std::string topology_as_toml(const Topology& topology);

}  // namespace xbind
