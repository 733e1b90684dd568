#include "dataplane/fifo_queueing.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace xbind::dataplane {

FifoQueueing::FifoQueueing(const FifoOptions& options)
    : options_(options), queues_(options.priorities) {
  XB_CHECK(options.cells_max >= 1 && options.priorities >= 1, options.cells_max,
           options.priorities);
}

bool FifoQueueing::enqueue(const Arrival& arrival, TimePoint) {
  Queue& queue = queues_[std::min<std::size_t>(arrival.priority, queues_.size() - 1)];
  const bool clp = (arrival.header & 1) != 0;
  if (queue.size >= options_.cells_max || (clp && queue.size >= options_.clp1_cells_max))
    return false;
  if (queue.cells.empty()) {
    queue.cells.resize(options_.cells_max);
    queue.from.resize(options_.cells_max);
  }
  std::size_t place = queue.begin + queue.size;
  if (place >= options_.cells_max) place -= options_.cells_max;
  queue.cells[place].header = arrival.header;
  queue.cells[place].payload = arrival.payload;
  queue.from[place] = arrival.from;
  ++queue.size;
  ++size_;
  return true;
}

std::size_t FifoQueueing::dequeue(std::span<Cell> cells, std::span<ConnectionRef> from, TimePoint) {
  std::size_t taken = 0;
  for (Queue& queue : queues_) {
    while (taken < cells.size() && queue.size > 0) {
      // Up to the end of the ring buffer.
      const std::size_t part =
          std::min({cells.size() - taken, queue.size, options_.cells_max - queue.begin});
      std::copy_n(queue.cells.data() + queue.begin, part, cells.data() + taken);
      std::copy_n(queue.from.data() + queue.begin, part, from.data() + taken);
      taken += part;
      queue.begin += part;
      if (queue.begin == options_.cells_max) queue.begin = 0;
      queue.size -= part;
    }
  }
  size_ -= taken;
  return taken;
}

std::size_t FifoQueueing::drop_all() {
  const std::size_t dropped = size_;
  for (Queue& queue : queues_) queue.size = 0;
  size_ = 0;
  return dropped;
}

}  // namespace xbind::dataplane
