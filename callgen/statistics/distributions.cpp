#include "callgen/statistics/distributions.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "core/check.hpp"

namespace xbind::callgen {
namespace {

using boost::math::binomial;

// The greatest k of which P(N <= k) is at most `tail`, for N binomial; nothing when P(N = 0) is
// above it.
std::optional<std::uint64_t> tail_end(const binomial& distribution, double tail) {
  if (cdf(distribution, 0) > tail) return std::nullopt;
  // Boost rounds quantiles outwards, which is down here, except that it never goes below zero.
  auto k = static_cast<std::uint64_t>(quantile(distribution, tail));
  while (k > 0 && cdf(distribution, static_cast<double>(k)) > tail) --k;
  while (cdf(distribution, static_cast<double>(k + 1)) <= tail) ++k;
  return k;
}

}  // namespace

double student_half_width(double degrees, double confidence) {
  XB_CHECK(degrees > 0 && confidence > 0 && confidence < 1);
  return quantile(complement(boost::math::students_t(degrees), (1 - confidence) / 2));
}

std::optional<Ranks> quantile_ranks(std::uint64_t count, double share, double confidence) {
  XB_CHECK(share > 0 && share < 1 && confidence > 0 && confidence < 1);
  if (count == 0) return std::nullopt;
  const auto trials = static_cast<double>(count);
  const double tail = (1 - confidence) / 2;
  // How many values lie below the quantile, and how many above it.
  const binomial below(trials, share);
  const binomial above(trials, 1 - share);
  const auto low = tail_end(below, tail);
  const auto high = tail_end(above, tail);
  if (!low || !high) return std::nullopt;
  return Ranks{*low + 1, count - *high,
               1 - cdf(below, static_cast<double>(*low)) - cdf(above, static_cast<double>(*high))};
}

}  // namespace xbind::callgen
