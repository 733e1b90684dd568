// A PathQuery with its names looked up and its contradictions refused: the common beginning and end
// of constrained_path.cpp and alternates.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "routeobject/label_search.hpp"
#include "routeobject/path_query.hpp"

namespace xbind {

inline constexpr std::size_t kAvoidedNamed = 16;  // in a refusal

struct ResolvedQuery {
  SearchSpec spec;
  std::string ends;  // "host-a -> host-b"
  // "switch-1 port 2": elements of `avoid` in the topology, the first kAvoidedNamed of them.
  std::vector<std::string> avoided;
  std::size_t avoided_count = 0;  // all of them
};

tl::expected<ResolvedQuery, PathRefusal> resolve(const RouteGraph& graph, const PathQuery& query);

// Explains why a search found nothing: names the first bound that no path meets by itself.
PathRefusal why_none(const RouteGraph& graph, const PathQuery& query,
                     const ResolvedQuery& resolved);
PathRefusal too_hard(const PathQuery& query, const ResolvedQuery& resolved);

// `arcs`: from end to end, at least one.
FoundPath found_path(const RouteGraph& graph, PathMetric metric, std::uint64_t cells_per_s,
                     std::vector<ArcIndex> arcs);

}  // namespace xbind
