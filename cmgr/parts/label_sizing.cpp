#include "cmgr/parts/label_sizing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace xbind::cmgr {
namespace {

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// The fraction of a weight left after `passed`.
double fading(Duration passed, double memory_s) {
  return passed <= Duration{0} ? 1.0 : std::exp(-seconds_of(passed) / memory_s);
}

// The bucket of N, and the largest N of a bucket.
std::size_t bucket_of(std::size_t n, std::size_t buckets) {
  if (n < 8) return n;
  const auto octave = static_cast<std::size_t>(std::bit_width(n)) - 4;  // 8..15: 0
  return std::min(8 * (octave + 1) + ((n >> octave) & 7), buckets - 1);
}
std::size_t largest_of(std::size_t bucket) {
  if (bucket < 8) return bucket;
  const std::size_t octave = bucket / 8 - 1;
  return ((8 + bucket % 8 + 1) << octave) - 1;
}

// Rounds the mean up a little, so that nearly equal means give the same value.
double rounded_up(double mean) {
  int octave = 0;
  const double part = std::frexp(mean, &octave);
  return std::ldexp(std::ceil(part * 256) / 256, octave);
}

}  // namespace

// Sums P(N = k) upwards. Where exp(-mean) would underflow, the sum starts ten standard deviations
// below the mean: the part left out is less than 1e-20.
std::size_t cache_size_for(double mean_in_use, double hit_ratio) {
  if (!(hit_ratio > 0)) return 0;
  const double mean = std::max(mean_in_use, 0.0);
  const double aim = std::min(hit_ratio, 1 - 1e-9);
  const double deviation = std::sqrt(mean);
  double k = mean < 400 ? 0 : std::floor(mean - 10 * deviation);
  double probability =
      mean < 400 ? std::exp(-mean) : std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
  double sum = probability;
  // The bound is for rounding errors only: the sum reaches 1 well before.
  const double end = mean + 10 * deviation + 20;
  while (sum < aim && k < end) {
    k += 1;
    probability *= mean / k;
    sum += probability;
  }
  return static_cast<std::size_t>(k) + 1;
}

DecayingRate::DecayingRate(Duration memory) : memory_s_(seconds_of(memory)) {}

void DecayingRate::count(TimePoint now) {
  per_s_ = per_s(now) + 1 / memory_s_;
  last_ = std::max(last_, now);
}

double DecayingRate::per_s(TimePoint now) const { return per_s_ * fading(now - last_, memory_s_); }

DecayingMean::DecayingMean(Duration memory) : memory_s_(seconds_of(memory)) {}

void DecayingMean::add(double value, TimePoint now) {
  const double kept = fading(now - last_, memory_s_);
  weight_ = weight_ * kept + 1;
  sum_ = sum_ * kept + value;
  last_ = std::max(last_, now);
}

LabelSizing::LabelSizing(double hit_ratio) : hit_ratio_(hit_ratio) {}

void LabelSizing::taken(TimePoint now) {
  observe_in_use(now);
  fast_.count(now);
  slow_.count(now);
  last_taken_ = now;
  ever_taken_ = true;
  if (unasked_.size() >= kRunsMax) unasked_.pop_front();
  unasked_.push_back(now);
}

void LabelSizing::asked(std::size_t labels) {
  const std::size_t replaced = std::min(labels, unasked_.size());
  for (std::size_t i = 0; i < replaced; ++i) line_up(unasked_[i], 1);
  if (labels > replaced) line_up(kNever, labels - replaced);
  unasked_.clear();
}

void LabelSizing::arrived(std::size_t labels, TimePoint now) {
  while (labels > 0 && !line_.empty()) {
    const TimePoint taken = line_.front().taken;
    labels -= leave_line(labels);
    if (taken != kNever) replacement_s_.add(seconds_of(now - taken), now);
  }
}

void LabelSizing::still_asked(std::size_t labels) {
  // Some labels that arrived were not requested: as many requested ones are still outstanding.
  if (lined_up_ < labels) {
    if (line_.empty() || line_.front().taken != kNever) line_.push_front({kNever, 0});
    line_.front().labels += labels - lined_up_;
    lined_up_ = labels;
  }
  // Some never came. Answers keep their order, so these are the oldest.
  while (lined_up_ > labels) leave_line(lined_up_ - labels);
}

