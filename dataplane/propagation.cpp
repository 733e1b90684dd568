#include "dataplane/propagation.hpp"

#include <array>

namespace xbind::dataplane {

std::size_t Propagation::receive(Link& line, std::span<Cell> cells, TimePoint now) {
  std::array<Cell, 64> arrived;
  for (std::size_t taken = 0; taken < kTakenMax;) {
    const std::size_t got = line.receive(arrived);
    for (const Cell& cell : std::span(arrived).first(got)) {
      if (held_.size() == cells_max_) {
        ++lost_;
      } else {
        held_.push_back({now + delay_, cell});
      }
    }
    taken += got;
    if (got < arrived.size()) break;
  }
  std::size_t count = 0;
  while (count < cells.size() && !held_.empty() && held_.front().due <= now) {
    cells[count++] = held_.front().cell;
    held_.pop_front();
  }
  return count;
}

}  // namespace xbind::dataplane
