// Hops of the ledger as their manager, an audit or a look at a call lists them. Without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/audit.hpp"
#include "core/clock.hpp"
#include "switchserver/controller/values.hpp"
#include "switchserver/ledger/hop_record.hpp"

namespace xbind::controller {

struct Parts;

// `places` and `owners`: of the hops described so far. A hop without an owner has kNoOwner.
LedgerHop describe(const Parts& parts, HopRef ref, const HopRecord& record, TimePoint now,
                   OwnerPlaces& places, std::vector<HopOwner>& owners);

// See SwitchController::held_hops().
HeldHops held_hops(const Parts& parts, std::string_view manager, std::uint64_t from,
                   std::size_t most, TimePoint now, std::vector<std::uint64_t>* places);

}  // namespace xbind::controller
