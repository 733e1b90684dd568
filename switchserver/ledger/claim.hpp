// Hops that managers claim after this SwitchServer has lost its ledger. Nothing is refused for want
// of resources: those cells flow.
#pragma once

#include <cstdint>

#include "core/audit.hpp"
#include "switchserver/ledger/parts.hpp"

namespace xbind {

// See Ledger::claim().
Admission claim(LedgerParts& parts, ManagerIndex manager, const LedgerHop& claimed,
                std::uint32_t owner);

}  // namespace xbind
