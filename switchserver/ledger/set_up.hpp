// Setups: a reserve or a commit, refused or accepted as a whole.
//
// A refused or undone commit leaves nothing of the hop, nor of a reservation made for it. If the
// manager knew the output label before the commit, the label then is in its cache (it needs no
// quarantine, since the switch was not programmed), or in quarantine if that session has ended
// since. Two refusals change nothing at all: a stale one, and one of a setup that contradicts a hop
// which is already committed.
#pragma once

#include <cstdint>

#include "core/hop.hpp"
#include "switchserver/ledger/parts.hpp"

namespace xbind {

// See Ledger::set_up() and Ledger::undo().
Admission set_up(LedgerParts& parts, ManagerIndex manager, const HopSetup& setup,
                 std::uint32_t owner);
void undo(LedgerParts& parts, HopRef ref);

}  // namespace xbind
