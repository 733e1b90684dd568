// What a connection takes from an output port: bandwidth and buffer, always together.
#pragma once

#include <compare>
#include <cstdint>

namespace xbind {

struct Resources {
  std::uint64_t cells_per_s = 0;   // 53-octet cells a second, at the peak the contract admits
  std::uint64_t buffer_cells = 0;  // cells of the output port's buffer

  Resources& operator+=(Resources other) {
    cells_per_s += other.cells_per_s;
    buffer_cells += other.buffer_cells;
    return *this;
  }
  // The caller has checked that nothing goes below zero (fits_within).
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

}  // namespace xbind
