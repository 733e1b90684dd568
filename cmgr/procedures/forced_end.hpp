// Ends connections by force: for an operator, and for calls that none of their timers has ended.
#pragma once

#include "cmgr/procedures/context.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"

namespace xbind::cmgr {

// Ends whatever is under way on the connection as if every timer of it had run out: a client that
// waits gets that outcome, and hops that have not confirmed their removal are owed. Then nothing is
// left to keep the connection from being released; one that has no owner is released at once.
// Returns whether a connection of that id is left.
bool end_by_force(Context& context, ConnectionId id, TimePoint now);

// Ends procedures that live longer than all their timers together allow: some wait has no end. One
// that waits for its client, or for a switch, stays. The caller does this after it has expired the
// timers.
void end_stuck(Context& context, TimePoint now);

}  // namespace xbind::cmgr
