// Merges the reports of several generators that ran at the same time. Counts and rates are added,
// histograms and series are merged, and percentiles are computed from the merged histograms.
//
// Figures that cannot be added are treated as follows. The intervals of the means are dropped.
// Little's law and arrivals are judged for each part alone, and a reason against a part counts
// against the whole (RunReport::parts_failed, parts_void). Several parts may read the same counters
// of managers, SwitchServers and processes: the greatest growth is taken. Of several audits of one
// manager the worst counts.
#pragma once

#include <vector>

#include "callgen/report/report.hpp"

namespace xbind::callgen {

// At least one part. The order only affects the names "generator 1", ... in sentences.
RunReport merge(const std::vector<RunReport>& parts);

}  // namespace xbind::callgen
