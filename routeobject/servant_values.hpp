// RouteObject's values <-> route_object.idl, in the manner of orb/convert.hpp.
#pragma once

#include <vector>

#include "core/result.hpp"
#include "route_object.hh"
#include "routeobject/route_service.hpp"

namespace xbind {

// The number of unusable elements in the reply to watch() and in a notice.
inline constexpr std::size_t kUnusableAtOnce = 4'096;

// kBadInput: an unknown metric or kind of disjointness.
Result<PathQuery> to_core(const v2::RouteQuery& query);
PathElement to_core(const v2::RouteElement& element);
std::vector<PortReport> to_core(const v2::PortNewsSeq& ports);

void to_idl(const RouteAnswers& answers, v2::RouteAnswers& out);
// Writes at most `limit` unusable elements, from index `first` on.
void to_idl(const TopologyState& state, std::size_t first, std::size_t limit,
            std::uint32_t validity_ms, v2::TopologyState& out);
v2::RouteElement to_idl(const PathElement& element);
void to_idl(const LinkReport& link, v2::LinkState& out);

}  // namespace xbind
