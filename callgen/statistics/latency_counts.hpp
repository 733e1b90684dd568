// Counts of latencies by Histogram's buckets, without other data, for the rows of a series, of
// which there are hundreds. It stores the buckets from the lowest to the highest filled one, which
// takes less memory than a histogram. Adding a latency costs a few instructions.
//
// A value type; one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/clock.hpp"
#include "core/metrics/histogram.hpp"
#include "core/metrics/histogram_buckets.hpp"

namespace xbind::callgen {

class LatencyCounts {
 public:
  struct Bucket {
    Duration highest;  // highest value in the bucket: Histogram::bucket_end()
    std::uint32_t count = 0;
  };

  // A value outside Histogram's range counts at its nearer end.
  void add(Duration latency, std::uint32_t count = 1) {
    const std::size_t at = place_of(latency) - first_;
    (at < counts_.size() ? counts_[at] : widened_to(at + first_)) += count;
  }
  LatencyCounts& operator+=(const LatencyCounts& other) {
    for (const Bucket& bucket : other) add(bucket.highest, bucket.count);
    return *this;
  }
  bool empty() const { return begin() == end(); }

  // Iterates over the non-empty buckets, from the lowest.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Bucket;
    using difference_type = std::ptrdiff_t;
    using pointer = const Bucket*;
    using reference = Bucket;

    Iterator(const LatencyCounts& of, std::size_t at) : of_(&of), at_(at) { skip_empty(); }
    Bucket operator*() const {
      return {Duration{static_cast<std::int64_t>(histogram::upper_edge(of_->first_ + at_))},
              of_->counts_[at_]};
    }
    Iterator& operator++() {
      ++at_;
      skip_empty();
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    void skip_empty() {
      while (at_ < of_->counts_.size() && of_->counts_[at_] == 0) ++at_;
    }
    const LatencyCounts* of_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, counts_.size()}; }

 private:
  static std::size_t place_of(Duration latency) {
    return histogram::bucket_of(static_cast<std::uint64_t>(
        std::clamp(latency, Duration::zero(), Histogram::kHighest).count()));
  }
  std::uint32_t& widened_to(std::size_t place) {
    constexpr std::size_t kAtOnce = 32;
    const std::size_t begin = place / kAtOnce * kAtOnce;
    if (counts_.empty()) first_ = begin;
    if (begin < first_) {
      counts_.insert(counts_.begin(), first_ - begin, 0);
      first_ = begin;
    }
    if (place - first_ >= counts_.size()) counts_.resize(begin + kAtOnce - first_);
    return counts_[place - first_];
  }

  std::size_t first_ = 0;  // bucket number of counts_[0]
  std::vector<std::uint32_t> counts_;
};

}  // namespace xbind::callgen
