// The calls of a part of a run, of a phase or a class, by the result of setting them up.
#pragma once

#include <cstdint>

#include "callgen/statistics/record.hpp"
#include "core/metrics/histogram.hpp"

namespace xbind::callgen {

struct PartStatistics {
  std::uint64_t attempted = 0;  // by the calls' first requests
  std::uint64_t connected = 0;
  std::uint64_t refused = 0;
  std::uint64_t busy = 0;
  std::uint64_t unanswered = 0;  // shed ones among them
  Histogram setup_latency;       // of connected calls, from the planned moment, warm-up included

  void take(const RequestRecord& record) {
    const bool begins = record.kind == RequestKind::kSetup || record.kind == RequestKind::kHold;
    const bool connects = record.kind == RequestKind::kSetup || record.kind == RequestKind::kCommit;
    if (begins) ++attempted;
    if (!begins && !connects) return;
    switch (record.ended) {
      case Ended::kDone:
        if (!connects) return;
        ++connected;
        setup_latency.record(record.answered - record.planned);
        return;
      case Ended::kRefused: ++refused; return;
      case Ended::kBusy: ++busy; return;
      case Ended::kUnanswered:
      case Ended::kShed: ++unanswered; return;
    }
  }
};

}  // namespace xbind::callgen
