// Compares the parts of a ledger with one another.
#pragma once

#include <string_view>
#include <vector>

#include "core/audit.hpp"
#include "switchserver/ledger/parts.hpp"

namespace xbind {

// See Ledger::self_check(). `name`: of the switch, for the findings.
std::vector<Finding> self_check(const LedgerParts& parts, std::string_view name);

}  // namespace xbind
