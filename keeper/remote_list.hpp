// What a manager's list of calls says, for clients that find their calls in it: the keeper, and the
// servers of smds/.
#pragma once

#include <cstdint>

#include "client/corba/two_way.hpp"
#include "keeper/keeper.hpp"

namespace xbind::keeper {

ListedCall listed_call(const v2::ConnectionState& state);

// Number of switches whose ledgers the manager has not read since its restart. Read it before the
// list, so that 0 stands for a complete list. Errors: those of TwoWay::status().
Result<std::uint64_t> unread_switches(const client::TwoWay& manager);

}  // namespace xbind::keeper
