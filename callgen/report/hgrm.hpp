// A histogram in the text form that HdrHistogram's tools plot (.hgrm): value, percentile, how many up to
// there, 1/(1 - percentile).
#pragma once

#include <string>

#include "core/metrics/histogram.hpp"

namespace xbind::callgen {

// Values in milliseconds. A line for every bucket that is not empty.
std::string to_hgrm(const Histogram& histogram);

}  // namespace xbind::callgen
