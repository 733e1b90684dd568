// A histogram in the text form of HdrHistogram's tools (.hgrm): value, percentile, cumulative
// count, 1/(1 - percentile).
#pragma once

#include <string>

#include "core/metrics/histogram.hpp"

namespace xbind::callgen {

// Values in milliseconds. One line for every non-empty bucket.
std::string to_hgrm(const Histogram& histogram);

}  // namespace xbind::callgen
