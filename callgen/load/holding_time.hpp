// How long each call lasts once it is connected. With one seed, call k always gets the k-th time,
// whether or not it connects.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "callgen/load/random.hpp"
#include "core/check.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

enum class HoldDistribution : std::uint8_t {
  kConstant,
  kExponential,  // as telephone calls: memoryless
  kLognormal,    // as measured calls: most are short, a few very long
};
constexpr std::string_view to_string(HoldDistribution distribution) {
  switch (distribution) {
    case HoldDistribution::kConstant: return "constant";
    case HoldDistribution::kExponential: return "exponential";
    case HoldDistribution::kLognormal: return "lognormal";
  }
  return "unknown";
}

class HoldingTime {
 public:
  static constexpr Duration kLongest = std::chrono::hours{24 * 365};

  // Whether every draw is at most kLongest, so that none is ever cut short.
  static bool fits(HoldDistribution distribution, Duration mean, double sigma) {
    if (mean < Duration::zero()) return false;
    const auto longest_ns = static_cast<double>(kLongest.count());
    const auto mean_ns = static_cast<double>(mean.count());
    if (distribution == HoldDistribution::kLognormal)
      return sigma >= 0 && mean_ns * factor(sigma, kNormalMost) <= longest_ns;
    return mean_ns <= longest_ns / 64;  // exponential() is at most 37 times its mean
  }

  // `sigma`: the standard deviation of the logarithm of a lognormal holding time. Its mean is
  // chosen so that the holding times have the mean `mean`. fits() must be true.
  HoldingTime(HoldDistribution distribution, Duration mean, std::uint64_t seed, double sigma = 1)
      : distribution_(distribution),
        mean_(mean),
        sigma_(sigma),
        bits_(bits_for(seed, Stream::kHolding)) {
    XB_CHECK(fits(distribution, mean, sigma), mean.count(), sigma);
  }

  Duration next() {
    const auto mean_ns = static_cast<double>(mean_.count());
    switch (distribution_) {
      case HoldDistribution::kConstant: break;
      case HoldDistribution::kExponential:
        return Duration{std::llround(exponential(bits_, mean_ns))};
      case HoldDistribution::kLognormal:
        return Duration{std::llround(mean_ns * factor(sigma_, standard_normal(bits_)))};
    }
    return mean_;
  }

 private:
  // exp(mu + sigma z) with mu = -sigma^2 / 2; its mean over all z is 1.
  static double factor(double sigma, double normal) {
    return std::exp(sigma * normal - sigma * sigma / 2);
  }

  HoldDistribution distribution_;
  Duration mean_;
  double sigma_;
  RandomBits bits_;
};

}  // namespace xbind::callgen
