// Groups a run's series into longer pieces of equal length: batches for a comparison, windows for a
// trend. Incomplete pieces are left out: the last, in which the plan ended, and the drain after it.
#pragma once

#include <cstddef>
#include <vector>

#include "callgen/statistics/series.hpp"

namespace xbind::callgen {

struct Window {
  double begin_s = 0;
  double length_s = 0;
  Series::Row row;  // the sum of its intervals

  double middle_s() const { return begin_s + length_s / 2; }
  double operations_per_s() const;  // connected and released calls
  double mean_us() const;           // of connected calls, to a bucket; 0 when there was none
};

// Windows from the first interval at or after `from_s`; at most `most` of them (at least one), each
// of equally many intervals. Intervals left over at the end are dropped.
std::vector<Window> windows_of(const Series& series, double from_s, std::size_t most);

}  // namespace xbind::callgen
