#include "callgen/statistics/batch_means.hpp"

#include <algorithm>
#include <cmath>

#include "callgen/statistics/distributions.hpp"

namespace xbind::callgen {

BatchMeans::Span& BatchMeans::span_at(Duration when) {
  auto at = static_cast<std::size_t>(std::max(Duration::zero(), when) / span_);
  while (at >= kMostSpans) {
    span_ *= 2;
    at /= 2;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const Span span = spans_[i];
      if (i % 2 == 0) {
        spans_[i / 2] = span;
      } else {
        spans_[i / 2].count += span.count;
        spans_[i / 2].sum_us += span.sum_us;
      }
    }
    spans_.resize((spans_.size() + 1) / 2);
  }
  if (spans_.size() <= at) spans_.resize(at + 1);
  latest_ = at;
  latest_begin_ = static_cast<std::int64_t>(at) * span_;
  latest_end_ = latest_begin_ + span_;
  return spans_[at];
}

std::optional<BatchMeans::Interval> BatchMeans::interval(Duration begin, Duration end) const {
  const auto first =
      static_cast<std::size_t>((std::max(Duration::zero(), begin) + span_ - Duration{1}) / span_);
  const auto last =
      std::min(spans_.size(), static_cast<std::size_t>(std::max(Duration::zero(), end) / span_));
  if (first >= last) return std::nullopt;
  const std::size_t spans = last - first;
  const std::size_t batches = std::min(kBatches, spans);
  if (batches < kFewestBatches) return std::nullopt;
  const std::size_t in_batch = spans / batches;
  Interval interval;
  double squares = 0;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    Span sum;
    for (std::size_t i = 0; i < in_batch; ++i) {
      const Span& span = spans_[first + batch * in_batch + i];
      sum.count += span.count;
      sum.sum_us += span.sum_us;
    }
    if (sum.count < kFewestInBatch) return std::nullopt;
    const double mean = sum.sum_us / static_cast<double>(sum.count);
    ++interval.batches;
    const double off = mean - interval.mean_us;
    interval.mean_us += off / static_cast<double>(interval.batches);
    squares += off * (mean - interval.mean_us);
  }
  const auto count = static_cast<double>(batches);
  interval.half_width_us =
      student_half_width(count - 1, 0.95) * std::sqrt(squares / (count - 1) / count);
  interval.span_s =
      std::chrono::duration<double>(span_ * static_cast<std::int64_t>(in_batch)).count();
  return interval;
}

std::optional<Duration> BatchMeans::steady_from() const {
  struct Point {
    std::size_t first_span;
    double mean;
  };
  std::vector<Point> points;
  for (std::size_t i = 0; i + 5 <= spans_.size(); i += 5) {
    Span sum;
    for (std::size_t j = i; j < i + 5; ++j) {
      sum.count += spans_[j].count;
      sum.sum_us += spans_[j].sum_us;
    }
    if (sum.count > 0) points.push_back({i, sum.sum_us / static_cast<double>(sum.count)});
  }
  if (points.size() < 20) return std::nullopt;
  // From the end, so that the sums of the remaining points grow by one point at a time.
  double sum = 0;
  double squares = 0;
  double least = 0;
  std::size_t best = points.size();
  for (std::size_t cut = points.size(); cut-- > 0;) {
    sum += points[cut].mean;
    squares += points[cut].mean * points[cut].mean;
    if (cut > points.size() / 2) continue;
    const auto left = static_cast<double>(points.size() - cut);
    const double score = (squares - sum * sum / left) / (left * left);
    if (best == points.size() || score <= least) {
      least = score;
      best = cut;
    }
  }
  return span_ * static_cast<std::int64_t>(points[best].first_span);
}

}  // namespace xbind::callgen
