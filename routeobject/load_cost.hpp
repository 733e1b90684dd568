// The metrics that a path may minimise, as integers that add up along the path.
//
//   kHops   1 a link
//   kDelay  the link's delay_us
//   kLoad   2^40 / (free - demand + 1), rounded down, at least 1: the inverse of the rate that the
//           call leaves on the link. Full links cost most, so a path around them is taken unless it
//           is much longer. This is the shortest-distance path of Q. Ma and P. Steenkiste, "On Path
//           Selection for Traffic with Bandwidth Guarantees", ICNP 1997 (there 1/r, with r the rate
//           that a new call would get). kSwitchesMax such links add up to less than 2^55.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "routeobject/route_graph.hpp"

namespace xbind {

enum class PathMetric : std::uint8_t { kHops, kDelay, kLoad };

inline constexpr std::uint64_t kLoadCostMax = std::uint64_t{1} << 40;  // of one link

// "hops", "delay", "load"
std::string_view to_string(PathMetric metric);
std::optional<PathMetric> path_metric_of(std::string_view word);

// `free` must not be below `demand`.
constexpr std::uint64_t load_cost(std::uint64_t free, std::uint64_t demand) {
  return std::max<std::uint64_t>(kLoadCostMax / (free - demand + 1), 1);
}

// The arc must be usable.
inline std::uint64_t arc_cost(const RouteGraph& graph, ArcIndex arc, PathMetric metric,
                              std::uint64_t demand) {
  switch (metric) {
    case PathMetric::kHops: return 1;
    case PathMetric::kDelay: return graph.delay_us(arc);
    case PathMetric::kLoad: return load_cost(graph.free(arc), demand);
  }
  return 1;
}

}  // namespace xbind
