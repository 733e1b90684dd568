// How many labels a cache needs (paper, item C4 and Table I): the number N of labels taken whose
// replacement has not come is Poisson with mean rate x replacement time (M/G/infinity), and the cache
// size for a hit ratio h is the smallest c with P(N < c) >= h. Rate and replacement time are learnt
// from the cache's own arrivals and departures; no word is exchanged with anybody.
//
// Estimators, the first two exponentially weighted with the time constants below:
//   rate         two rates, of kFastMemory (follows a rise within a second) and of kSlowMemory (gives
//                way within about ten); the greater counts.
//   replacement  the mean of the times from taking a label to the arrival of what was asked for in its
//                stead, matched first to first. Labels asked for because the cache is to grow stand in
//                the line but are not measured. Before the first measurement kFirstReplacement is
//                assumed.
//   dispersion   variance over mean of N as takes find it, of the last kSpreadWindow. Aggregation
//                brings replacements back together, so that N spreads wider than Poisson's, where
//                the two are equal: the margin that c has above the mean widens by the root.
//   ranked       where a kRankedWindow sees kRankedTakes or more, the N that the hit ratio's share of its takes
//                did not exceed, to an eighth above; the greatest of the last kRankedWindows of them. On a
//                busy machine everybody waits now and then for a few hundredths of a second, and N is then
//                many times its mean: no distribution made of two moments says how large.
// The cache needs the greater of the two sizes.
//
// Not thread-safe; owned by a LabelCache. Bounded: kRunsMax entries of the line.
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

// Fixed: the size that is set. Competitive: the size that is needed, at most the one set. Cooperative:
// the same, and the SwitchServer, told of it, divides the range (paper, items C4 and C5).
enum class LabelPolicy : std::uint8_t { kFixed = 0, kCompetitive = 1, kCooperative = 2 };

// The smallest c with P(N < c) >= hit_ratio, N Poisson with that mean, 0..1e6 or so. A mean of 0 gives
// 1: the one label for the call that comes all the same. A ratio of 0 or less gives 0; ratios above
// 1 - 1e-9 count as that.
std::size_t cache_size_for(double mean_in_use, double hit_ratio);

// An exponentially weighted number of events a second.
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

class LabelSizing {  // of one (switch, output port)
 public:
  static constexpr Duration kFastMemory = kManagerTimers["label-rate-fast"];
  static constexpr Duration kSlowMemory = kManagerTimers["label-rate-slow"];
  static constexpr Duration kReplacementMemory = kManagerTimers["label-replacement"];
  static constexpr Duration kSpreadWindow = kManagerTimers["label-spread-window"];
  static constexpr Duration kFirstReplacement = kManagerTimers["label-replacement-first"];
  // Nothing was wanted for so long: nothing is kept.
  static constexpr Duration kIdle = kManagerTimers["label-idle"];
  static constexpr std::size_t kRunsMax = 16'384;
  static constexpr Duration kRankedWindow = kManagerTimers["label-ranked-window"];
  static constexpr std::size_t kRankedTakes = 50;
  static constexpr std::size_t kRankedWindows = 64;

  explicit LabelSizing(double hit_ratio);

  // A label was wanted, hit or miss.
  void taken(TimePoint now);
  // A command asks for so many labels, perhaps 0, instead of those taken so far; more are for growth,
  // and what was taken beyond them will not be replaced.
  void asked(std::size_t labels);
  // They came.
  void arrived(std::size_t labels, TimePoint now);
  // So many are still on their way: the line is made to agree. (Some asked for are never granted; some
  // that come were released, not asked for.)
  void still_asked(std::size_t labels);
  // The session has ended: nothing that was asked for will come. What was learnt stays.
  void lapse();

  // The cache size as of now, at most `bound`.
  std::size_t wanted(TimePoint now,
                     std::size_t bound = std::numeric_limits<std::size_t>::max()) const;
  double arrivals_per_s(TimePoint now) const;
  double replacement_s() const;

 private:
  struct Run {
    TimePoint taken;  // kNever: for growth, not measured
    std::size_t labels;
  };

  // N up to 7 each, then eight buckets to a doubling.
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
        last{};                // of the windows before, 0 where too little was seen
    std::size_t next = 0;      // of `last`, to be replaced
    std::size_t greatest = 0;  // of `last`
  };

  void line_up(TimePoint taken, std::size_t labels);
  std::size_t leave_line(std::size_t labels);  // at most so many, of the first run
  void observe_in_use(TimePoint now);
  void rank_in_use(std::size_t in_use, TimePoint now);
  std::size_t size_for(double mean) const;

  double hit_ratio_;
  DecayingRate fast_{kFastMemory};
  DecayingRate slow_{kSlowMemory};
  DecayingMean replacement_s_{kReplacementMemory};
  Spread spread_;          // of the present window
  double dispersion_ = 1;  // of the last one
  Ranks ranks_;
  mutable double sized_mean_ = -1;  // what size_for() reckoned last
  mutable std::size_t size_ = 0;
  TimePoint last_taken_{};
  bool ever_taken_ = false;
  std::deque<TimePoint> unasked_;  // taken, and no replacement asked for yet
  std::deque<Run> line_;           // asked for, oldest first
  std::size_t lined_up_ = 0;       // labels in line_
  std::size_t replacing_ = 0;      // those of them that are measured
};

}  // namespace xbind::cmgr
