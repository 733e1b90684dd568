// How many requests were answered refused or busy, by cause. Not thread-safe; the component that
// counts owns it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/cause.hpp"
#include "core/metrics/metric_table.hpp"

namespace xbind::cmgr {

inline constexpr MetricNames kCauseMetrics{{
    {"refusals/<cause>", MetricKind::kCounter, "",
     "Requests answered refused or busy for the cause; only where there were any."},
}};

class CauseCounts {
 public:
  void count(Cause cause) { ++counts_[static_cast<std::size_t>(cause)]; }
  // Appends "refusals/no bandwidth" for each cause that has occurred.
  void append_metrics(Metrics& metrics) const;

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(kCauseLast) + 1> counts_{};
};

}  // namespace xbind::cmgr
