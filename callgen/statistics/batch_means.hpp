// The confidence interval of a run's mean. Latencies of neighbouring calls are correlated, so n of
// them are less informative than n independent ones; the means of long batches are nearly
// independent. The run is divided into equal spans of planned time, and Student's interval is
// computed from their means.
//
// Also the time from which a run is steady: MSER-5 (White, 1997) finds the beginning whose removal
// gives the smallest standard error of the remaining means, here over spans of equal time.
//
// Memory is bounded: when there are kMostSpans the length of the spans doubles. A value type; one
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock.hpp"

namespace xbind::callgen {

class BatchMeans {
 public:
  static constexpr std::size_t kMostSpans = 2'000;
  static constexpr Duration kFirstSpan = std::chrono::milliseconds{1};
  static constexpr std::size_t kBatches = 20;
  static constexpr std::size_t kFewestBatches = 5;
  static constexpr std::uint64_t kFewestInBatch = 10;

  // `when` counts from the start and must not be negative.
  void add(Duration when, Duration value) {
    // Usually the value belongs to the same span as the previous one.
    Span& span = when >= latest_begin_ && when < latest_end_ ? spans_[latest_] : span_at(when);
    ++span.count;
    span.sum_us += static_cast<double>(value.count()) / 1000;
  }

  struct Interval {
    double mean_us = 0;  // of the batches' means
    double half_width_us = 0;
    std::size_t batches = 0;
    double span_s = 0;  // of one batch
  };
  // The 95 % interval over the values from `begin` on and before `end` (whole spans only), in at
  // most kBatches batches of whole spans; remaining spans are ignored. nullopt if there are fewer
  // than kFewestBatches batches, or a batch has fewer than kFewestInBatch values.
  std::optional<Interval> interval(Duration begin, Duration end) const;

  // Where MSER-5 would cut, within the first half of the run; nullopt with fewer than 20 points of
  // five spans that contain values.
  std::optional<Duration> steady_from() const;

 private:
  struct Span {
    std::uint64_t count = 0;
    double sum_us = 0;
  };

  Span& span_at(Duration when);

  std::vector<Span> spans_;
  Duration span_ = kFirstSpan;
  // The span of the latest value, and its time; empty: none.
  std::size_t latest_ = 0;
  Duration latest_begin_{};
  Duration latest_end_{};
};

}  // namespace xbind::callgen
