// The emulated switch without its process: fabric and agent, connected to controllers by function
// calls.
#pragma once

#include <memory>

#include "core/label.hpp"
#include "tests/conformance/transport.hpp"

namespace xbind::conformance {

struct MemorySwitch {
  LabelKind labels = LabelKind::kAtm;  // of its four ports; with MPLS, 16 labels in two ranges
  bool shared = false;                 // others have a connection in and out at each of its ports
};
// Makes a new switch and returns a connection to it.
std::unique_ptr<Transport> connect_in_memory(const MemorySwitch& about);

}  // namespace xbind::conformance
