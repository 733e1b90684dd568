// The buckets of Histogram (histogram.hpp): converts nanoseconds to a bucket and back. Also for
// code that counts in the same buckets without a whole histogram.
//
// Every octave has 128 buckets. Below 256 every value has its own bucket. Above, the lowest `shift`
// bits are dropped so that the rest lies in [128, 256); each shift appends a row of 128 buckets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace xbind::histogram {

inline constexpr int kOctaveBits = 7;  // 2^7 buckets an octave
inline constexpr std::uint64_t kPerOctave = std::uint64_t{1} << kOctaveBits;

constexpr std::size_t bucket_of(std::uint64_t value) {
  const int shift = static_cast<int>(std::bit_width(value | kPerOctave)) - kOctaveBits - 1;
  return kPerOctave * static_cast<std::size_t>(shift) + (value >> shift);
}

// The highest value that falls into the bucket.
constexpr std::uint64_t upper_edge(std::size_t bucket) {
  if (bucket < 2 * kPerOctave) return bucket;
  const std::size_t shift = bucket / kPerOctave - 1;
  return ((bucket - kPerOctave * shift + 1) << shift) - 1;
}

static_assert(bucket_of(0) == 0 && bucket_of(127) == 127 && bucket_of(255) == 255);
static_assert(upper_edge(bucket_of(255)) == 255 && upper_edge(bucket_of(256)) == 257);

}  // namespace xbind::histogram
