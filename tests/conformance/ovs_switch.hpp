// xbind-gsmp-ovs without its process: an agent and its table, in front of a bridge in memory.
#pragma once

#include <memory>

#include "tests/conformance/memory_switch.hpp"
#include "tests/conformance/transport.hpp"

namespace xbind::conformance {

// Makes a new bridge and switch, and returns a connection to it. The bridge also has flows, groups
// and meters that are not the agent's and must be unchanged at the end.
std::unique_ptr<Transport> connect_to_ovs_in_memory(const MemorySwitch& about);

}  // namespace xbind::conformance
