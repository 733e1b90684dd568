// Random numbers from one seed: a separate stream for every purpose, and own distributions, because
// those of the standard library differ between libraries. The raw output of mt19937_64 does not.
//
// The streams are independent: drawing another holding time does not move any arrival.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "core/check.hpp"

namespace xbind::callgen {

using RandomBits = std::mt19937_64;

// The numbers are part of the meaning of a seed: add at the end, never reuse one.
enum class Stream : std::uint64_t {
  kArrivals = 1,
  kHolding = 2,
  kWorkload = 3,
  kMedia = 4,
  kBursts = 5,
  kScenario = 6,
  kPriority = 7,
  kLeaves = 8,
  kRepeat = 9,
  kGravity = 10,
  kClasses = 11,
};

// Scrambles 64 bits so that neighbouring inputs give unrelated outputs (SplitMix64's output
// function).
constexpr std::uint64_t splitmix64(std::uint64_t input) {
  std::uint64_t mixed = input + 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

inline RandomBits bits_for(std::uint64_t seed, Stream stream) {
  return RandomBits(splitmix64(splitmix64(seed) ^ static_cast<std::uint64_t>(stream)));
}

// In (0, 1], a multiple of 2^-53. Never zero, so that its logarithm exists.
inline double unit_interval(RandomBits& bits) {
  return static_cast<double>((bits() >> 11) + 1) * 0x1p-53;
}

// At most 53 ln 2, about 37, times the mean.
inline double exponential(RandomBits& bits, double mean) {
  return -mean * std::log(unit_interval(bits));
}

// The normal distribution with mean 0 and deviation 1, by Box and Muller: two uniform draws give
// one value; the second one is discarded. At most kNormalMost away from 0.
inline constexpr double kNormalMost = 8.6;  // sqrt(2 * 53 ln 2) is 8.572
inline double standard_normal(RandomBits& bits) {
  constexpr double kTwoPi = 6.283185307179586476925;
  const double radius = std::sqrt(-2 * std::log(unit_interval(bits)));
  return radius * std::cos(kTwoPi * unit_interval(bits));
}

// Uniform in [0, bound), bound > 0. Draws again where a plain remainder would favour small numbers.
inline std::uint64_t below(RandomBits& bits, std::uint64_t bound) {
  XB_CHECK(bound > 0);
  for (;;) {
    const std::uint64_t drawn = bits();
    // Below 2^64 mod bound. That value is below the bound, so it rarely needs to be computed.
    const bool unfair = drawn < bound && drawn < -bound % bound;
    if (!unfair) return drawn % bound;
  }
}

}  // namespace xbind::callgen
