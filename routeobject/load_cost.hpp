// What a path may be short in, as whole numbers that add up along it.
//
//   kHops   1 a link
//   kDelay  the link's delay_us
//   kLoad   2^40 / (free - demand + 1), rounded down, at least 1: the inverse of what the link has
//           left when the call is on it. Full links cost most and a way round them is taken, if it is
//           not much longer. This is the shortest-distance path of Q. Ma and P. Steenkiste, "On Path
//           Selection for Traffic with Bandwidth Guarantees", ICNP 1997 (there 1/r, r the rate that a
//           new call would get). kSwitchesMax such links add up to less than 2^55.
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

// `free` is not below `demand`.
constexpr std::uint64_t load_cost(std::uint64_t free, std::uint64_t demand) {
  return std::max<std::uint64_t>(kLoadCostMax / (free - demand + 1), 1);
}

// Of a usable arc.
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
