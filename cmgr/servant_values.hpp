// Values of the logic that several servants of a ConnectionManager convert.
#pragma once

#include "cmgr/connection_manager.hpp"
#include "connection_manager.hh"

namespace xbind::cmgr {

// A connection of the table, or an incomplete call. False: there is none, and `out` stays as it is.
bool describe_into(const ConnectionManager& manager, ConnectionId id, v2::ConnectionState& out);

}  // namespace xbind::cmgr
