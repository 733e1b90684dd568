// Quantiles of Student's and of the binomial distribution, as intervals need them. Boost.Math
// computes them; its headers are heavy, so distributions.cpp alone includes them.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>

namespace xbind::callgen {

// Half the width of Student's two-sided interval, in standard errors. degrees > 0, also a fraction;
// 0 < confidence < 1. student_half_width(9, 0.95) is 2.262.
double student_half_width(double degrees, double confidence);

// Two ranks in a sample in ascending order; 1 is the smallest value.
struct Ranks {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  double confidence = 0;  // that the quantile lies between the values of these ranks
};

// The ranks between which the quantile `share` (0.5: the median) of a distribution lies with at
// least `confidence`, by order statistics of `count` independent values, whatever the distribution.
// At most (1 - confidence) / 2 is left out on each side. Nothing when there are too few values:
// a median needs 6 for 95 %.
std::optional<Ranks> quantile_ranks(std::uint64_t count, double share, double confidence);

}  // namespace xbind::callgen
