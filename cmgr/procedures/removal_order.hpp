// What recovery makes of a move that failed. Cells are led back to the old path before anything of
// the new one goes, as a re-route does it (Reroute::lead_back()).
#pragma once

#include <optional>
#include <vector>

#include "cmgr/parts/connection.hpp"
#include "cmgr/parts/found_call.hpp"
#include "cmgr/parts/switch_desk.hpp"

namespace xbind::cmgr {

// The hops as before the last move that has led cells away: those of its generation go, and hops
// that they have taken over from carry cells again. The same hops at the same places; nullopt: none
// has taken over.
std::optional<std::vector<FoundHop>> before_move(const std::vector<FoundHop>& hops);

// `debts`: the removals of `going`, hops that were found of a connection that stands without them.
// Those that have taken over from a hop of the connection go first; the others wait for them, also
// those of a later call.
void arrange_removals(Connection& connection, const std::vector<const FoundHop*>& going,
                      std::vector<Debt>& debts);

}  // namespace xbind::cmgr