void LabelSizing::lapse() {
  unasked_.clear();
  line_.clear();
  lined_up_ = replacing_ = 0;
}

std::size_t LabelSizing::wanted(TimePoint now, std::size_t bound) const {
  if (!ever_taken_ || now - last_taken_ >= kIdle) return 0;
  const double in_use = arrivals_per_s(now) * replacement_s();
  // More are in use than the cache may hold: skip the sum, which could be long after a stalled
  // switch.
  if (in_use >= static_cast<double>(bound)) return bound;
  const auto size = static_cast<double>(size_for(in_use));
  const double margin = std::max(size - in_use, 0.0);
  const auto widened =
      static_cast<std::size_t>(std::ceil(in_use + std::sqrt(dispersion_) * margin));
  return std::min(bound, std::max(widened, ranks_.greatest));
}

// Each command calls this and the sum is long, so it is computed again only when the mean has
// changed noticeably.
std::size_t LabelSizing::size_for(double mean) const {
  const double reckoned = mean > 0 ? rounded_up(mean) : 0;
  if (reckoned != sized_mean_) {
    sized_mean_ = reckoned;
    size_ = cache_size_for(reckoned, hit_ratio_);
  }
  return size_;
}

double LabelSizing::arrivals_per_s(TimePoint now) const {
  return std::max(fast_.per_s(now), slow_.per_s(now));
}

double LabelSizing::replacement_s() const {
  return replacement_s_.known() ? replacement_s_.mean() : seconds_of(kFirstReplacement);
}

// The window ends with the first take after its duration.
void LabelSizing::observe_in_use(TimePoint now) {
  rank_in_use(replacing_ + unasked_.size(), now);
  const auto in_use = static_cast<double>(replacing_ + unasked_.size());
  if (spread_.takes == 0) spread_.since = now;
  spread_.takes += 1;
  spread_.sum += in_use;
  spread_.squares += in_use * in_use;
  if (now - spread_.since < kSpreadWindow) return;
  const double mean = spread_.sum / spread_.takes;
  const double variance = spread_.squares / spread_.takes - mean * mean;
  dispersion_ = mean > 0 ? std::max(variance / mean, 1.0) : 1.0;
  spread_ = {};
}

// Likewise. A window's rank is the smallest size that serves the hit ratio's share of its takes.
void LabelSizing::rank_in_use(std::size_t in_use, TimePoint now) {
  if (ranks_.takes == 0) ranks_.since = now;
  ++ranks_.takes;
  ++ranks_.seen[bucket_of(in_use, kBuckets)];
  if (now - ranks_.since < kRankedWindow) return;
  std::size_t rank = 0;
  if (ranks_.takes >= kRankedTakes) {
    const double share = hit_ratio_ * static_cast<double>(ranks_.takes);
    double served = 0;
    std::size_t bucket = 0;
    for (; bucket < kBuckets - 1; ++bucket) {
      served += ranks_.seen[bucket];
      if (served >= share) break;
    }
    rank = largest_of(bucket) + 1;
  }
  ranks_.last[ranks_.next] = rank;
  ranks_.next = (ranks_.next + 1) % kRankedWindows;
  ranks_.greatest = *std::ranges::max_element(ranks_.last);
  ranks_.seen = {};
  ranks_.takes = 0;
}

// A measured label is a run of its own. A line that is too long continues unmeasured.
void LabelSizing::line_up(TimePoint taken, std::size_t labels) {
  lined_up_ += labels;
  if (line_.size() >= kRunsMax) taken = kNever;
  if (taken != kNever) replacing_ += labels;
  if (taken == kNever && !line_.empty() && line_.back().taken == kNever) {
    line_.back().labels += labels;
  } else {
    line_.push_back({taken, labels});
  }
}

std::size_t LabelSizing::leave_line(std::size_t labels) {
  Run& first = line_.front();
  const std::size_t leaving = std::min(labels, first.labels);
  lined_up_ -= leaving;
  if (first.taken != kNever) replacing_ -= leaving;
  first.labels -= leaving;
  if (first.labels == 0) line_.pop_front();
  return leaving;
}

}  // namespace xbind::cmgr
