#include "routeobject/load_cost.hpp"

namespace xbind {

std::string_view to_string(PathMetric metric) {
  switch (metric) {
    case PathMetric::kHops: return "hops";
    case PathMetric::kDelay: return "delay";
    case PathMetric::kLoad: return "load";
  }
  return "unknown metric";
}

std::optional<PathMetric> path_metric_of(std::string_view word) {
  for (const PathMetric metric : {PathMetric::kHops, PathMetric::kDelay, PathMetric::kLoad}) {
    if (to_string(metric) == word) return metric;
  }
  return std::nullopt;
}

}  // namespace xbind
