// The best paths of a pair, in the order of path_query.hpp, with none skipped. Each meets the whole
// query and is loopless. Paths that differ only in parallel links are different paths; to get an
// alternate that shares nothing, query a disjoint path instead.
//
// Yen's algorithm (J. Y. Yen, Management Science 17(11), 1971) with Lawler's saving: a path
// deviates from its parent where the parent deviated from its own, or later. Each deviation is an
// exact search, so all bounds hold here too; labels_max applies to each search.
#pragma once

#include <cstddef>
#include <vector>

#include <tl/expected.hpp>

#include "routeobject/path_query.hpp"

namespace xbind {

inline constexpr std::size_t kAlternatesMax = 64;

// Best first; fewer than `count` when there are no more. Refuses when there is none, and when a
// search is too hard. kTooManyElements: `count` is above kAlternatesMax; kContradiction: it is 0.
tl::expected<std::vector<FoundPath>, PathRefusal> find_alternates(const RouteGraph& graph,
                                                                  const PathQuery& query,
                                                                  std::size_t count);

}  // namespace xbind
