#include "dataplane/port_buffer.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace xbind::dataplane {

PortBuffer::PortBuffer(std::size_t queues, std::size_t cells_max,
                       std::optional<std::size_t> clp1_cells_max)
    : queues_(queues) {
  XB_CHECK(queues >= 1, queues);
  set_cells_max(cells_max, clp1_cells_max);
}

void PortBuffer::set_cells_max(std::size_t cells_max, std::optional<std::size_t> clp1_cells_max) {
  XB_CHECK(cells_max >= 1, cells_max);
  cells_max_ = cells_max;
  clp1_cells_max_ = clp1_cells_max.value_or(cells_max - cells_max / 4);
}

bool PortBuffer::too_full_for_clp(std::size_t queue) const {
  if (size_ < clp1_cells_max_) return false;
  std::size_t cells = 0;
  for (std::size_t one = 0; one <= queue; ++one) cells += queues_[one].size();
  return cells >= clp1_cells_max_;
}

PortBuffer::Queue* PortBuffer::worse_than(std::size_t queue) {
  for (std::size_t one = queues_.size() - 1; one > queue; --one) {
    if (!queues_[one].empty()) return &queues_[one];
  }
  return nullptr;
}

std::optional<ConnectionRef> PortBuffer::put(std::size_t queue, const Arrival& arrival) {
  const bool clp = (arrival.header & 1) != 0;
  if (clp && too_full_for_clp(queue)) return arrival.from;
  std::optional<ConnectionRef> lost;
  if (size_ >= cells_max_) {
    Queue* const worse = worse_than(queue);
    if (worse == nullptr) return arrival.from;
    lost = worse->back().from;
    worse->pop_back();
    --size_;
  }
  Waiting& last = queues_[queue].emplace_back();
  last.cell.header = arrival.header;
  last.cell.payload = arrival.payload;
  last.from = arrival.from;
  ++size_;
  return lost;
}

std::size_t PortBuffer::take(std::size_t number, std::span<Cell> cells,
                             std::span<ConnectionRef> from) {
  Queue& queue = queues_[number];
  const std::size_t count = std::min(cells.size(), queue.size());
  if (count == 0) return 0;
  auto waiting = queue.begin();
  for (std::size_t at = 0; at < count; ++at, ++waiting) {
    cells[at] = waiting->cell;
    from[at] = waiting->from;
  }
  queue.erase(queue.begin(), waiting);
  size_ -= count;
  return count;
}

void PortBuffer::drop_all(const std::function<void(ConnectionRef)>& lost) {
  for (Queue& queue : queues_) {
    if (queue.empty()) continue;  // Boost's clear() adds to the null pointer of a new deque
    for (const Waiting& waiting : queue) lost(waiting.from);
    queue.clear();
  }
  size_ = 0;
}

}  // namespace xbind::dataplane
