#include "dataplane/fifo_queueing.hpp"

#include <algorithm>

namespace xbind::dataplane {

FifoQueueing::FifoQueueing(const FifoOptions& options)
    : buffer_(options.priorities, options.cells_max, options.clp1_cells_max) {}

std::optional<ConnectionRef> FifoQueueing::enqueue(const Arrival& arrival, TimePoint) {
  return buffer_.put(std::min<std::size_t>(arrival.priority, buffer_.queues() - 1), arrival);
}

std::size_t FifoQueueing::dequeue(std::span<Cell> cells, std::span<ConnectionRef> from, TimePoint) {
  std::size_t taken = 0;
  for (std::size_t queue = 0; queue < buffer_.queues() && taken < cells.size(); ++queue)
    taken += buffer_.take(queue, cells.subspan(taken), from.subspan(taken));
  return taken;
}

}  // namespace xbind::dataplane
