// The FIFO queue of a client's unsent batches, in one array. Usually a batch is pushed and taken
// within the same step, which then costs no allocation.
//
// Pure; owned by a Requester, one thread at a time.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "core/call.hpp"

namespace xbind::client {

class BatchQueue {
 public:
  bool empty() const { return first_ == batches_.size(); }
  // Requires !empty().
  RequestBatch& back() { return batches_.back(); }

  void push_back(RequestBatch&& batch) { batches_.push_back(std::move(batch)); }
  // Inserts the batches before all others and keeps their order.
  void push_front(std::vector<RequestBatch>&& batches) {
    drop_taken();
    batches_.insert(batches_.begin(), std::make_move_iterator(batches.begin()),
                    std::make_move_iterator(batches.end()));
  }
  // Requires !empty().
  RequestBatch take_front() {
    RequestBatch front = std::move(batches_[first_++]);
    // Amortised: at most as many batches are moved now as have been taken since the last move.
    if (2 * first_ >= batches_.size()) drop_taken();
    return front;
  }
  void clear() {
    batches_.clear();
    first_ = 0;
  }

 private:
  void drop_taken() {
    batches_.erase(batches_.begin(), batches_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

  std::vector<RequestBatch> batches_;
  std::size_t first_ = 0;  // batches before it have been taken
};

}  // namespace xbind::client
