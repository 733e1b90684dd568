// Counts of durations by octave: a bounded histogram for code that measures with every call. One
// count needs a few instructions, and the memory is fixed (200 octets). Histogram (histogram.hpp)
// has finer buckets and costs more.
//
// Octave i holds the durations up to and including octave_bound(i), and above the bound before it.
// The first bound is 1.024 us, each further one is twice as long, and the last octave has no bound.
//
// Pure values; one thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace xbind::histogram {

inline constexpr int kFirstBoundBits = 10;        // 2^10 ns
inline constexpr std::size_t kOctaveBounds = 24;  // the last one is 8.6 s
inline constexpr std::size_t kOctaves = kOctaveBounds + 1;
using OctaveCounts = std::array<std::uint64_t, kOctaves>;

// The octave of a duration in nanoseconds.
constexpr std::size_t octave_of(std::uint64_t ns) {
  const std::uint64_t below = ns - (ns != 0 ? 1 : 0);  // a bound belongs to its own octave
  return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(below >> kFirstBoundBits)),
                               kOctaveBounds);
}

// The longest duration of the octave in nanoseconds. `octave` is less than kOctaveBounds.
constexpr std::uint64_t octave_bound(std::size_t octave) {
  return std::uint64_t{1} << (static_cast<std::size_t>(kFirstBoundBits) + octave);
}

static_assert(octave_of(0) == 0 && octave_of(octave_bound(0)) == 0);
static_assert(octave_of(octave_bound(0) + 1) == 1 && octave_of(octave_bound(1)) == 1);
static_assert(octave_of(octave_bound(kOctaveBounds - 1)) == kOctaveBounds - 1);
static_assert(octave_of(octave_bound(kOctaveBounds - 1) + 1) == kOctaveBounds);

}  // namespace xbind::histogram
