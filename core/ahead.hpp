// What a batch names is spread over tables that the processor's caches do not hold. A loop over the batch that asks
// for what its later items need while it works on an earlier one waits for several answers at a time, not for
// one after the other. Asking changes nothing: what is not there is not asked for.
#pragma once

#include <cstddef>
#include <utility>

namespace xbind {

// Two looks ahead, in items: what the first brings in says where the second is to look.
inline constexpr std::size_t kFarAhead = 8;
inline constexpr std::size_t kAhead = 4;

// For a loop over `items`, which has operator[] and outlives it.
template <class Items, class AskFar, class Ask>
class Ahead {
 public:
  Ahead(const Items& items, AskFar ask_far, Ask ask)
      : items_(items), ask_far_(std::move(ask_far)), ask_(std::move(ask)) {}

  // Item `at` is next, in ascending order. The first ones are asked for together.
  void step_to(std::size_t at) {
    const std::size_t size = items_.size();
    for (; far_ < size && far_ <= at + kFarAhead; ++far_) ask_far_(items_[far_]);
    for (; near_ < size && near_ <= at + kAhead; ++near_) ask_(items_[near_]);
  }

 private:
  const Items& items_;
  AskFar ask_far_;
  Ask ask_;
  std::size_t far_ = 0;  // the first that has not been asked for
  std::size_t near_ = 0;
};

template <class Items, class AskFar, class Ask, class Handle>
void for_each_ahead(const Items& items, AskFar ask_far, Ask ask, Handle handle) {
  Ahead ahead(items, std::move(ask_far), std::move(ask));
  for (std::size_t i = 0; i < items.size(); ++i) {
    ahead.step_to(i);
    handle(items[i]);
  }
}

}  // namespace xbind
