// A line between two ports of one process: a ring of cells in each direction, each with one sending
// and one receiving thread.
#pragma once

#include <memory>
#include <utility>

#include "dataplane/links/link.hpp"

namespace xbind::dataplane {

// Returns the two ends, each for one thread. Each direction holds at most `cells_max` cells of 52
// octets; when it is full, send() accepts fewer. The ends may be destroyed in any order.
std::pair<std::unique_ptr<Link>, std::unique_ptr<Link>> make_ring(std::size_t cells_max = 4096);

}  // namespace xbind::dataplane
