// How many hops a ledger would take, without taking any.
#pragma once

#include <span>
#include <vector>

#include "core/hop_room.hpp"
#include "switchserver/ledger/parts.hpp"

namespace xbind {

// See Ledger::would_take(). Copies of one question by bisection, each step as a setup's checks.
std::vector<HopRoom> would_take(const LedgerParts& parts, ManagerIndex manager,
                                std::span<const HopQuestion> hops);

}  // namespace xbind
