#include "routeobject/constrained_path.hpp"

#include <utility>

#include "routeobject/resolved_query.hpp"

namespace xbind {

PathAnswer find_path(const RouteGraph& graph, const PathQuery& query) {
  const auto resolved = resolve(graph, query);
  if (!resolved) return tl::make_unexpected(resolved.error());
  SearchResult best = search_path(graph, resolved->spec);
  switch (best.end) {
    case SearchEnd::kNone: return tl::make_unexpected(why_none(graph, query, *resolved));
    case SearchEnd::kTooHard: return tl::make_unexpected(too_hard(query, *resolved));
    case SearchEnd::kFound: break;
  }
  return found_path(graph, query.metric, query.cells_per_s, std::move(best.arcs));
}

}  // namespace xbind
