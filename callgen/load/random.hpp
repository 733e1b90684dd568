// Chance from one seed: a stream of its own for every purpose, and our own distributions (those of
// the standard library differ from one library to the next; the raw output of mt19937_64 does not).
//
// The streams are independent: asking for another holding time does not move a single arrival.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "core/check.hpp"

namespace xbind::callgen {

using RandomBits = std::mt19937_64;

// The numbers are part of what a seed means: add at the end, never reuse one.
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

// In (0, 1], every value a multiple of 2^-53. Never zero, so that its logarithm exists.
inline double unit_interval(RandomBits& bits) {
  return static_cast<double>((bits() >> 11) + 1) * 0x1p-53;
}

// At most 53 ln 2, about 37, times the mean.
inline double exponential(RandomBits& bits, double mean) {
  return -mean * std::log(unit_interval(bits));
}

// The normal distribution of mean 0 and deviation 1, by Box and Muller: two uniform draws make one, the
// second of the pair is not kept. At most kNormalMost away from 0.
inline constexpr double kNormalMost = 8.6;  // sqrt(2 * 53 ln 2) is 8.572
inline double standard_normal(RandomBits& bits) {
  constexpr double kTwoPi = 6.283185307179586476925;
  const double radius = std::sqrt(-2 * std::log(unit_interval(bits)));
  return radius * std::cos(kTwoPi * unit_interval(bits));
}

// Evenly in [0, bound), bound > 0. Draws again where a plain remainder would favour small numbers.
inline std::uint64_t below(RandomBits& bits, std::uint64_t bound) {
  XB_CHECK(bound > 0);
  for (;;) {
    const std::uint64_t drawn = bits();
    // Below 2^64 mod bound, which is itself below the bound and hardly ever has to be known.
    const bool unfair = drawn < bound && drawn < -bound % bound;
    if (!unfair) return drawn % bound;
  }
}

}  // namespace xbind::callgen
