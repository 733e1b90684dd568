// A line between two ports of one process: a ring of cells in each direction, each with one thread
// that sends and one that receives.
#pragma once

#include <memory>
#include <utility>

#include "dataplane/links/link.hpp"

namespace xbind::dataplane {

// The two ends, each for one thread. At most `cells_max` are on their way in each direction, 52 octets
// each; when a ring is full, send() takes less. The ends may go in any order.
std::pair<std::unique_ptr<Link>, std::unique_ptr<Link>> make_ring(std::size_t cells_max = 4096);

}  // namespace xbind::dataplane
