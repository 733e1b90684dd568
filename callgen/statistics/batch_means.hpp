// How sure a run's mean is. Latencies of neighbouring calls are alike, so n of them say less than n
// independent ones would; the means of long batches are nearly independent. The run is cut into equal
// spans of planned time, and Student's interval is made of the spans' means.
//
// And from when on a run is steady: MSER-5 (White, 1997) looks for the beginning whose loss makes the
// rest of the means tell the most, here over spans of equal time.
//
// Memory is bounded: when there are kMostSpans the spans double. A value type; one thread at a time.
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

  // `when` counts from the start, not below zero.
  void add(Duration when, Duration value) {
    // What comes is mostly of the span that the one before was of.
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
  // 95 %, over what was added from `begin` on and before `end` (whole spans alone), in at most kBatches
  // batches of whole spans; what is left over counts in none. Nothing when fewer than
  // kFewestBatches come about or one of them has fewer than kFewestInBatch values.
  std::optional<Interval> interval(Duration begin, Duration end) const;

  // Where MSER-5 would cut, at most half the run away; nothing when there are fewer than 20 points of five
  // spans that hold values.
  std::optional<Duration> steady_from() const;

 private:
  struct Span {
    std::uint64_t count = 0;
    double sum_us = 0;
  };

  Span& span_at(Duration when);

  std::vector<Span> spans_;
  Duration span_ = kFirstSpan;
  // The span of the latest value, and its time; none when that is empty.
  std::size_t latest_ = 0;
  Duration latest_begin_{};
  Duration latest_end_{};
};

// Half the width of Student's interval of 95 %, in standard errors. degrees >= 1.
double student_95(std::size_t degrees);

}  // namespace xbind::callgen
