// What a manager has at one switch, as it claims it from a SwitchServer that has lost its ledger
// (HopAttachment.books, idl/switch_server.idl):
//
// - hops of its connections, of procedures beside them, and of calls of earlier epochs that wait
//   for other switches (recovery.hpp);
// - hops whose removal is not confirmed, so that they can be removed;
// - labels of hops that are removed there, while a hop at the far end may still have them
//   (docs/invariants.md, 1).
//
// The manager has no session there meanwhile: it sets up and changes nothing at that switch, and a
// hop that it removes afterwards is owed.
#pragma once

#include <cstddef>
#include <vector>

#include "cmgr/procedures/context.hpp"
#include "core/audit.hpp"

namespace xbind::cmgr {

// Pages with at most `per_page` hops and as many labels; the last one may be empty. Takes time in
// proportion to the hops at that switch.
std::vector<HopClaims> claims_at(const Context& context, SwitchIndex at, TimePoint now,
                                 std::size_t per_page);

}  // namespace xbind::cmgr
