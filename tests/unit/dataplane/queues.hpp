// What tests of queues share.
#pragma once

#include <cstddef>
#include <vector>

#include "core/clock.hpp"
#include "dataplane/queueing.hpp"

namespace xbind::dataplane {

// The next cells, at most `count`.
inline std::vector<Cell> take(Queueing& queue, std::size_t count) {
  std::vector<Cell> cells(count);
  std::vector<ConnectionRef> from(count);
  cells.resize(queue.dequeue(cells, from, TimePoint{}));
  return cells;
}

}  // namespace xbind::dataplane
