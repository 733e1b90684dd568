#include "bench/search/windows.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace xbind::callgen {
double Window::operations_per_s() const {
  return static_cast<double>(row.connected + row.released) / length_s;
}

double Window::mean_us() const {
  double sum_us = 0;
  double count = 0;
  for (const auto& [highest, calls] : row.latency) {
    sum_us += static_cast<double>(highest.count()) / 1000 * calls;
    count += calls;
  }
  return count > 0 ? sum_us / count : 0;
}

std::vector<Window> windows_of(const Series& series, double from_s, std::size_t most) {
  XB_CHECK(most > 0);
  const double interval_s = std::chrono::duration<double>(series.interval()).count();
  const auto& rows = series.rows();
  std::size_t end = rows.size();
  while (end > 0 && rows[end - 1].planned == 0) --end;
  if (end > 0) --end;  // the plan ended in it
  std::size_t begin = 0;
  while (begin < end && interval_s * static_cast<double>(begin) < from_s) ++begin;
  const std::size_t each = std::max<std::size_t>(1, (end - begin + most - 1) / most);
  std::vector<Window> windows;
  for (; begin + each <= end; begin += each) {
    Window window{.begin_s = interval_s * static_cast<double>(begin),
                  .length_s = interval_s * static_cast<double>(each),
                  .row = {}};
    for (std::size_t i = begin; i < begin + each; ++i) window.row += rows[i];
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace xbind::callgen
