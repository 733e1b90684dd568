// A run's series in longer pieces of equal length: batches for a comparison, windows for a trend. Pieces that
// are not whole are left out: the last, in which the plan ended, and the drain after it.
#pragma once

#include <cstddef>
#include <vector>

#include "callgen/statistics/series.hpp"

namespace xbind::callgen {

struct Window {
  double begin_s = 0;
  double length_s = 0;
  Series::Row row;  // what its intervals add up to

  double middle_s() const { return begin_s + length_s / 2; }
  double operations_per_s() const;  // connected and released
  double mean_us() const;           // of connected calls, to a bucket; 0 when there was none
};

// From the first interval at or after `from_s`; at most `most` windows (at least one), each of as many
// intervals as it takes, those left over at the end not among them.
std::vector<Window> windows_of(const Series& series, double from_s, std::size_t most);

}  // namespace xbind::callgen
