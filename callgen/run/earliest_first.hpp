// A queue of things to come, the earliest first: a heap in which everything has four children. It is half as
// high as one of two, and what is compared lies together.
//
// `Thing` is small and copied; `one.before(other)` orders all that are ever in here at a time, no two alike.
// One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace xbind::callgen {

template <class Thing>
class EarliestFirst {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Thing& top() const { return heap_.front(); }  // not empty
  void clear() { heap_.clear(); }

  void push(const Thing& thing) {
    heap_.push_back(thing);
    rise(heap_.size() - 1, thing);
  }

  // Not empty.
  void pop() {
    const Thing last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
    // The gap at the top sinks to the bottom, where the last one belongs in most cases.
    const std::size_t size = heap_.size();
    std::size_t gap = 0;
    Thing* const all = heap_.data();
    std::size_t first = 1;
    for (; first + 4 <= size; first = 4 * gap + 1) {
      const Thing* const child = all + first;
      const Thing* const one = child[1].before(child[0]) ? child + 1 : child;
      const Thing* const other = child[3].before(child[2]) ? child + 3 : child + 2;
      const Thing* const least = other->before(*one) ? other : one;
      all[gap] = *least;
      gap = static_cast<std::size_t>(least - all);
    }
    if (first < size) {  // less than four, which have no children
      const Thing* const least =
          std::min_element(all + first, all + size,
                           [](const Thing& one, const Thing& other) { return one.before(other); });
      all[gap] = *least;
      gap = static_cast<std::size_t>(least - all);
    }
    rise(gap, last);
  }

 private:
  void rise(std::size_t gap, const Thing& thing) {
    while (gap > 0) {
      const std::size_t parent = (gap - 1) / 4;
      if (!thing.before(heap_[parent])) break;
      heap_[gap] = heap_[parent];
      gap = parent;
    }
    heap_[gap] = thing;
  }

  std::vector<Thing> heap_;
};

}  // namespace xbind::callgen
