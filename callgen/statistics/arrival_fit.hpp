// Do the gaps between arrivals look like those of independent callers? The one-sample Kolmogorov-Smirnov
// test against the exponential distribution of the asked rate, in memory that does not grow: each gap g is
// turned into u = 1 - exp(-rate g), which is uniform when the gaps are exponential, and counted in one of
// kCells cells. The greatest distance is looked for at the cells' edges alone, so it comes out at most
// 1/kCells too small.
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

  // rate > 0, in arrivals a second; counts afresh.
  explicit ArrivalFit(double rate = 1) : rate_(rate) {}

  // The next arrival, from the start of the run; the first gap counts from there.
  void arrive(Duration when);

  std::uint64_t gaps() const { return gaps_; }
  double mean_s() const;
  double variation() const;  // standard deviation / mean; 0 without gaps
  double distance() const;   // D of Kolmogorov and Smirnov; 0 without gaps
  Duration last() const { return last_; }

 private:
  double rate_;
  std::array<std::uint32_t, kCells> cells_{};
  std::uint64_t gaps_ = 0;
  Duration last_{};
  double mean_s_ = 0;
  double squares_ = 0;
};

// D that gaps of the right kind exceed once in a thousand runs, for at least 50 gaps.
double ks_limit(std::uint64_t gaps);

}  // namespace xbind::callgen
