// One report of several generators that ran at the same time: what they offered together, and what came of
// it. Counts add up, histograms and series are merged, rates are added and percentiles made anew.
//
// What cannot be added is said for what it is: the intervals of the means are gone, Little's law and
// arrivals are judged for each part alone, and what spoke against a part speaks against the whole
// (RunReport::parts_failed, parts_void). Counters of managers, SwitchServers and processes that several
// parts saw are the same ones: the greatest growth is taken. Of several audits of one manager the
// worst counts.
#pragma once

#include <vector>

#include "callgen/report/report.hpp"

namespace xbind::callgen {

// At least one. The order decides the names "generator 1", ... in sentences, nothing else.
RunReport merge(const std::vector<RunReport>& parts);

}  // namespace xbind::callgen
