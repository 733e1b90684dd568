// The propagation delay of a line: each cell arrives a fixed time after it was sent.
//
// Real lines between two processes of a host take microseconds. This holds the cells that such a
// line has delivered until its propagation delay has passed, so that they arrive in order and as
// late as over the distance that the line stands for. Each end holds what it receives: a cell that
// goes there and back takes twice the delay.
//
// Pure; the caller passes the time. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "core/clock.hpp"
#include "dataplane/cells/cell.hpp"
#include "dataplane/links/link.hpp"

namespace xbind::dataplane {

class Propagation {
 public:
  // Holds at most `cells_max` cells, 1 or more; the line loses cells that arrive beyond.
  Propagation(Duration delay, std::size_t cells_max) : delay_(delay), cells_max_(cells_max) {}

  // Takes what `line` has received by `now`, at most kTakenMax cells; then returns cells whose time
  // has come, up to the size of `cells`. `now` never goes back.
  std::size_t receive(Link& line, std::span<Cell> cells, TimePoint now);
  // When the next held cell arrives; kNever: none is held.
  TimePoint next() const { return held_.empty() ? kNever : held_.front().due; }

  std::size_t held() const { return held_.size(); }
  std::uint64_t lost() const { return lost_; }

  static constexpr std::size_t kTakenMax = 512;  // so that a full line does not hold its thread

 private:
  struct Held {
    TimePoint due;
    Cell cell;
  };

  Duration delay_;
  std::size_t cells_max_;
  std::deque<Held> held_;
  std::uint64_t lost_ = 0;
};

// Twice the cells that a line of this rate has in flight, and room for a burst.
constexpr std::size_t propagation_cells(std::uint64_t cells_per_s, Duration delay) {
  constexpr std::uint64_t kBurst = 4'096;
  const auto us = static_cast<std::uint64_t>(delay.count()) / 1'000;
  return static_cast<std::size_t>(2 * (cells_per_s * us / 1'000'000) + kBurst);
}

}  // namespace xbind::dataplane
