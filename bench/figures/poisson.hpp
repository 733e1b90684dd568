// Distributions of whole numbers and the distance of two of them; a linear fit. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace xbind::figures {

// [n]: P(N = n).
using Distribution = std::vector<double>;

// n = 0 .. size - 1 of a Poisson distribution with that mean, 0 or more; the rest is cut off.
Distribution poisson(double mean, std::size_t size);
// Fractions of their sum; empty when the sum is zero.
Distribution shares(const std::vector<std::uint64_t>& counts);
double mean_of(const Distribution& distribution);
double variance_of(const Distribution& distribution);
// P(N < n).
double below(const Distribution& distribution, std::size_t n);

// Half the sum of |a - b|, 0 (equal) to 1. The mass that a distribution of finite size lacks to 1
// counts as lying beyond the other's end.
double total_variation(const Distribution& a, const Distribution& b);
// The distance of Kolmogorov and Smirnov: the greatest difference of P(N <= n).
double greatest_difference(const Distribution& a, const Distribution& b);

// y = a u + b v by least squares over rows of equal weight; nothing if the rows do not determine
// both a and b.
struct Row {
  double u = 0;
  double v = 0;
  double y = 0;
};
struct Plane {
  double a = 0;
  double b = 0;
  double greatest_error = 0;  // |y - fit| / y over all rows with y > 0
};
std::optional<Plane> fit_plane(const std::vector<Row>& rows);

}  // namespace xbind::figures
