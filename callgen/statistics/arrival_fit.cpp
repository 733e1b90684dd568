#include "callgen/statistics/arrival_fit.hpp"

#include <algorithm>
#include <cmath>

namespace xbind::callgen {

void ArrivalFit::arrive(Duration when) {
  const double gap_s = std::chrono::duration<double>(when - last_).count();
  last_ = when;
  const double u = -std::expm1(-rate_ * std::max(0.0, gap_s));
  ++cells_[std::min(kCells - 1, static_cast<std::size_t>(u * kCells))];
  ++gaps_;
  const double off = gap_s - mean_s_;
  mean_s_ += off / static_cast<double>(gaps_);
  squares_ += off * (gap_s - mean_s_);
}

double ArrivalFit::mean_s() const { return mean_s_; }

double ArrivalFit::variation() const {
  if (gaps_ == 0 || mean_s_ <= 0) return 0;
  return std::sqrt(squares_ / static_cast<double>(gaps_)) / mean_s_;
}

double ArrivalFit::distance() const {
  if (gaps_ == 0) return 0;
  double distance = 0;
  std::uint64_t below = 0;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    below += cells_[cell];
    const double seen = static_cast<double>(below) / static_cast<double>(gaps_);
    const double expected = static_cast<double>(cell + 1) / kCells;
    distance = std::max(distance, std::abs(seen - expected));
  }
  return distance;
}

double ks_limit(std::uint64_t gaps) { return 1.9495 / std::sqrt(static_cast<double>(gaps)); }

}  // namespace xbind::callgen
