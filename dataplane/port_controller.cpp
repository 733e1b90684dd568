#include "dataplane/port_controller.hpp"

#include <algorithm>

namespace xbind::dataplane {

bool PortController::cross_line(TimePoint now) {
  constexpr std::uint64_t kPsPerNs = 1'000;
  const std::uint64_t ps = arrived_ps_ + line_cell_ps_ % kPsPerNs;
  const TimePoint earliest =
      arrived_ + Duration{static_cast<Duration::rep>(line_cell_ps_ / kPsPerNs + ps / kPsPerNs)};
  if (earliest <= now) {
    arrived_ = now;
    arrived_ps_ = 0;
    return true;
  }
  const auto late_ns = static_cast<std::uint64_t>((earliest - now).count());
  if (late_ns > kLineCellsMax * line_cell_ps_ / kPsPerNs) return false;
  arrived_ = earliest;
  arrived_ps_ = ps % kPsPerNs;
  return true;
}

bool PortController::arrive(const Cell& cell, TimePoint now) {
  if (!cross_line(now)) {
    ++counters_.lost_line;
    return false;
  }
  while (forwarded_ < held_.size() && held_[forwarded_].due <= arrived_) ++forwarded_;
  if (held_.size() - forwarded_ >= profile_.buffer_cells) {
    ++counters_.lost_buffer;
    return false;
  }
  const bool interrupt = arrived_ > last_due_;
  const TimePoint begin = interrupt ? std::max(arrived_, last_due_ + profile_.burst) : last_due_;
  last_due_ = std::max(begin + profile_.cell, last_due_ + profile_.gap);
  held_.push_back({last_due_, interrupt, cell});
  return true;
}

std::size_t PortController::take(std::span<Cell> cells, TimePoint now) {
  std::size_t count = 0;
  while (count < cells.size() && !held_.empty() && held_.front().due <= now) {
    const Held& front = held_.front();
    cells[count++] = front.cell;
    counters_.busy += profile_.cell;
    if (front.interrupt) {
      counters_.busy += profile_.burst;
      ++counters_.interrupts;
    }
    held_.pop_front();
  }
  counters_.forwarded += count;
  forwarded_ -= std::min(forwarded_, count);
  return count;
}

std::size_t PortController::drop_all() {
  const std::size_t count = held_.size();
  held_.clear();
  forwarded_ = 0;
  return count;
}

}  // namespace xbind::dataplane
