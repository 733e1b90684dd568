// Everything that a run's requests say: a RecordSink that keeps sums and histograms, never the records, so
// that memory is bounded whatever the run. A value type; one thread at a time.
//
// Requests planned before the warm-up is over are counted, but enter no latency, no slip and no batch.
// Arrivals, occupancy and the series are of the whole run.
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

// Of one kind of request.
struct KindStatistics {
  OutcomeCounts outcomes{};
  std::uint64_t warm_up = 0;  // of these: planned before its end
  Histogram latency;    // done ones, from planned to answered: a quick refusal must not flatter it
  Histogram from_send;  // done ones, from sent to answered
  Histogram slip;       // sent - planned, of every one sent
  Histogram refusal;    // refused and busy ones, from planned
  Histogram refusal_from_send;
};

class Statistics final : public RecordSink {
 public:
  // Before the first event; `calls_per_s` > 0 is what arrivals are compared with.
  void expect(double calls_per_s, Duration warm_up);

  // The first request of the next call (a setup or a hold), in the order of sending, as it is sent or
  // shed (`sent` is RequestRecord::kNever).
  void offered(Duration planned, Duration sent);
  // A request that is over.
  void take(const RequestRecord& record) override;

  // Of a kind; an empty one when there was none.
  const KindStatistics& of(RequestKind kind) const;
  // Of the kinds that there were.
  std::map<RequestKind, KindStatistics> kinds() const;
  const Histogram& setup_latency() const { return of(RequestKind::kSetup).latency; }
  const Histogram& release_latency() const { return of(RequestKind::kRelease).latency; }
  // Of every request sent, whatever its kind.
  const Histogram& slip() const { return slip_; }

  Duration warm_up() const { return warm_up_; }
  const ArrivalFit& planned() const { return planned_; }
  const ArrivalFit& sent() const { return sent_; }
  // Calls being set up (from their planned arrival to their answer), and up (from that answer to the one
  // to their release). Refused ones are set up, too, as far as they got.
  Occupancy::Figures in_setup() const;
  Occupancy::Figures up() const;
  // What the calls' stays there add up to, made from the records: the other side of Little's law.
  double setup_stays_s() const { return setup_stays_s_; }
  double up_stays_s() const { return up_stays_s_; }
  const BatchMeans& setup_batches() const { return setup_batches_; }
  const BatchMeans& release_batches() const { return release_batches_; }
  const Series& series() const { return series_; }

  // Since the last look, for a live view.
  struct Glance {
    std::uint64_t answered = 0;  // requests of all kinds
    Histogram setup_latency;     // of connected calls; warm-up or not
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
