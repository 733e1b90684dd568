#include "core/metrics/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/check.hpp"

namespace xbind {
namespace {

constexpr int kOctaveBits = 7;  // 2^7 buckets an octave
constexpr std::uint64_t kPerOctave = std::uint64_t{1} << kOctaveBits;

// Below two octaves' worth every value has its own bucket. Above, `shift` low bits are dropped so
// that the rest lies in [128, 256); each shift adds one row of 128 buckets behind the former.
constexpr std::size_t bucket_of(std::uint64_t value) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kOctaveBits - 1);
  return kPerOctave * static_cast<std::size_t>(shift) + (value >> shift);
}

// The highest value that falls into the bucket.
constexpr std::uint64_t upper_edge(std::size_t bucket) {
  if (bucket < 2 * kPerOctave) return bucket;
  const std::size_t shift = bucket / kPerOctave - 1;
  return ((bucket - kPerOctave * shift + 1) << shift) - 1;
}

constexpr std::size_t kBuckets =
    bucket_of(static_cast<std::uint64_t>(Histogram::kHighest.count())) + 1;

static_assert(upper_edge(bucket_of(255)) == 255 && upper_edge(bucket_of(256)) == 257);
static_assert(upper_edge(kBuckets - 1) == static_cast<std::uint64_t>(Histogram::kHighest.count()));

}  // namespace

Histogram::Histogram() : buckets_(kBuckets) {}

void Histogram::record(Duration value) {
  const std::int64_t kept = std::clamp(value, Duration::zero(), kHighest).count();
  const auto amount = static_cast<std::uint64_t>(kept);
  if (kept != value.count()) ++clamped_;
  ++buckets_[bucket_of(amount)];
  ++count_;
  sum_low_ += amount;
  if (sum_low_ < amount) ++sum_high_;
  min_ = std::min(min_, kept);
  max_ = std::max(max_, kept);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
    buckets_[bucket] += other.buckets_[bucket];
  count_ += other.count_;
  clamped_ += other.clamped_;
  sum_low_ += other.sum_low_;
  sum_high_ += other.sum_high_ + (sum_low_ < other.sum_low_ ? 1 : 0);
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Duration Histogram::min() const { return count_ == 0 ? Duration::zero() : Duration{min_}; }

double Histogram::mean_ns() const {
  if (count_ == 0) return 0;
  return (static_cast<double>(sum_high_) * 0x1p64 + static_cast<double>(sum_low_)) /
         static_cast<double>(count_);
}

Duration Histogram::percentile(double percent) const {
  XB_CHECK(percent >= 0 && percent <= 100, percent);
  if (count_ == 0) return Duration::zero();
  if (percent == 0) return min();
  // 99.9 % of 1000 is 999, though 99.9 has no exact binary form and the product lies a hair above.
  const double exact_rank = percent / 100 * static_cast<double>(count_);
  const auto rank = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(std::ceil(exact_rank * (1 - 1e-12))), 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen >= rank)
      return Duration{std::min(max_, static_cast<std::int64_t>(upper_edge(bucket)))};
  }
  return max();
}

}  // namespace xbind
