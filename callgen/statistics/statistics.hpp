// Everything that a run's records say about latency: a RecordSink that keeps sums and histograms, never the
// records. Memory is bounded whatever the run. A value type; one thread at a time.
#pragma once

#include "callgen/record.hpp"
#include "core/metrics/histogram.hpp"

namespace xbind::callgen {

class Statistics final : public RecordSink {
 public:
  void take(const RequestRecord& record) override;

  Histogram setup_latency;  // connected ones only: a quick refusal must not flatter it
  Histogram setup_latency_from_send;
  Histogram refusal_latency;  // refused and busy setups
  Histogram release_latency;  // released ones only
  Histogram release_latency_from_send;
  Histogram slip;  // sent - planned, of every request sent
};

}  // namespace xbind::callgen
