#include "bench/figures/poisson.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace xbind::figures {
namespace {

double at(const Distribution& distribution, std::size_t n) {
  return n < distribution.size() ? distribution[n] : 0;
}

double beyond(const Distribution& distribution) {
  return std::max(0.0, 1 - std::accumulate(distribution.begin(), distribution.end(), 0.0));
}

}  // namespace

Distribution poisson(double mean, std::size_t size) {
  Distribution law(size);
  for (std::size_t n = 0; n < size; ++n) {
    const auto count = static_cast<double>(n);
    // In logarithms, because the factorial and the power overflow for large n.
    law[n] = mean > 0 ? std::exp(count * std::log(mean) - mean - std::lgamma(count + 1))
                      : (n == 0 ? 1.0 : 0.0);
  }
  return law;
}

Distribution shares(const std::vector<std::uint64_t>& counts) {
  const auto sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (sum == 0) return {};
  Distribution distribution;
  distribution.reserve(counts.size());
  for (const std::uint64_t count : counts) {
    distribution.push_back(static_cast<double>(count) / static_cast<double>(sum));
  }
  return distribution;
}

double mean_of(const Distribution& distribution) {
  double mean = 0;
  for (std::size_t n = 0; n < distribution.size(); ++n) {
    mean += static_cast<double>(n) * distribution[n];
  }
  return mean;
}

double variance_of(const Distribution& distribution) {
  const double mean = mean_of(distribution);
  double variance = 0;
  for (std::size_t n = 0; n < distribution.size(); ++n) {
    const double off = static_cast<double>(n) - mean;
    variance += off * off * distribution[n];
  }
  return variance;
}

double below(const Distribution& distribution, std::size_t n) {
  const auto end =
      distribution.begin() + static_cast<std::ptrdiff_t>(std::min(n, distribution.size()));
  return std::accumulate(distribution.begin(), end, 0.0);
}

double total_variation(const Distribution& a, const Distribution& b) {
  double sum = std::abs(beyond(a) - beyond(b));
  for (std::size_t n = 0; n < std::max(a.size(), b.size()); ++n)
    sum += std::abs(at(a, n) - at(b, n));
  return sum / 2;
}

double greatest_difference(const Distribution& a, const Distribution& b) {
  double up_to_a = 0;
  double up_to_b = 0;
  double greatest = 0;
  for (std::size_t n = 0; n < std::max(a.size(), b.size()); ++n) {
    up_to_a += at(a, n);
    up_to_b += at(b, n);
    greatest = std::max(greatest, std::abs(up_to_a - up_to_b));
  }
  return greatest;
}

std::optional<Plane> fit_plane(const std::vector<Row>& rows) {
  double uu = 0;
  double uv = 0;
  double vv = 0;
  double uy = 0;
  double vy = 0;
  for (const Row& row : rows) {
    uu += row.u * row.u;
    uv += row.u * row.v;
    vv += row.v * row.v;
    uy += row.u * row.y;
    vy += row.v * row.y;
  }
  const double determinant = uu * vv - uv * uv;
  if (!(determinant > 1e-12 * uu * vv)) return std::nullopt;
  Plane plane{(uy * vv - vy * uv) / determinant, (vy * uu - uy * uv) / determinant, 0};
  for (const Row& row : rows) {
    if (row.y <= 0) continue;
    const double off = std::abs(row.y - plane.a * row.u - plane.b * row.v) / row.y;
    plane.greatest_error = std::max(plane.greatest_error, off);
  }
  return plane;
}

}  // namespace xbind::figures
