#include "core/metrics/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/metrics/histogram_buckets.hpp"

namespace xbind {
namespace {

using histogram::bucket_of;
using histogram::upper_edge;

constexpr std::size_t kBuckets =
    bucket_of(static_cast<std::uint64_t>(Histogram::kHighest.count())) + 1;

static_assert(upper_edge(kBuckets - 1) == static_cast<std::uint64_t>(Histogram::kHighest.count()));

}  // namespace

Histogram::Histogram() : buckets_(kBuckets) {}

Duration Histogram::bucket_end(Duration value) {
  const std::int64_t kept = std::clamp(value, Duration::zero(), kHighest).count();
  return Duration{
      static_cast<std::int64_t>(upper_edge(bucket_of(static_cast<std::uint64_t>(kept))))};
}

void Histogram::record(Duration value) {
  const std::int64_t kept = std::clamp(value, Duration::zero(), kHighest).count();
  const auto amount = static_cast<std::uint64_t>(kept);
  if (kept != value.count()) ++clamped_;
  ++buckets_[bucket_of(amount)];
  ++count_;
  sum_low_ += amount;
  if (sum_low_ < amount) ++sum_high_;
  const double off = static_cast<double>(kept) - running_mean_;
  running_mean_ += off / static_cast<double>(count_);
  squares_ += off * (static_cast<double>(kept) - running_mean_);
  min_ = std::min(min_, kept);
  max_ = std::max(max_, kept);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
    buckets_[bucket] += other.buckets_[bucket];
  if (other.count_ > 0) {
    const auto ours = static_cast<double>(count_);
    const auto theirs = static_cast<double>(other.count_);
    const double off = other.running_mean_ - running_mean_;
    squares_ += other.squares_ + off * off * ours * theirs / (ours + theirs);
    running_mean_ += off * theirs / (ours + theirs);
  }
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

double Histogram::deviation_ns() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

Duration Histogram::percentile(double percent) const {
  XB_CHECK(percent >= 0 && percent <= 100, percent);
  if (count_ == 0) return Duration::zero();
  if (percent == 0) return min();
  // 99.9 % of 1000 must be 999, although 99.9 has no exact binary form and the product is slightly
  // above.
  const double exact_rank = percent / 100 * static_cast<double>(count_);
  return ranked(std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(std::ceil(exact_rank * (1 - 1e-12))), 1, count_));
}

Duration Histogram::ranked(std::uint64_t rank) const {
  XB_CHECK(rank >= 1 && rank <= count_, rank, count_);
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen >= rank)
      return Duration{std::min(max_, static_cast<std::int64_t>(upper_edge(bucket)))};
  }
  return max();
}

std::vector<Histogram::Bucket> Histogram::filled() const {
  std::vector<Bucket> filled;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    if (buckets_[bucket] > 0)
      filled.push_back({Duration{static_cast<std::int64_t>(upper_edge(bucket))}, buckets_[bucket]});
  }
  return filled;
}

Histogram::Parts Histogram::parts() const {
  return {filled(), clamped_, mean_ns() * static_cast<double>(count_), squares_, min(), max()};
}

std::optional<Histogram> Histogram::from(const Parts& parts) {
  Histogram made;
  if (parts.buckets.empty()) return made;
  const auto in_range = [](Duration value) {
    return value >= Duration::zero() && value <= kHighest;
  };
  for (const Bucket& bucket : parts.buckets) {
    if (!in_range(bucket.highest) || bucket.count == 0) return std::nullopt;
    const auto highest = static_cast<std::uint64_t>(bucket.highest.count());
    const std::size_t at = bucket_of(highest);
    if (upper_edge(at) != highest || made.buckets_[at] != 0) return std::nullopt;
    if (made.count_ + bucket.count < made.count_) return std::nullopt;
    made.buckets_[at] = bucket.count;
    made.count_ += bucket.count;
  }
  constexpr double kLargestSum = 0x1p100;
  if (!in_range(parts.min) || !in_range(parts.max) || parts.min > parts.max ||
      parts.clamped > made.count_ || !(parts.sum_ns >= 0 && parts.sum_ns < kLargestSum) ||
      !(parts.squares_ns >= 0))
    return std::nullopt;
  const auto least = bucket_of(static_cast<std::uint64_t>(parts.min.count()));
  const auto most = bucket_of(static_cast<std::uint64_t>(parts.max.count()));
  if (made.buckets_[least] == 0 || made.buckets_[most] == 0) return std::nullopt;
  made.clamped_ = parts.clamped;
  made.sum_high_ = static_cast<std::uint64_t>(parts.sum_ns / 0x1p64);
  made.sum_low_ =
      static_cast<std::uint64_t>(parts.sum_ns - static_cast<double>(made.sum_high_) * 0x1p64);
  made.running_mean_ = parts.sum_ns / static_cast<double>(made.count_);
  made.squares_ = parts.squares_ns;
  made.min_ = parts.min.count();
  made.max_ = parts.max.count();
  return made;
}

}  // namespace xbind
