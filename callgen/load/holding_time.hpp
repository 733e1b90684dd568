// How long each call lasts once it is connected. Call k of a seed always gets the k-th time,
// connected or not.
#pragma once

#include <cmath>
#include <cstdint>

#include "callgen/random.hpp"
#include "core/check.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

enum class HoldDistribution : std::uint8_t {
  kConstant,
  kExponential,  // as telephone calls: how long it has lasted says nothing about how long it will
};

class HoldingTime {
 public:
  static constexpr Duration kLongest = std::chrono::hours{24 * 365};

  // 0 <= mean <= kLongest / 64, so that no draw is cut short.
  HoldingTime(HoldDistribution distribution, Duration mean, std::uint64_t seed)
      : distribution_(distribution), mean_(mean), bits_(bits_for(seed, Stream::kHolding)) {
    XB_CHECK(mean >= Duration::zero() && mean <= kLongest / 64, mean.count());
  }

  Duration next() {
    if (distribution_ == HoldDistribution::kConstant) return mean_;
    return Duration{std::llround(exponential(bits_, static_cast<double>(mean_.count())))};
  }

 private:
  HoldDistribution distribution_;
  Duration mean_;
  RandomBits bits_;
};

}  // namespace xbind::callgen
