// The resources that a connection uses at an output port: bandwidth and buffer, always together.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace xbind {

struct Resources {
  std::uint64_t cells_per_s = 0;   // cells (53 octets) a second, the contract's peak
  std::uint64_t buffer_cells = 0;  // cells of the output port's buffer

  Resources& operator+=(Resources other) {
    cells_per_s += other.cells_per_s;
    buffer_cells += other.buffer_cells;
    return *this;
  }
  // The caller has checked fits_within(), so no component becomes negative.
  Resources& operator-=(Resources other) {
    cells_per_s -= other.cells_per_s;
    buffer_cells -= other.buffer_cells;
    return *this;
  }
  bool fits_within(Resources room) const {
    return cells_per_s <= room.cells_per_s && buffer_cells <= room.buffer_cells;
  }
  friend bool operator==(const Resources&, const Resources&) = default;
};

// The greater, or lesser, of each component.
inline Resources greater(const Resources& a, const Resources& b) {
  return {std::max(a.cells_per_s, b.cells_per_s), std::max(a.buffer_cells, b.buffer_cells)};
}
inline Resources lesser(const Resources& a, const Resources& b) {
  return {std::min(a.cells_per_s, b.cells_per_s), std::min(a.buffer_cells, b.buffer_cells)};
}

}  // namespace xbind
