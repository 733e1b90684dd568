#include "dataplane/class_queueing.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace xbind::dataplane {
namespace {

FifoQueueing queue_of(const ClassOptions& options) {
  XB_CHECK(options.weight >= 1, options.weight);
  return FifoQueueing(
      {.cells_max = options.cells_max, .clp1_cells_max = options.clp1_cells_max, .priorities = 1});
}

}  // namespace

ClassQueueingOptions class_options(std::size_t cells_max) {
  ClassQueueingOptions options;
  options.fill({.cells_max = cells_max, .clp1_cells_max = cells_max * 3 / 4, .weight = 1});
  options[static_cast<std::size_t>(ServiceClass::kNrtVbr)].weight = 4;
  options[static_cast<std::size_t>(ServiceClass::kAbrGfr)].weight = 2;
  return options;
}

ClassQueueing::ClassQueueing(const ClassQueueingOptions& options)
    : queues_{queue_of(options[0]), queue_of(options[1]), queue_of(options[2]),
              queue_of(options[3]), queue_of(options[4])},
      weights_{options[0].weight, options[1].weight, options[2].weight, options[3].weight,
               options[4].weight},
      left_(weights_[turn_]) {}

bool ClassQueueing::enqueue(const Arrival& arrival, TimePoint now) {
  return queues_[static_cast<std::size_t>(arrival.service)].enqueue(arrival, now);
}

void ClassQueueing::end_turn() {
  turn_ = turn_ + 1 < kServiceClasses ? turn_ + 1 : kFirstWeighted;
  left_ = weights_[turn_];
}

std::size_t ClassQueueing::dequeue(std::span<Cell> cells, std::span<ConnectionRef> from,
                                   TimePoint now) {
  std::size_t taken = 0;
  for (std::size_t one = 0; one < kFirstWeighted; ++one)
    taken += queues_[one].dequeue(cells.subspan(taken), from.subspan(taken), now);
  std::size_t empty = 0;  // classes without a cell, in a row
  while (taken < cells.size() && empty < kServiceClasses - kFirstWeighted) {
    const std::size_t wanted = std::min<std::size_t>(cells.size() - taken, left_);
    const std::size_t count =
        queues_[turn_].dequeue(cells.subspan(taken, wanted), from.subspan(taken, wanted), now);
    taken += count;
    left_ -= static_cast<std::uint32_t>(count);
    empty = count == 0 ? empty + 1 : 0;
    // A class without cells saves nothing for later.
    if (left_ == 0 || queues_[turn_].size() == 0) end_turn();
  }
  return taken;
}

std::size_t ClassQueueing::size() const {
  std::size_t cells = 0;
  for (const FifoQueueing& queue : queues_) cells += queue.size();
  return cells;
}

std::size_t ClassQueueing::drop_all() {
  std::size_t dropped = 0;
  for (FifoQueueing& queue : queues_) dropped += queue.drop_all();
  return dropped;
}

}  // namespace xbind::dataplane
