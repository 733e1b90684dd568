// Finds the best path that meets a query, exactly. path_query.hpp defines queries and their order
// of paths, label_search.hpp the search. In a network of 754 switches a search takes well below a
// millisecond unless a bound excludes the best path; then it takes as many labels as the query
// allows.
//
// Pure: any number of threads may search the same graph.
#pragma once

#include <tl/expected.hpp>

#include "routeobject/path_query.hpp"

namespace xbind {

PathAnswer find_path(const RouteGraph& graph, const PathQuery& query);

}  // namespace xbind
