// Where the network that RouteObject has described has endpoints, for recovery (found_gaps.hpp).
#pragma once

#include "cmgr/parts/found_gaps.hpp"
#include "cmgr/procedures/context.hpp"

namespace xbind::cmgr {

// `context` must outlive the function.
EndsAt known_ends(const Context& context);

}  // namespace xbind::cmgr
