#include "cmgr/parts/cause_counts.hpp"

namespace xbind::cmgr {

void CauseCounts::append_metrics(Metrics& metrics) const {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    metrics.emplace_back(
        filled(kCauseMetrics["refusals/<cause>"], {to_string(static_cast<Cause>(i))}), counts_[i]);
  }
}

}  // namespace xbind::cmgr
