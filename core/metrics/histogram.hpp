// A latency histogram: counts durations from one nanosecond to almost five hours.
//
// Every octave (a doubling) is divided into 128 equal buckets, so a percentile is never below the
// true one and never more than 1/128 above it. Count, minimum, maximum and mean are exact. The
// memory is fixed (38 kB), so a histogram may run for weeks.
//
// Values outside 0..kHighest are clamped to the nearer end and counted as clamped: a clock that
// runs backwards, or a latency of a day, must be visible and must not be lost.
//
// A value type; one thread at a time. Threads that measure have one each and merge afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock.hpp"

namespace xbind {

class Histogram {
 public:
  static constexpr Duration kHighest{(std::int64_t{1} << 44) - 1};  // 4 h 53 min
  static constexpr double kRelativeError = 1.0 / 128;  // of percentile(), always upwards

  Histogram();

  void record(Duration value);
  // Returns the highest value in the bucket of `value`, which is clamped to the range.
  static Duration bucket_end(Duration value);
  // Adds all values that `other` has recorded.
  void merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t clamped() const { return clamped_; }  // values of count() outside the range
  // Of the clamped values; zero while nothing is recorded.
  Duration min() const;
  Duration max() const { return Duration{max_}; }
  double mean_ns() const;
  // Sample deviation (divides by count - 1) of the values, not of the buckets; zero below two
  // values.
  double deviation_ns() const;
  // Returns the least value that at least `percent` of the recorded values do not exceed (nearest
  // rank), as the upper edge of its bucket, but never above max(). `percent` in [0, 100]; 0 returns
  // min(). Zero while nothing is recorded.
  Duration percentile(double percent) const;
  // Returns the value of that rank, from 1 to count(), with the same error.
  Duration ranked(std::uint64_t rank) const;

  // Returns the non-empty buckets in ascending order, each with its highest value and its count.
  struct Bucket {
    Duration highest;
    std::uint64_t count = 0;

    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  std::vector<Bucket> filled() const;

  // All content, to be stored and restored elsewhere.
  struct Parts {
    std::vector<Bucket> buckets;
    std::uint64_t clamped = 0;
    double sum_ns = 0;      // exact below 2^53
    double squares_ns = 0;  // of the deviations from the mean, added up
    Duration min{};
    Duration max{};
  };
  Parts parts() const;
  // Returns nullopt when the parts contradict each other or the range, as those of a foreign file
  // may.
  static std::optional<Histogram> from(const Parts& parts);

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t clamped_ = 0;
  std::uint64_t sum_high_ = 0;  // the sum of all values is 128 bits wide: 10^8 calls of hours each
  std::uint64_t sum_low_ = 0;
  double running_mean_ = 0;  // Welford's: mean and squares together lose no digits
  double squares_ = 0;
  std::int64_t min_ = kHighest.count();
  std::int64_t max_ = 0;
};

}  // namespace xbind
