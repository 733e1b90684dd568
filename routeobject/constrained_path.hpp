// The best path that meets a query, exactly (path_query.hpp says what may be asked and which path is
// best, label_search.hpp how it is found). 754 switches without a bound in the way: well below a
// millisecond; with bounds that bite: as many labels as the query allows.
//
// Pure: any number of threads may ask the same graph.
#pragma once

#include <tl/expected.hpp>

#include "routeobject/path_query.hpp"

namespace xbind {

PathAnswer find_path(const RouteGraph& graph, const PathQuery& query);

}  // namespace xbind
