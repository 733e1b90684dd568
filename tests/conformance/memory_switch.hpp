// The emulated switch without its process: fabric and agent, joined to controllers by function calls.
#pragma once

#include <memory>

#include "tests/conformance/transport.hpp"

namespace xbind::conformance {

// A fresh switch with four ports, and a connection to it.
std::unique_ptr<Transport> connect_in_memory();

}  // namespace xbind::conformance
