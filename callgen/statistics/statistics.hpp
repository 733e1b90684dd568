// All statistics of a run's requests: a RecordSink that keeps sums and histograms but no records,
// so that memory is bounded however long the run. A value type; one thread at a time.
//
// Requests planned within the warm-up are counted, but do not enter latencies, slip or batches.
// Arrivals, occupancy and the series cover the whole run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "callgen/statistics/arrival_fit.hpp"
#include "callgen/statistics/batch_means.hpp"
#include "callgen/statistics/occupancy.hpp"
#include "callgen/statistics/outcome_class.hpp"
#include "callgen/statistics/record.hpp"
#include "callgen/statistics/series.hpp"
#include "core/metrics/histogram.hpp"

namespace xbind::callgen {

using OutcomeCounts = std::array<std::uint64_t, kOutcomeClasses>;  // by OutcomeClass
std::uint64_t total_of(const OutcomeCounts& outcomes);

// For one kind of request.
struct KindStatistics {
  OutcomeCounts outcomes{};
  std::uint64_t warm_up = 0;  // number of these planned within the warm-up
  Histogram latency;    // done requests, from planned to answered: quick refusals must not lower it
  Histogram from_send;  // done requests, from sent to answered
  Histogram slip;       // sent - planned, of every request sent
  Histogram refusal;    // refused and busy requests, from planned
  Histogram refusal_from_send;
};

class Statistics final : public RecordSink {
 public:
  // Call before the first event; arrivals are compared with `calls_per_s` > 0.
  void expect(double calls_per_s, Duration warm_up);

  // The first request of the next call (a setup or a hold), in the order of sending, when it is
  // sent or shed (`sent` is RequestRecord::kNever). `at_base_rate`: both times where a load of the
  // rate of expect() would have come as far; the gaps between arrivals are judged there.
  struct AtBaseRate {
    Duration planned{};
    Duration sent{};
  };
  void offered(Duration planned, Duration sent, AtBaseRate at_base_rate);
  // Adds an ended request.
  void take(const RequestRecord& record) override;

  // Statistics of a kind; empty if there was none.
  const KindStatistics& of(RequestKind kind) const;
  // Of all kinds that occurred.
  std::map<RequestKind, KindStatistics> kinds() const;
  const Histogram& setup_latency() const { return of(RequestKind::kSetup).latency; }
  const Histogram& release_latency() const { return of(RequestKind::kRelease).latency; }
  // Of every request sent, of any kind.
  const Histogram& slip() const { return slip_; }

  Duration warm_up() const { return warm_up_; }
  const ArrivalFit& planned() const { return planned_; }
  const ArrivalFit& sent() const { return sent_; }
  // Calls being set up (from planned arrival to answer), and up (from that answer to the answer to
  // their release). Refused calls count as being set up until refused.
  Occupancy::Figures in_setup() const;
  Occupancy::Figures up() const;
  // Total stay of the calls there, computed from the records: the other side of Little's law.
  double setup_stays_s() const { return setup_stays_s_; }
  double up_stays_s() const { return up_stays_s_; }
  const BatchMeans& setup_batches() const { return setup_batches_; }
  const BatchMeans& release_batches() const { return release_batches_; }
  const Series& series() const { return series_; }

  // Since the previous call, for a live view.
  struct Glance {
    std::uint64_t answered = 0;  // requests of all kinds
    Histogram setup_latency;     // of connected calls, warm-up included
  };
  Glance take_glance();

 private:
  void measure(const RequestRecord& record, KindStatistics& kind);

  std::array<std::optional<KindStatistics>, kRequestKinds> kinds_;  // by RequestKind
  Histogram slip_;
  Duration warm_up_{};
  ArrivalFit planned_;
  ArrivalFit sent_;
  Occupancy in_setup_;
  Occupancy up_;
  double setup_stays_s_ = 0;
  double up_stays_s_ = 0;
  BatchMeans setup_batches_;
  BatchMeans release_batches_;
  Series series_;
  Glance glance_;
};

}  // namespace xbind::callgen
