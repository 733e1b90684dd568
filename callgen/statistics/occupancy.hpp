// The number of calls in a system: over time, and as each arrival finds it. The two means agree if
// arrivals are Poisson and independent of the system's state (PASTA). The mean over time is the
// arrival rate times the mean stay, for any system (Little's law). It is integrated event by event,
// and not computed from the stays, so that the comparison tests the counting.
//
// Events arrive slightly out of order, because delayed events are reported late. They are sorted
// within kDelay, at most kMostWaiting at a time; later ones count at the time of their report
// (late_events()). Memory is bounded.
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

  // Times count from the start of the run and must not be negative.
  void arrive(Duration when) {
    arriving_.push(when);
    count_old_events(when);
  }
  void depart(Duration when) {
    departing_.push(when);
    count_old_events(when);
  }
  // All events have been reported: counts those that wait.
  void finish();

  // --- after finish() ---
  struct Figures {
    std::uint64_t arrivals = 0;
    std::uint64_t departures = 0;
    std::uint64_t late_events = 0;
    // total time by which late events were moved; the area is off by at most this
    double shifted_s = 0;
    std::uint64_t peak = 0;
    double area_s = 0;  // integral of the number over time, from the start to the last event
    double end_s = 0;   // time of the last event
    double mean_at_arrivals = 0;  // each arrival does not count itself
    double mean_over_time = 0;    // from the first arrival to the last
    // The difference of these two by batches of arrivals: number of batches and standard error.
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

  // `latest`: the time reported last.
  void count_old_events(Duration latest) {
    newest_ = std::max(newest_, latest);
    earliest_ = std::min(earliest_, latest);
    while (earliest_ < newest_ - kDelay || arriving_.size() + departing_.size() > kMostWaiting)
      count_earliest();
  }
  void count_earliest();
  void count_arrival(Duration when);
  void close_batch();

  TimeQueue arriving_;
  TimeQueue departing_;
  Duration newest_{};
  Duration earliest_ = Duration::max();  // of the waiting events
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
