#include "bench/forms/hgrm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace xbind::callgen {

std::string to_hgrm(const Histogram& histogram) {
  const auto ms = [](Duration value) { return static_cast<double>(value.count()) / 1e6; };
  std::string text = fmt::format("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile",
                                 "TotalCount", "1/(1-Percentile)");
  const auto out = std::back_inserter(text);
  const auto all = static_cast<double>(histogram.count());
  std::uint64_t seen = 0;
  const auto filled = histogram.filled();
  for (const Histogram::Bucket& bucket : filled) {
    seen += bucket.count;
    const double share = static_cast<double>(seen) / all;
    const double value = ms(std::min(bucket.highest, histogram.max()));
    if (seen == histogram.count())
      fmt::format_to(out, "{:>12.6f} {:>14.12f} {:>10}\n", value, 1.0, seen);
    else
      fmt::format_to(out, "{:>12.6f} {:>14.12f} {:>10} {:>14.2f}\n", value, share, seen,
                     1 / (1 - share));
  }
  fmt::format_to(out, "#[Mean    = {:>12.6f}, StdDeviation   = {:>12.6f}]\n",
                 histogram.mean_ns() / 1e6, histogram.deviation_ns() / 1e6);
  fmt::format_to(out, "#[Max     = {:>12.6f}, Total count    = {:>12}]\n", ms(histogram.max()),
                 histogram.count());
  fmt::format_to(out, "#[Buckets = {:>12}, SubBuckets     = {:>12}]\n", filled.size(), 128);
  return text;
}

}  // namespace xbind::callgen
