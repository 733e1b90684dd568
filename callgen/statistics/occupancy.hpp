// How many there are in a system: over time, and as each arrival finds them. The two averages agree when
// arrivals are Poisson and do not foresee the system (PASTA); the first one is the rate of arrivals times
// the mean stay, whatever the system (Little's law). Here it is integrated event by event and not made
// from the stays, so that the comparison says something about the counting.
//
// Events come a little out of order: what is late in being sent or read is told late. They are sorted
// within kDelay, at most kMostWaiting at a time; what comes later still counts as if it came when it was
// told (late_events()). Memory is bounded.
//
// A value type; one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "callgen/statistics/time_queue.hpp"
#include "core/clock.hpp"

namespace xbind::callgen {

class Occupancy {
 public:
  static constexpr Duration kDelay = std::chrono::milliseconds{10};
  static constexpr std::size_t kMostWaiting = 65'536;
  static constexpr std::size_t kMostBatches = 40;
  static constexpr std::uint64_t kLeastInBatch = 32;

  // Times from the start of the run, not below zero.
  void arrive(Duration when) {
    arriving_.push(when);
    count_what_is_old(when);
  }
  void depart(Duration when) {
    departing_.push(when);
    count_what_is_old(when);
  }
  // All is told: what waits is counted.
  void finish();

  // --- after finish() ---
  struct Figures {
    std::uint64_t arrivals = 0;
    std::uint64_t departures = 0;
    std::uint64_t late_events = 0;
    double shifted_s = 0;  // by how much those were moved, added up: the area is off by no more
    std::uint64_t peak = 0;
    double area_s = 0;            // of the number over time, from the start to the last event
    double end_s = 0;             // the last event
    double mean_at_arrivals = 0;  // each arrival not counting itself
    double mean_over_time = 0;    // from the first arrival to the last
    // Of the difference of these two, by batches of arrivals: their number and its standard error.
    std::uint64_t batches = 0;
    double difference_error = 0;
  };
  Figures figures() const;

 private:
  struct Batch {
    std::uint64_t arrivals = 0;
    double found = 0;
    double area_s = 0;
    double span_s = 0;
  };

  // `told` is the latest to be told.
  void count_what_is_old(Duration told) {
    newest_ = std::max(newest_, told);
    earliest_ = std::min(earliest_, told);
    while (earliest_ < newest_ - kDelay || arriving_.size() + departing_.size() > kMostWaiting)
      count_earliest();
  }
  void count_earliest();
  void count_arrival(Duration when);
  void close_batch();

  TimeQueue arriving_;
  TimeQueue departing_;
  Duration newest_{};
  Duration earliest_ = Duration::max();  // of those waiting
  Duration at_{};
  std::int64_t inside_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t departures_ = 0;
  std::uint64_t late_ = 0;
  double shifted_s_ = 0;
  std::uint64_t peak_ = 0;
  double area_s_ = 0;
  double found_ = 0;
  Duration first_arrival_{};
  Duration last_arrival_{};
  double area_at_first_s_ = 0;
  double area_at_last_s_ = 0;
  std::uint64_t in_batch_ = kLeastInBatch;
  Batch batch_;  // from the arrival before its first one to its last one
  std::vector<Batch> batches_;
};

}  // namespace xbind::callgen
