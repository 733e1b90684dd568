// Tests whether the gaps between arrivals are those of independent callers: the one-sample
// Kolmogorov-Smirnov test against the exponential distribution of the requested rate, in constant
// memory. Each gap g is converted to u = 1 - exp(-rate g), which is uniform if the gaps are
// exponential, and counted in one of kCells cells. The greatest distance is evaluated at the edges
// of cells only, so it is at most 1/kCells too small.
//
// A value type; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/clock.hpp"

namespace xbind::callgen {

class ArrivalFit {
 public:
  static constexpr std::size_t kCells = 1000;

  // rate > 0, in arrivals per second; counts start at zero.
  explicit ArrivalFit(double rate = 1) : rate_(rate) {}

  // Adds the next arrival, as time since the start of the run; the first gap counts from there.
  void arrive(Duration when);

  std::uint64_t gaps() const { return gaps_; }
  double mean_s() const;
  double variation() const;  // standard deviation / mean; 0 without gaps
  double distance() const;   // Kolmogorov-Smirnov distance; 0 without gaps
  Duration last() const { return last_; }

 private:
  double rate_;
  std::array<std::uint32_t, kCells> cells_{};
  std::uint64_t gaps_ = 0;
  Duration last_{};
  double mean_s_ = 0;
  double squares_ = 0;
};

// The distance that exponential gaps exceed once in a thousand runs, for at least 50 gaps.
double ks_limit(std::uint64_t gaps);

}  // namespace xbind::callgen
