// The order in which recovery removes what is left of a move that failed: cells are led back to the
// old path before anything of the new one goes, as a re-route does it (Reroute::lead_back()).
#pragma once

#include <vector>

#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/found_call.hpp"
#include "cmgr/parts/switch_desk.hpp"

namespace xbind::cmgr {

// `debts`: the removals of `going`, hops that were found of a connection that stands without them.
// Those that have taken over from a hop of the connection go first; the others wait for them, also
// those of a later call.
void arrange_removals(Connection& connection, const std::vector<const FoundHop*>& going,
                      std::vector<Debt>& debts);

}  // namespace xbind::cmgr
