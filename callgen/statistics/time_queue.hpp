// Moments that are told nearly in order, and taken out in order: a ring to whose end a moment is put, and
// moved forward past those that are later. One that is told in order costs a few instructions; one that is
// late costs as many steps as there are later ones waiting.
//
// A value type; one thread at a time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/clock.hpp"

namespace xbind::callgen {

class TimeQueue {
 public:
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return end_ == begin_; }
  // The earliest; Duration::max() when there is none.
  Duration front() const { return empty() ? Duration::max() : ring_[begin_ & mask_]; }
  void pop() { ++begin_; }  // not empty

  void push(Duration when) {
    if (size() == ring_.size()) grow();
    std::size_t at = end_++;
    for (; at != begin_ && ring_[(at - 1) & mask_] > when; --at)
      ring_[at & mask_] = ring_[(at - 1) & mask_];
    ring_[at & mask_] = when;
  }

 private:
  void grow() {
    std::vector<Duration> larger(ring_.empty() ? 64 : 2 * ring_.size());
    const std::size_t waiting = size();
    for (std::size_t i = 0; i < waiting; ++i) larger[i] = ring_[(begin_ + i) & mask_];
    ring_ = std::move(larger);
    mask_ = ring_.size() - 1;
    begin_ = 0;
    end_ = waiting;
  }

  std::vector<Duration> ring_;  // a power of two of them, or none
  std::size_t mask_ = 0;
  // They only grow; a place in the ring is what the mask leaves of them.
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace xbind::callgen
