// Distributions of whole numbers, and how far two of them are apart; a straight-line fit. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace xbind::figures {

// [n]: P(N = n).
using Distribution = std::vector<double>;

// n = 0 .. size - 1 of Poisson's law with that mean, 0 or more. What lies beyond is left out.
Distribution poisson(double mean, std::size_t size);
// Shares of their sum; empty when there is nothing.
Distribution shares(const std::vector<std::uint64_t>& counts);
double mean_of(const Distribution& distribution);
double variance_of(const Distribution& distribution);
// P(N < n).
double below(const Distribution& distribution, std::size_t n);

// Half the sum of |a - b|, 0 (the same) to 1; what a distribution of finite size lacks to 1 counts as
// lying beyond the other's end.
double total_variation(const Distribution& a, const Distribution& b);
// Kolmogorov and Smirnov's: the greatest difference of P(N <= n).
double greatest_difference(const Distribution& a, const Distribution& b);

// y = a u + b v by least squares over rows with weight 1; nothing if the rows do not tell a from b.
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
