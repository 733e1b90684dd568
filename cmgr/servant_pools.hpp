// The pools of prepared connections with which a manager's process begins: those of --prepare, and
// before them those that an operator has set (pool_keeper.hpp).
#pragma once

#include <string>
#include <vector>

#include "cmgr/daemon.hpp"
#include "cmgr/pool_keeper.hpp"
#include "core/config/reload.hpp"
#include "core/result.hpp"

namespace xbind::cmgr {

// Reads the values of --prepare: "host-a>host-b:100:8". kBadInput: one of another form.
Result<KeptPools> pools_of_option(const std::vector<std::string>& prepared);
// Gives the manager its pools. Call it before it attaches to a SwitchServer.
void begin_pools(ManagerDaemon& daemon, const PoolKeeper& pools);
// PoolKeeper::restore(), and says, in the log and in the options, which of an operator's pools
// count. Errors of it.
Result<void> restore_pools(PoolKeeper& pools, config::Reloadable& options);
// Warns of --prepare pairs with an unknown endpoint or no path now. The pool stays and fills itself
// once a path exists, because the topology may be reloaded.
void warn_of_ends(ManagerDaemon& daemon, const KeptPools& prepared);

}  // namespace xbind::cmgr
