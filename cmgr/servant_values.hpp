// Values of the logic that several servants of a ConnectionManager convert.
#pragma once

#include "cmgr/connection_manager.hpp"
#include "connection_manager.hh"

namespace xbind::cmgr {

// Leaves `out` as it is if there is no such connection.
void describe_into(const ConnectionManager& manager, ConnectionId id, v2::ConnectionState& out);

}  // namespace xbind::cmgr
