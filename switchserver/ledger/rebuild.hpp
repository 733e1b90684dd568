// Makes label places, lists and accounts agree with the hop records again.
#pragma once

#include "switchserver/ledger/parts.hpp"

namespace xbind {

// See Ledger::rebuild().
void rebuild(LedgerParts& parts);

}  // namespace xbind
