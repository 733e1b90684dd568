// How many labels a cache needs (paper, Table I). The number N of labels taken whose replacement
// has not arrived is Poisson with mean rate x replacement time (M/G/infinity). The cache size for a
// hit ratio h is the smallest c with P(N < c) >= h. Rate and replacement time are measured from the
// cache's own arrivals and departures, without any message.
//
// Estimators, the first two exponentially weighted with the time constants below:
//  rate         two rates, of kFastMemory (follows a rise within a second) and of kSlowMemory
//               (falls within about ten); the greater counts.
//  replacement  the mean time from taking a label to the arrival of its replacement, matched in
//               order. Labels requested to let the cache grow are in the line but are not measured.
//               Before the first measurement kFirstReplacement is assumed.
//  dispersion   variance over mean of N as takes find it, in the last kSpreadWindow; 1 for Poisson.
//               Aggregation brings replacements back together, so that N spreads wider: the margin
//               of c above the mean is multiplied by the root of the dispersion.
//  ranked       in each kRankedWindow with at least kRankedTakes takes, the N that the hit ratio's
//               share of the takes did not exceed, rounded up by at most an eighth; the greatest of
//               the last kRankedWindows. On a busy machine every process now and then waits for a
//               few hundredths of a second, and N is then many times its mean: no distribution with
//               two moments describes that.
// The cache needs the greater of the two sizes.
//
// Not thread-safe; owned by a LabelCache. Bounded: kRunsMax entries in the line.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>

#include "cmgr/parts/timers.hpp"
#include "core/clock.hpp"

namespace xbind::cmgr {

// Fixed: the configured size. Competitive: the size needed, at most the configured size.
// Cooperative: the same, and the demand is reported to the SwitchServer, which divides the range.
enum class LabelPolicy : std::uint8_t { kFixed = 0, kCompetitive = 1, kCooperative = 2 };

// The smallest c with P(N < c) >= hit_ratio, for N Poisson with that mean, up to about 1e6. A mean
// of 0 gives 1: one label for a call that comes nevertheless. A ratio of 0 or less gives 0; ratios
// above 1 - 1e-9 count as 1 - 1e-9.
std::size_t cache_size_for(double mean_in_use, double hit_ratio);

// An exponentially weighted rate of events per second.
class DecayingRate {
 public:
  explicit DecayingRate(Duration memory);
  void count(TimePoint now);
  double per_s(TimePoint now) const;

 private:
  double memory_s_;
  double per_s_ = 0;  // as of last_
  TimePoint last_{};
};

// An exponentially weighted mean.
class DecayingMean {
 public:
  explicit DecayingMean(Duration memory);
  void add(double value, TimePoint now);
  bool known() const { return weight_ > 0; }
  double mean() const { return sum_ / weight_; }  // when known()

 private:
  double memory_s_;
  double weight_ = 0;
  double sum_ = 0;
  TimePoint last_{};
};

class LabelSizing {  // for one (switch, output port)
 public:
  static constexpr Duration kFastMemory = kManagerTimers["label-rate-fast"];
  static constexpr Duration kSlowMemory = kManagerTimers["label-rate-slow"];
  static constexpr Duration kReplacementMemory = kManagerTimers["label-replacement"];
  static constexpr Duration kSpreadWindow = kManagerTimers["label-spread-window"];
  static constexpr Duration kFirstReplacement = kManagerTimers["label-replacement-first"];
  // After this time without a take no label is kept.
  static constexpr Duration kIdle = kManagerTimers["label-idle"];
  static constexpr std::size_t kRunsMax = 16'384;
  static constexpr Duration kRankedWindow = kManagerTimers["label-ranked-window"];
  static constexpr std::size_t kRankedTakes = 50;
  static constexpr std::size_t kRankedWindows = 64;

  explicit LabelSizing(double hit_ratio);
  // Measurements stay.
  void change(double hit_ratio) { hit_ratio_ = hit_ratio; }

  // Counts a label wanted, hit or miss.
  void taken(TimePoint now);
  // A command requests `labels` labels, perhaps 0, to replace those taken so far. Any beyond that
  // number are for growth; labels taken beyond `labels` will not be replaced.
  void asked(std::size_t labels);
  // Requested labels have arrived.
  void arrived(std::size_t labels, TimePoint now);
  // Corrects the number of outstanding labels to `labels`: some requested labels are never granted,
  // and some that arrive were released by calls, not requested.
  void still_asked(std::size_t labels);
  // The session has ended: outstanding labels will not arrive. Estimates stay.
  void lapse();

  // The cache size needed now, at most `bound`.
  std::size_t wanted(TimePoint now,
                     std::size_t bound = std::numeric_limits<std::size_t>::max()) const;
  double arrivals_per_s(TimePoint now) const;
  double replacement_s() const;

 private:
  struct Run {
    TimePoint taken;  // kNever: for growth, not measured
    std::size_t labels;
  };

  // One bucket for each N below 8, then eight buckets per doubling.
  static constexpr std::size_t kBuckets = 8 * 14;
  struct Spread {  // of N
    TimePoint since{};
    double takes = 0;
    double sum = 0;
    double squares = 0;
  };
  struct Ranks {  // of N
    TimePoint since{};
    std::size_t takes = 0;
    std::array<std::uint32_t, kBuckets> seen{};
    std::array<std::size_t, kRankedWindows>
        last{};                // of previous windows; 0 for a window with too few takes
    std::size_t next = 0;      // index of `last` to be replaced next
    std::size_t greatest = 0;  // greatest value in `last`
  };

  void line_up(TimePoint taken, std::size_t labels);
  std::size_t leave_line(std::size_t labels);  // removes at most `labels` from the first run
  void observe_in_use(TimePoint now);
  void rank_in_use(std::size_t in_use, TimePoint now);
  std::size_t size_for(double mean) const;

  double hit_ratio_;
  DecayingRate fast_{kFastMemory};
  DecayingRate slow_{kSlowMemory};
  DecayingMean replacement_s_{kReplacementMemory};
  Spread spread_;          // of the present window
  double dispersion_ = 1;  // of the previous window
  Ranks ranks_;
  mutable double sized_mean_ = -1;  // the mean that size_ was computed for
  mutable std::size_t size_ = 0;
  TimePoint last_taken_{};
  bool ever_taken_ = false;
  std::deque<TimePoint> unasked_;  // taken; replacement not yet requested
  std::deque<Run> line_;           // requested, oldest first
  std::size_t lined_up_ = 0;       // labels in line_
  std::size_t replacing_ = 0;      // labels in line_ that are measured
};

}  // namespace xbind::cmgr
