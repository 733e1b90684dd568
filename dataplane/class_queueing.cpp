#include "dataplane/class_queueing.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace xbind::dataplane {

ClassQueueing::ClassQueueing(const ClassQueueingOptions& options)
    : buffer_(kServiceClasses, options.cells_max),
      weights_(options.weights),
      left_(weights_[turn_]) {
  for (const std::uint32_t weight : weights_) XB_CHECK(weight >= 1, weight);
}

std::optional<ConnectionRef> ClassQueueing::enqueue(const Arrival& arrival, TimePoint) {
  return buffer_.put(static_cast<std::size_t>(arrival.service), arrival);
}

void ClassQueueing::end_turn() {
  turn_ = turn_ + 1 < kServiceClasses ? turn_ + 1 : kFirstWeighted;
  left_ = weights_[turn_];
}

std::size_t ClassQueueing::dequeue(std::span<Cell> cells, std::span<ConnectionRef> from,
                                   TimePoint) {
  std::size_t taken = 0;
  for (std::size_t one = 0; one < kFirstWeighted; ++one)
    taken += buffer_.take(one, cells.subspan(taken), from.subspan(taken));
  std::size_t empty = 0;  // classes without a cell, in a row
  while (taken < cells.size() && empty < kServiceClasses - kFirstWeighted) {
    const std::size_t wanted = std::min<std::size_t>(cells.size() - taken, left_);
    const std::size_t count =
        buffer_.take(turn_, cells.subspan(taken, wanted), from.subspan(taken, wanted));
    taken += count;
    left_ -= static_cast<std::uint32_t>(count);
    empty = count == 0 ? empty + 1 : 0;
    // A class without cells saves nothing for later.
    if (left_ == 0 || buffer_.size(turn_) == 0) end_turn();
  }
  return taken;
}

}  // namespace xbind::dataplane
