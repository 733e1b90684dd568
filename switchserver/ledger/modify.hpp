// Changes of a hop's contract and owner. A change of the contract keeps the hop's state; one that
// the switch has to confirm is settled later.
#pragma once

#include <cstdint>

#include "core/hop.hpp"
#include "switchserver/ledger/parts.hpp"

namespace xbind {

// See Ledger::modify() and Ledger::settle().
Admission modify(LedgerParts& parts, ManagerIndex manager, const HopModify& modify,
                 bool until_settled);
void settle(LedgerParts& parts, HopRef ref, std::uint32_t revision, Resources demand,
            const TrafficContract& contract);

}  // namespace xbind
