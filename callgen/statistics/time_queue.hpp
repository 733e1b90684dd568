// Times that are added nearly in order and removed in order: a ring. A time is appended and moved
// forward past later ones. A time in order costs a few instructions; a late one costs as many steps
// as later ones are waiting.
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
  // The earliest; Duration::max() if empty.
  Duration front() const { return empty() ? Duration::max() : ring_[begin_ & mask_]; }
  void pop() { ++begin_; }  // must not be empty

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

  std::vector<Duration> ring_;  // size: a power of two, or 0
  std::size_t mask_ = 0;
  // They only grow; the mask maps them to places in the ring.
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace xbind::callgen
